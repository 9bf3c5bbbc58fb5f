//! Integers that equal the number of children, or the sum of an integer of theirs: of all children, or of those with a value in a field.

use std::collections::HashMap;

use bson::{Bson, Document, doc};
use futures::TryStreamExt;

use super::{Amount, Count, Reference};
use crate::connection::Connection;
use crate::failure::Result;
use crate::pull::profile::{Key, Kind, Values, share};
use crate::pull::source::{Class, Source};

/// Parents whose children are counted.
const PARENTS: i64 = 500;
const EQUAL: f64 = 0.75;
/// The share of equal totals that sums and conditions need: many of them are tried.
const EQUAL_OF_MANY: f64 = 0.8;
/// The number of fields that are added up, and the number of conditions that are tried.
const SUMS: usize = 8;
const CONDITIONS: usize = 12;
/// A text with more values than this is no condition.
const VALUES: usize = 6;

/// Finds the fields of parents that hold the number of their children or a sum of theirs.
pub(crate) async fn count_children(
    connection: &Connection,
    sources: &[Source],
    references: &[Reference],
) -> Result<Vec<Count>> {
    let mut found = Vec::new();
    for (at, reference) in references.iter().enumerate() {
        let single = reference.key == "_id"
            && !reference.in_array
            && !reference.path.contains('.')
            && !reference.as_text;
        let parents = &sources[reference.to];
        let fields = parents
            .root
            .in_order()
            .into_iter()
            .filter(|(name, values)| *name != "_id" && is_count(values));
        let fields: Vec<&str> = fields.map(|(name, _)| name).collect();
        if !single || fields.is_empty() || parents.class != Class::Plain {
            continue;
        }
        found.extend(compare(connection, sources, (at, reference), &fields).await?);
    }
    Ok(found)
}

fn is_count(values: &Values) -> bool {
    matches!(values.main_kind(), Some((Kind::Int32 | Kind::Int64, share)) if share > 0.5)
}

/// The amounts that are compared: the plain count, then sums of all children, then both with a condition.
fn amounts(children: &Source, reference: &str) -> Vec<Amount> {
    let named = children.root.in_order().into_iter();
    let named: Vec<(&str, &Values)> = named
        .filter(|(name, _)| *name != "_id" && *name != reference)
        .collect();
    let integers = named
        .iter()
        .filter(|(_, values)| values.is_only(&[Kind::Int32, Kind::Int64]));
    let sums = integers
        .take(SUMS)
        .map(|(name, _)| Some((*name).to_owned()));
    let sums: Vec<Option<String>> = std::iter::once(None).chain(sums).collect();
    let everywhere = named
        .iter()
        .filter(|(_, values)| values.nulls == 0 && values.count == children.read);
    let conditions = everywhere.flat_map(|(name, values)| {
        let values = condition_values(values).into_iter();
        values.map(|value| Some(((*name).to_owned(), value)))
    });
    let conditions: Vec<_> = std::iter::once(None)
        .chain(conditions.take(CONDITIONS))
        .collect();
    let pairs = conditions.into_iter().flat_map(|only| {
        let sums = sums.iter().cloned();
        sums.map(move |sum| Amount {
            sum,
            only: only.clone(),
        })
    });
    pairs.collect()
}

/// The values that a condition on the field may name.
fn condition_values(values: &Values) -> Vec<Bson> {
    let text = &values.text;
    match values.only_kind() {
        Some(Kind::Bool) => vec![Bson::Boolean(true), Bson::Boolean(false)],
        Some(Kind::String) if text.others == 0 && text.distinct.len() <= VALUES => {
            let distinct = text.distinct.keys();
            distinct.map(|value| Bson::from(&**value)).collect()
        }
        _ => Vec::new(),
    }
}

/// The amount that a child adds, as an expression.
fn expression(amount: &Amount) -> Bson {
    let added = match &amount.sum {
        Some(field) => Bson::from(format!("${field}")),
        None => Bson::Int64(1),
    };
    match &amount.only {
        Some((field, value)) => {
            let meets = doc! { "$eq": [format!("${field}"), { "$literal": value }] };
            doc! { "$cond": [meets, added, 0_i64] }.into()
        }
        None => added,
    }
}

/// The fields of one parent collection beside the amounts of its children.
struct Comparison {
    parents: Vec<Document>,
    amounts: Vec<Amount>,
    /// The totals of each parent that has children, in the order of the amounts.
    totals: HashMap<Key, Vec<i64>>,
}

