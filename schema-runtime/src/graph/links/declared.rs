//! The links that the fields of models declare.

use std::collections::BTreeMap;

use bson::Bson;

use super::addend::{Summand, Term};
use super::{Addend, Bound, Keeps, Link, Periods, Recent};
use crate::bson_util::path::join;
use crate::schema::index_row::Literal;
use crate::schema::model::ModelMeta;
use crate::schema::relation::{Derived, DerivedRow, Most, PeriodRow, RelationRow};
use crate::schema::rows::{FieldRow, Kind};
use crate::schema::soft_delete::deleted_field;
use crate::schema::stored;
use crate::schema::two_way::{is_truth, named, top};

/// Every link among these models, each once.
pub(crate) fn among(models: &[&'static ModelMeta]) -> Vec<Link> {
    let mut found: BTreeMap<String, Link> = BTreeMap::new();
    for model in models {
        for row in top(model) {
            let links = match (row.derived, row.relation) {
                (Some(derived), _) => kept(model, row, derived),
                (None, Some(relation)) => two_way(model, row, relation).into_iter().collect(),
                (None, None) => Vec::new(),
            };
            for link in links {
                found.entry(link.name.clone()).or_insert(link);
            }
        }
    }
    found.into_values().collect()
}

fn reference_path(row: &FieldRow, relation: &RelationRow) -> String {
    if relation.entry {
        join(row.name, relation.entry_id)
    } else {
        row.name.to_owned()
    }
}

/// The links that a number or a last-N list declares. An average declares two numbers.
fn kept(host: &'static ModelMeta, field: &'static FieldRow, derived: &DerivedRow) -> Vec<Link> {
    let child = (derived.child)();
    let parts = match derived.what {
        Derived::Count | Derived::CountUpTo { .. } => {
            vec![(field.name, Some(Keeps::Number(Addend::ONE)))]
        }
        Derived::Sum {
            field: added,
            times,
            only,
        } => {
            let term = added.map_or(Some(Term::Child), |rust| {
                summand(child, rust, times).map(Term::Value)
            });
            vec![(field.name, number(child, term, only))]
        }
        Derived::Average {
            field,
            times,
            only,
            sum,
            count,
        } => {
            let value = summand(child, field, times);
            vec![
                (sum, number(child, value.map(Term::Value), only)),
                (count, number(child, value.map(Term::HasValue), only)),
            ]
        }
        Derived::Extreme {
            field: compared,
            least,
            only,
            entries,
        } => {
            let list = field_at(child, compared).map(|(compared, _)| Recent {
                max: 1,
                by: (compared, stored::LIST_SORT),
                newest_first: true,
                least,
                extreme: Some(field.name),
                shown: vec![(compared, stored::LIST_SORT)],
                only: conditions(child, only),
            });
            vec![(entries, list.map(Keeps::Recent))]
        }
        Derived::Recent {
            max,
            sort,
            fields,
            only,
        } => {
            let list = recent(child, field, max, sort, fields).map(|list| Recent {
                only: conditions(child, only),
                ..list
            });
            vec![(field.name, list.map(Keeps::Recent))]
        }
    };
    let parts = parts.into_iter();
    parts
        .filter_map(|(path, keeps)| follow(host, child, path, (derived, field.dated), keeps?))
        .collect()
}

/// The value of these children that the number adds up.
fn summand(
    child: &'static ModelMeta,
    field: &'static str,
    times: Option<&'static str>,
) -> Option<Summand> {
    let (field, row) = field_at(child, field)?;
    let times = match times {
        Some(times) => Some(field_at(child, times)?),
        None => None,
    };
    let is_decimal = |row: &FieldRow| matches!(row.kind, Kind::Decimal);
    Some(Summand {
        field,
        times: times.map(|(path, _)| path),
        decimal: is_decimal(row) || times.is_some_and(|(_, row)| is_decimal(row)),
    })
}

/// The stored path of the children's field at this Rust path, and the field.
fn field_at(child: &'static ModelMeta, rust: &str) -> Option<(&'static str, &'static FieldRow)> {
    let (path, row) = child.shape.field_at(rust)?;
    // A path of several steps is made once for each link, which stays as long as the program.
    Some((
        if path == row.name {
            row.name
        } else {
            path.leak()
        },
        row,
    ))
}

fn number(
    child: &'static ModelMeta,
    term: Option<Term>,
    only: &'static [(&'static str, Literal)],
) -> Option<Keeps> {
    Some(Keeps::Number(Addend {
        term: term?,
        only: conditions(child, only),
    }))
}

