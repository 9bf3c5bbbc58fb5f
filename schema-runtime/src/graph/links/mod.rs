//! What the one side keeps of its children: one [`Link`] per two-way reference, last-N list and counter, found in the registry.
//!
//! The child is the source of truth, its reference says where it belongs. A write of a child that changes what its parents keep
//! flags the child as a change of a source flags it for its copies: the link's name is in `_dn.p`, and under `_dn.o` the parents
//! that it had before.

#[cfg(feature = "driver")]
mod moved;

use std::collections::BTreeMap;

use bson::{Bson, Document, RawDocument};

#[cfg(feature = "driver")]
pub(crate) use self::moved::moved;
#[cfg(feature = "driver")]
use super::flags;
#[cfg(feature = "driver")]
use super::source::Source;
use crate::bson_util::id_key::IdKey;
use crate::bson_util::path::{join, overlap, raw_at};
use crate::codec::outdated::FIELD;
use crate::schema::model::ModelMeta;
use crate::schema::relation::{Derived, DerivedRow, RelationRow};
use crate::schema::rows::{FieldRow, Kind};

/// One field of the one side, and the reference of the children that it follows.
#[derive(Debug)]
pub(crate) struct Link {
    /// `persons.tasks`: the collection and the stored field of the one side.
    pub(crate) name: String,
    /// The model of the children, whose reference is the truth.
    pub(crate) child: &'static ModelMeta,
    /// The model that keeps something of them.
    pub(crate) host: &'static ModelMeta,
    /// The stored name of the children's field that refers.
    pub(crate) row: &'static str,
    /// The stored path of the id in it: `owner`, or `owner.id` of an entry.
    pub(crate) reference: String,
    /// Whether a child refers to many parents.
    pub(crate) many: bool,
    /// The stored name of the one side's field.
    pub(crate) field: &'static str,
    /// What is kept there.
    pub(crate) keeps: Keeps,
}

/// What the one side keeps of its children.
#[derive(Debug)]
pub(crate) enum Keeps {
    /// Their ids.
    Ids {
        /// How many at most; 0 for no bound.
        max: u64,
    },
    /// The last ones of them.
    Recent(Recent),
    /// How many there are.
    Count,
}

/// A list of the last children.
#[derive(Debug)]
pub(crate) struct Recent {
    /// How many.
    pub(crate) max: u64,
    /// The stored name of the field that says which are the last: in the child, and in the list.
    pub(crate) by: (&'static str, &'static str),
    /// Whether the list begins with the last one.
    pub(crate) newest_first: bool,
    /// With each field its stored name in the child and in the list.
    pub(crate) shown: Vec<(&'static str, &'static str)>,
}

impl Link {
    /// The parents that a child belongs to.
    pub(crate) fn parents(&self, child: &RawDocument) -> Vec<Bson> {
        let value = raw_at(child, &self.reference);
        let value = value.and_then(|value| Bson::try_from(value).ok());
        ids(value.as_ref()).to_vec()
    }

    /// The same of some fields of it.
    pub(crate) fn parents_in(&self, child: &Document) -> Vec<Bson> {
        ids(crate::bson_util::path::at(child, &self.reference)).to_vec()
    }

    /// The same of a child that was read as a source; of one that is being deleted none.
    #[cfg(feature = "driver")]
    pub(crate) fn parents_of(&self, child: &Source) -> Vec<Bson> {
        if child.deleted {
            return Vec::new();
        }
        let mut parents = self.parents_in(&child.fields);
        parents.retain(|id| self.is_truth(&child.id, id));
        parents
    }

    /// Whether it is a two-way reference: the one side keeps ids.
    pub(crate) fn is_two_way(&self) -> bool {
        matches!(self.keeps, Keeps::Ids { .. })
    }

    /// Whether the field is its own other side.
    pub(crate) fn is_symmetric(&self) -> bool {
        self.child.collection == self.host.collection && self.row == self.field
    }

    /// Whether the child says whether the two belong together. Where the field is its own other side, one of both does.
    pub(crate) fn is_truth(&self, child: &Bson, parent: &Bson) -> bool {
        !self.is_symmetric() || IdKey::new(child) < IdKey::new(parent)
    }