async fn compare(
    connection: &Connection,
    sources: &[Source],
    (at, reference): (usize, &Reference),
    fields: &[&str],
) -> Result<Vec<Count>> {
    let comparison = read(connection, sources, reference, fields).await?;
    let best = fields.iter().filter_map(|field| {
        let (amount, looked, equal) = comparison.best(field)?;
        Some(Count {
            parent: reference.to,
            field: (*field).to_owned(),
            reference: at,
            amount: amount.clone(),
            looked,
            equal,
        })
    });
    Ok(best.collect())
}

async fn read(
    connection: &Connection,
    sources: &[Source],
    reference: &Reference,
    fields: &[&str],
) -> Result<Comparison> {
    let collection = |source: usize| connection.db.collection::<Document>(&sources[source].name);
    let mut projection = doc! { "_id": 1 };
    fields.iter().for_each(|field| {
        projection.insert(*field, 1);
    });
    let sample = [
        doc! { "$sample": { "size": PARENTS } },
        doc! { "$project": projection },
    ];
    let parents: Vec<Document> = collection(reference.to)
        .aggregate(sample)
        .await?
        .try_collect()
        .await?;
    let ids = parents.iter().filter_map(|parent| parent.get("_id"));
    let ids: Vec<Bson> = ids.cloned().collect();
    let amounts = amounts(&sources[reference.from], &reference.path);
    let mut totals = doc! { "_id": format!("${}", reference.path) };
    for (nth, amount) in amounts.iter().enumerate() {
        totals.insert(total(nth), doc! { "$sum": expression(amount) });
    }
    let group = [
        doc! { "$match": { &reference.path: { "$in": ids } } },
        doc! { "$group": totals },
    ];
    let groups: Vec<Document> = collection(reference.from)
        .aggregate(group)
        .allow_disk_use(true)
        .await?
        .try_collect()
        .await?;
    let totals = groups.iter().filter_map(|group| {
        let integer = |nth| match group.get(total(nth)).and_then(Key::of) {
            Some(Key::Int(total)) => Some(total),
            // A sum that leaves 64 bits is a double.
            _ => None,
        };
        let totals: Option<Vec<i64>> = (0..amounts.len()).map(integer).collect();
        Some((Key::of(group.get("_id")?)?, totals?))
    });
    Ok(Comparison {
        totals: totals.collect(),
        parents,
        amounts,
    })
}

/// The name of a total in a group.
fn total(nth: usize) -> String {
    format!("n{nth}")
}

impl Comparison {
    /// The amount whose totals a field holds in most parents, with the numbers of parents that were compared and that are equal. Of several
    /// that are equally good it is the first, which is the simplest.
    fn best(&self, field: &str) -> Option<(&Amount, u64, u64)> {
        let mut best: Option<(&Amount, u64, u64)> = None;
        for (nth, amount) in self.amounts.iter().enumerate() {
            let Some((looked, equal)) = self.equal(field, nth) else {
                continue;
            };
            if best.is_none_or(|(_, _, most)| equal > most) {
                best = Some((amount, looked, equal));
            }
        }
        best
    }

    /// The number of parents that were compared with the totals of an amount, and of those that hold the total; `None` if that is chance.
    fn equal(&self, field: &str, nth: usize) -> Option<(u64, u64)> {
        let (mut looked, mut equal, mut some, mut chance) = (0, 0, 0, 0);
        let mut previous = None;
        for parent in &self.parents {
            let (Some(key), Some(Key::Int(stored))) = (
                parent.get("_id").and_then(Key::of),
                parent.get(field).and_then(Key::of),
            ) else {
                continue;
            };
            let totals = self.totals.get(&key);
            let total = totals.map_or(0, |totals| totals[nth]);
            looked += 1;
            equal += u64::from(stored == total);
            some += u64::from(total != 0 && stored == total);
            chance += u64::from(previous == Some(stored));
            previous = Some(total);
        }
        let (enough, least) = match nth {
            0 => (EQUAL, 3),
            _ => (EQUAL_OF_MANY, 10),
        };
        let (equals, by_chance) = (share(equal, looked), share(chance, looked));
        let beyond_chance = (equals - by_chance) / (1.0 - by_chance).max(0.01);
        (equals >= enough && some >= least && beyond_chance >= 0.5).then_some((looked, equal))
    }
}
