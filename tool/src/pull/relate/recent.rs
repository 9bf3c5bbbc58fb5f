//! Arrays in a parent that hold its newest children.

use std::collections::{BTreeMap, HashMap};

use bson::{Bson, Document, doc};
use futures::TryStreamExt;
use mongodb::Collection;

use super::measure::same;
use super::{Recent, Reference, split};
use crate::connection::Connection;
use crate::failure::Result;
use crate::pull::names::snake;
use crate::pull::profile::{Key, Kind, Values, share};
use crate::pull::source::{Class, Source};

/// Parents whose lists are compared.
const PARENTS: i64 = 200;
/// A list equals the newest children in this share of the parents at least.
const EQUAL: f64 = 0.75;
/// Parents with more children than their list holds: with fewer, a list of all children looks the same.
const OVERFLOWING: u64 = 3;
/// Fields by which the children may be ordered.
const ORDERS: usize = 6;
const LONGEST: u64 = 5_000;
/// Elements whose fields are compared with the child's.
const COMPARED: usize = 500;

/// A list that is compared: its array, and the reference by which the children name their parent.
struct List<'a> {
    array: &'a str,
    /// The field of an element that holds the child's `_id`; `None` if the elements are the ids.
    id: Option<&'a str>,
    /// The places of the references from the elements to the children, and from the children to the parent.
    to_child: usize,
    to_parent: usize,
}

/// The numbers of lists that agree with an order of the children.
#[derive(Default)]
struct Counts {
    looked: u64,
    /// Lists with the newest child first, with the newest last, and in any order.
    descending: u64,
    ascending: u64,
    unordered: u64,
    /// The numbers of parents with more children than their list holds.
    overflowing: u64,
    overflowing_equal: u64,
}

/// Finds the arrays of parents that hold their newest children.
pub(crate) async fn find_recent(
    connection: &Connection,
    sources: &[Source],
    references: &[Reference],
) -> Result<Vec<Recent>> {
    let mut found = Vec::new();
    for list in lists(references) {
        let parents = &sources[references[list.to_child].from];
        if parents.class != Class::Plain {
            continue;
        }
        let lengths = parents.root.get(list.array).map(|array| &array.lengths);
        let max = lengths.map_or(0, |lengths| lengths.max);
        if (1..=LONGEST).contains(&max) {
            found.extend(compare(connection, sources, references, &list, max).await?);
        }
    }
    Ok(found)
}

/// Arrays at the top of a collection whose elements refer to documents that refer back by a single field.
fn lists(references: &[Reference]) -> Vec<List<'_>> {
    let mut out = Vec::new();
    for (to_child, inner) in references.iter().enumerate() {
        let (array, id) = match split(&inner.path) {
            ("", array) if inner.in_array => (array, None),
            (array, id) if !inner.in_array && !array.is_empty() && !array.contains('.') => {
                (array, Some(id))
            }
            _ => continue,
        };
        let back = |outer: &Reference| {
            (outer.from, outer.to) == (inner.to, inner.from)
                && outer.key == "_id"
                && !outer.in_array
                && !outer.as_text
                && !outer.path.contains('.')
        };
        if inner.key != "_id" || inner.as_text {
            continue;
        }
        let backs = references.iter().enumerate();
        out.extend(
            backs
                .filter(|(_, outer)| back(outer))
                .map(|(to_parent, _)| List {
                    array,
                    id,
                    to_child,
                    to_parent,
                }),
        );
    }
    out
}

async fn compare(
    connection: &Connection,
    sources: &[Source],
    references: &[Reference],
    list: &List<'_>,
    max: u64,
) -> Result<Option<Recent>> {
    let (inner, outer) = (&references[list.to_child], &references[list.to_parent]);
    let collection = |source: usize| connection.db.collection::<Document>(&sources[source].name);
    let stages = [
        doc! { "$match": { format!("{}.0", list.array): { "$exists": true } } },
        doc! { "$sample": { "size": PARENTS } },
        doc! { "$project": { list.array: 1 } },
    ];
    let parents = collection(inner.from).aggregate(stages).await?;
    let parents: Vec<Document> = parents.try_collect().await?;
    let stored: Vec<(Bson, Vec<Key>)> = parents
        .iter()
        .filter_map(|parent| Some((parent.get("_id")?.clone(), ids_of(parent, list)?)))
        .collect();
    let ids: Vec<&Bson> = stored.iter().map(|(id, _)| id).collect();
    let mut best: Option<(u64, String, Counts)> = None;
    for order in orders(&sources[inner.to]) {
        let all = collection(inner.to);
        let newest = newest_by(&all, &outer.path, &ids, &order, max).await?;
        let counts = count(&stored, &newest, max);
        if best
            .as_ref()
            .is_none_or(|(equal, _, _)| counts.unordered > *equal)
        {
            best = Some((counts.unordered, order, counts));
        }
    }
    let Some((_, sort, counts)) = best else {
        return Ok(None);
    };
    let enough = counts.overflowing >= OVERFLOWING
        && share(counts.unordered, counts.looked) >= EQUAL
        && share(counts.overflowing_equal, counts.overflowing) >= EQUAL;
    if !enough {
        return Ok(None);
    }
    let ordered = counts.descending.max(counts.ascending);
    let shown = match list.id {
        Some(id) => find_shown(&collection(inner.to), &parents, list.array, id).await?,
        None => Vec::new(),
    };
    Ok(Some(Recent {
        array: list.array.to_owned(),
        shown,
        id: list.id.map(str::to_owned),
        to_child: list.to_child,
        to_parent: list.to_parent,
        sort,
        descending: counts.descending >= counts.ascending,
        is_ordered: share(ordered, counts.looked) >= EQUAL,
        max,
        looked: counts.looked,
        equal: if share(ordered, counts.looked) >= EQUAL {
            ordered
        } else {
            counts.unordered
        },
    }))
}