fn conditions(
    child: &'static ModelMeta,
    only: &'static [(&'static str, Literal)],
) -> Vec<(&'static str, Bson)> {
    let stored = |rust: &str| field_at(child, rust).map(|(path, _)| path);
    let only = only.iter();
    only.filter_map(|(rust, value)| Some((stored(rust)?, value.to_bson())))
        .collect()
}

fn recent(
    child: &'static ModelMeta,
    field: &'static FieldRow,
    max: u64,
    sort: (&'static str, bool),
    fields: &'static [&'static str],
) -> Option<Recent> {
    let entry = field.shape?.fields;
    let in_entry = |rust: &str| entry.iter().find(|row| row.rust == rust);
    let mut shown: Vec<(&str, &str)> = fields
        .iter()
        .filter_map(|rust| Some((named(child, rust)?.name, in_entry(rust)?.name)))
        .collect();
    // The entry always stores the sort value, even if it does not show it.
    let sorted = named(child, sort.0)?.name;
    let by = match shown.iter().find(|(from, _)| *from == sorted) {
        Some(shown) => *shown,
        None => {
            let by = (sorted, stored::LIST_SORT);
            shown.push(by);
            by
        }
    };
    Some(Recent {
        max,
        by,
        newest_first: sort.1,
        least: false,
        extreme: None,
        shown,
        only: Vec::new(),
    })
}

/// The period that the documents of a model stand for; `None` for other models.
fn period_of(model: &'static ModelMeta) -> Option<&'static PeriodRow> {
    let id = top(model).into_iter().find(|row| row.name == "_id");
    id.and_then(|row| row.period)
}

/// The link from these children to the field at `path` of their parents.
fn follow(
    host: &'static ModelMeta,
    child: &'static ModelMeta,
    path: &'static str,
    (derived, dated): (&DerivedRow, Option<&'static str>),
    keeps: Keeps,
) -> Option<Link> {
    let period = period_of(host);
    let referred = period.map_or(host, |period| (period.parent)());
    let refers = |row: &&'static FieldRow| {
        row.relation.is_some_and(|relation| {
            !relation.many && (relation.target)().collection == referred.collection
        })
    };
    let row = match derived.via {
        Some(rust) => named(child, rust).filter(refers)?,
        None => top(child).into_iter().find(refers)?,
    };
    let periods = match period {
        None => None,
        Some(period) => Some(Periods {
            at: named(child, dated?)?.name,
            per: period.per,
            zone: period.zone,
            parent: referred,
        }),
    };
    Some(Link {
        name: format!("{}.{path}", host.collection),
        child,
        host,
        row: row.name,
        reference: reference_path(row, row.relation?),
        key: match periods {
            None => row.name.to_owned(),
            // The name of a field in a document must not contain a dot.
            Some(periods) => {
                let host = host.collection.replace('.', ":");
                format!("{}@{}@{host}", row.name, periods.at)
            }
        },
        periods,
        many: false,
        entry_id: None,
        field: path,
        deleted: deleted_field(child),
        keeps,
        bound: match derived.what {
            Derived::CountUpTo {
                max: Most::Number(max),
            } => Some(Bound::Constant(max)),
            Derived::CountUpTo {
                max: Most::Field(rust),
            } => Some(Bound::Field(named(host, rust)?.name)),
            Derived::Count
            | Derived::Sum { .. }
            | Derived::Average { .. }
            | Derived::Extreme { .. }
            | Derived::Recent { .. } => None,
        },
    })
}

/// The link that a two-way reference declares, if this side is the truth: the side with one id; of two arrays the array of entries, or else
/// the array that is first by name.
fn two_way(
    model: &'static ModelMeta,
    row: &'static FieldRow,
    relation: &'static RelationRow,
) -> Option<Link> {
    let other = (relation.target)();
    let back = named(other, relation.inverse?)?;
    let name = format!("{}.{}", other.collection, back.name);
    if relation.many && !is_truth((model, row, relation), (other, back, back.relation?)) {
        return None;
    }
    Some(Link {
        name,
        child: model,
        host: other,
        row: row.name,
        reference: reference_path(row, relation),
        key: row.name.to_owned(),
        periods: None,
        many: relation.many,
        entry_id: (relation.many && relation.entry).then_some(relation.entry_id),
        field: back.name,
        deleted: deleted_field(model),
        keeps: Keeps::Ids { max: back.max },
        bound: None,
    })
}