    /// The parents that a child had before, as far as they have not been told yet; without those that it has now.
    #[cfg(feature = "driver")]
    pub(crate) fn left_by(&self, child: &Source) -> Vec<Bson> {
        let now = self.parents_of(child);
        let dn = child.fields.get_document("_dn").ok();
        let old = dn.and_then(|dn| dn.get_document("o").ok()?.get_array(self.row).ok());
        let old = old.into_iter().flatten();
        let old = old.filter(|id| !now.contains(id) && self.is_truth(&child.id, id));
        old.cloned().collect()
    }

    /// The marks of this link in a parent.
    #[cfg(feature = "driver")]
    pub(crate) fn marks<'d>(&self, host: &'d Document) -> impl Iterator<Item = &'d Document> {
        let ours = |mark: &&Document| mark.get_str("e").is_ok_and(|name| name == self.name);
        flags::marks(host, "v").filter(ours)
    }

    /// The children's field.
    pub(crate) fn child_row(&self) -> Option<&'static FieldRow> {
        top(self.child).into_iter().find(|row| row.name == self.row)
    }

    /// The one side's field.
    pub(crate) fn host_row(&self) -> Option<&'static FieldRow> {
        top(self.host)
            .into_iter()
            .find(|row| row.name == self.field)
    }

    /// How many ids the one side keeps at most; 0 for no bound.
    pub(crate) fn max(&self) -> u64 {
        match self.keeps {
            Keeps::Ids { max } => max,
            Keeps::Recent(_) | Keeps::Count => 0,
        }
    }

    /// The one side's field, as the model names it: `Person.tasks`.
    pub(crate) fn shown(&self) -> String {
        let rust = self.host_row().map_or(self.field, |row| row.rust);
        format!("{}.{rust}", self.host.name)
    }

    /// Whether the link is flagged in `_dn.p`; counters have flags of their own.
    pub(crate) fn is_pending_by_name(&self) -> bool {
        !self.counts()
    }

    /// Whether it is a number of children.
    pub(crate) fn counts(&self) -> bool {
        matches!(self.keeps, Keeps::Count)
    }

    /// The stored names of the children's fields whose change the parent sees.
    pub(crate) fn seen(&self) -> impl Iterator<Item = &str> {
        let shown = match &self.keeps {
            Keeps::Recent(recent) => recent.shown.as_slice(),
            Keeps::Ids { .. } | Keeps::Count => &[],
        };
        std::iter::once(self.row).chain(shown.iter().map(|(from, _)| *from))
    }

    /// Whether a change at one of these stored paths changes what the parents keep.
    pub(crate) fn sees(&self, changed: &[&str]) -> bool {
        self.seen()
            .any(|name| changed.iter().any(|path| overlap(name, path)))
    }
}

/// One id, several, or none.
fn ids(value: Option<&Bson>) -> &[Bson] {
    match value {
        None | Some(Bson::Null) => &[],
        Some(Bson::Array(ids)) => ids,
        Some(id) => std::slice::from_ref(id),
    }
}