/// The number of children of each parent, and the newest of them.
async fn newest_by(
    children: &Collection<Document>,
    reference: &str,
    parents: &[&Bson],
    order: &str,
    max: u64,
) -> Result<HashMap<Key, (u64, Vec<Key>)>> {
    let found = children
        .find(doc! { reference: { "$in": parents } })
        .sort(doc! { order: -1, "_id": -1 })
        .projection(doc! { reference: 1 })
        .allow_disk_use(true);
    let mut children = found.await?;
    let mut newest: HashMap<Key, (u64, Vec<Key>)> = HashMap::new();
    while let Some(child) = children.try_next().await? {
        let (Some(parent), Some(id)) = (
            child.get(reference).and_then(Key::of),
            child.get("_id").and_then(Key::of),
        ) else {
            continue;
        };
        let (all, first) = newest.entry(parent).or_default();
        *all += 1;
        if (first.len() as u64) < max {
            first.push(id);
        }
    }
    Ok(newest)
}

/// The fields of the elements that equal the child's field of the same Rust name.
async fn find_shown(
    children: &Collection<Document>,
    parents: &[Document],
    array: &str,
    id: &str,
) -> Result<Vec<(String, String)>> {
    let elements = parents
        .iter()
        .filter_map(|parent| parent.get_array(array).ok())
        .flatten()
        .filter_map(Bson::as_document)
        .take(COMPARED);
    let elements: Vec<&Document> = elements.collect();
    let ids: Vec<&Bson> = elements
        .iter()
        .filter_map(|element| element.get(id))
        .collect();
    let found = children.find(doc! { "_id": { "$in": ids } }).await?;
    let found: Vec<Document> = found.try_collect().await?;
    let by_id: HashMap<Key, &Document> = found
        .iter()
        .filter_map(|child| Some((Key::of(child.get("_id")?)?, child)))
        .collect();
    let mut counted: BTreeMap<(&str, &str), u64> = BTreeMap::new();
    let mut looked: BTreeMap<&str, u64> = BTreeMap::new();
    for element in elements {
        let Some(child) = element
            .get(id)
            .and_then(Key::of)
            .and_then(|id| by_id.get(&id))
        else {
            continue;
        };
        for (name, value) in element.iter().filter(|(name, _)| *name != id) {
            *looked.entry(name).or_default() += 1;
            let equal = child
                .iter()
                .filter(|(other, own)| snake(other) == **name && same(own, value));
            equal.for_each(|(other, _)| *counted.entry((name, other)).or_default() += 1);
        }
    }
    let enough = |((name, _), equal): &(&(&str, &str), &u64)| {
        share(**equal, looked.get(name).copied().unwrap_or_default()) >= EQUAL
    };
    let shown = counted.iter().filter(enough);
    Ok(shown
        .map(|((name, other), _)| ((*name).to_owned(), (*other).to_owned()))
        .collect())
}

/// The ids in a parent's list.
fn ids_of(parent: &Document, list: &List<'_>) -> Option<Vec<Key>> {
    let elements = parent.get_array(list.array).ok()?;
    let id = |element: &Bson| match list.id {
        None => Key::of(element),
        Some(id) => Key::of(element.as_document()?.get(id)?),
    };
    Some(elements.iter().filter_map(id).collect())
}

/// Fields with an order: dates first, then the `_id`, then numbers.
fn orders(children: &Source) -> Vec<String> {
    let rank = |values: &Values| match values.main_kind()? {
        (Kind::Date, share) if share > 0.8 => Some(0),
        (Kind::Int32 | Kind::Int64 | Kind::Double, share) if share > 0.8 => Some(2),
        _ => None,
    };
    let fields = children.root.in_order().into_iter();
    let mut ranked: Vec<(u8, &str)> = fields
        .filter(|(name, _)| !name.contains('.') && !name.starts_with('$') && !name.is_empty())
        .filter_map(|(name, values)| match name {
            "_id" => Some((1, name)),
            name => Some((rank(values)?, name)),
        })
        .collect();
    ranked.sort_by_key(|(rank, _)| *rank);
    ranked.truncate(ORDERS);
    ranked
        .into_iter()
        .map(|(_, name)| name.to_owned())
        .collect()
}

fn count(stored: &[(Bson, Vec<Key>)], newest: &HashMap<Key, (u64, Vec<Key>)>, max: u64) -> Counts {
    let mut out = Counts::default();
    let none = (0, Vec::new());
    for (parent, list) in stored {
        let Some(key) = Key::of(parent) else { continue };
        let (all, first) = newest.get(&key).unwrap_or(&none);
        let same = |a: &[Key], b: &[Key]| {
            let sorted = |keys: &[Key]| {
                let mut keys = keys.to_vec();
                keys.sort();
                keys
            };
            sorted(a) == sorted(b)
        };
        let equal = same(list, first);
        out.looked += 1;
        out.unordered += u64::from(equal);
        out.descending += u64::from(list == first);
        out.ascending += u64::from(list.iter().eq(first.iter().rev()));
        if *all > max {
            out.overflowing += 1;
            out.overflowing_equal += u64::from(equal);
        }
    }
    out
}