/// Every link among these models, each once.
pub(crate) fn among(models: &[&'static ModelMeta]) -> Vec<Link> {
    let mut found: BTreeMap<String, Link> = BTreeMap::new();
    for model in models {
        for row in top(model) {
            let link = match (row.derived, row.relation) {
                (Some(derived), _) => kept(model, row, derived),
                (None, Some(relation)) => two_way(model, row, relation),
                (None, None) => None,
            };
            if let Some(link) = link {
                found.entry(link.name.clone()).or_insert(link);
            }
        }
    }
    found.into_values().collect()
}

/// The fields at the top of a model's documents, flattened ones among them.
fn top(model: &'static ModelMeta) -> Vec<&'static FieldRow> {
    fn add(rows: &'static [FieldRow], out: &mut Vec<&'static FieldRow>) {
        for row in rows {
            match (row.name.is_empty(), row.shape) {
                (true, Some(inner)) if row.kind != Kind::Map => add(inner.fields, out),
                _ => out.push(row),
            }
        }
    }
    let mut out = Vec::new();
    add(model.shape.fields, &mut out);
    out
}

fn named(model: &'static ModelMeta, rust: &str) -> Option<&'static FieldRow> {
    top(model).into_iter().find(|row| row.rust == rust)
}

fn reference_path(row: &FieldRow, relation: &RelationRow) -> String {
    if relation.entry {
        join(row.name, relation.entry_id)
    } else {
        row.name.to_owned()
    }
}

/// Where an element has what says which are the last, if it does not show it.
const HIDDEN: &str = "_by";

/// The link that a counter or a last-N list is.
fn kept(host: &'static ModelMeta, field: &FieldRow, derived: &DerivedRow) -> Option<Link> {
    let child = (derived.child)();
    let refers = |row: &&'static FieldRow| {
        row.relation.is_some_and(|relation| {
            !relation.many && (relation.target)().collection == host.collection
        })
    };
    let row = match derived.via {
        Some(rust) => named(child, rust).filter(refers)?,
        None => top(child).into_iter().find(refers)?,
    };
    let keeps = match derived.what {
        Derived::Count => Keeps::Count,
        Derived::Recent { max, sort, fields } => {
            let entry = field.shape?.fields;
            let in_entry = |rust: &str| entry.iter().find(|row| row.rust == rust);
            let mut shown: Vec<(&str, &str)> = fields
                .iter()
                .filter_map(|rust| Some((named(child, rust)?.name, in_entry(rust)?.name)))
                .collect();
            // What the order needs is there, shown or not.
            let sorted = named(child, sort.0)?.name;
            let by = match shown.iter().find(|(from, _)| *from == sorted) {
                Some(shown) => *shown,
                None => {
                    let by = (sorted, HIDDEN);
                    shown.push(by);
                    by
                }
            };
            Keeps::Recent(Recent {
                max,
                by,
                newest_first: sort.1,
                shown,
            })
        }
    };
    Some(Link {
        name: format!("{}.{}", host.collection, field.name),
        child,
        host,
        row: row.name,
        reference: reference_path(row, row.relation?),
        many: false,
        field: field.name,
        keeps,
    })
}

/// The link that a two-way reference is, as its truth declares it: the side with one id, or of two arrays the first by name.
fn two_way(
    model: &'static ModelMeta,
    row: &'static FieldRow,
    relation: &'static RelationRow,
) -> Option<Link> {
    let other = (relation.target)();
    let back = named(other, relation.inverse?)?;
    let name = format!("{}.{}", other.collection, back.name);
    if relation.many
        && (!back.relation?.many || name < format!("{}.{}", model.collection, row.name))
    {
        return None;
    }
    Some(Link {
        name,
        child: model,
        host: other,
        row: row.name,
        reference: reference_path(row, relation),
        many: relation.many,
        field: back.name,
        keeps: Keeps::Ids { max: back.max },
    })
}

/// The fields of a model that the library keeps, and no program writes: with each what it is when it says nothing.
pub(crate) fn derived_fields(links: &[Link], collection: &str) -> Vec<(&'static str, Bson)> {
    links
        .iter()
        .filter(|link| link.host.collection == collection)
        .map(|link| match link.keeps {
            Keeps::Count => (link.field, Bson::Int64(0)),
            Keeps::Ids { .. } | Keeps::Recent(_) => (link.field, Bson::Array(Vec::new())),
        })
        .collect()
}

/// Whether a stored value of such a field says nothing.
pub(crate) fn says_nothing(value: &Bson) -> bool {
    match value {
        Bson::Array(list) => list.is_empty(),
        Bson::Int32(n) => *n == 0,
        Bson::Int64(n) => *n == 0,
        Bson::Null => true,
        _ => false,
    }
}

/// What of the fields of a source a link reads.
pub(crate) fn fields(link: &Link, fields: &mut Document) {
    for name in link.seen() {
        fields.insert(name, 1);
    }
    let schema = link.child.schema;
    if schema.is_some_and(|schema| schema.migrate.is_some()) {
        fields.insert(FIELD, 1);
    }
}
