//! Queries that the server's profiler recorded: those that read a whole collection, or sort in memory.

use std::collections::BTreeMap;

use bson::{Bson, Document, doc};
use futures::TryStreamExt;

use super::source::Source;
use crate::connection::Connection;
use crate::failure::Result;

/// Records that are read, the newest first.
const RECORDS: i64 = 20_000;

/// Queries of one shape.
#[derive(Debug, Clone)]
pub(crate) struct Query {
    /// The place of the collection among the sources.
    pub(crate) source: usize,
    pub(crate) shape: Shape,
    pub(crate) times: u64,
    /// The longest time, in milliseconds.
    pub(crate) slowest: i64,
    /// The greatest number of documents that one of them read.
    pub(crate) examined: i64,
}

/// The stored paths that a query names, as an index would have them: equal values, the order, ranges.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Shape {
    pub(crate) equal: Vec<String>,
    /// Paths, each with true if it descends.
    pub(crate) order: Vec<(String, bool)>,
    pub(crate) ranges: Vec<String>,
}

/// Reads the profiler's records; none where it was never on, or where the user may not read them.
pub(crate) async fn read(connection: &Connection, sources: &[Source]) -> Result<Vec<Query>> {
    let slow = doc! {
        "op": { "$in": ["query", "command"] },
        "$or": [{ "planSummary": { "$regex": "COLLSCAN" } }, { "hasSortStage": true }],
    };
    let profile = connection.db.collection::<Document>("system.profile");
    let found = profile.find(slow).sort(doc! { "$natural": -1 });
    let Ok(mut records) = found.limit(RECORDS).await else {
        return Ok(Vec::new());
    };
    let mut shapes: BTreeMap<(usize, Shape), Query> = BTreeMap::new();
    while let Some(record) = records.try_next().await? {
        let Some((source, shape)) = shape_of(connection.db.name(), sources, &record) else {
            continue;
        };
        let number = |name: &str| match record.get(name) {
            Some(Bson::Int32(n)) => i64::from(*n),
            Some(Bson::Int64(n)) => *n,
            _ => 0,
        };
        let query = shapes.entry((source, shape.clone())).or_insert(Query {
            source,
            shape,
            times: 0,
            slowest: 0,
            examined: 0,
        });
        query.times += 1;
        query.slowest = query.slowest.max(number("millis"));
        query.examined = query.examined.max(number("docsExamined"));
    }
    let mut all: Vec<Query> = shapes.into_values().collect();
    all.sort_by_key(|query| std::cmp::Reverse(query.times));
    Ok(all)
}

fn shape_of(database: &str, sources: &[Source], record: &Document) -> Option<(usize, Shape)> {
    let name = record.get_str("ns").ok()?.strip_prefix(database)?;
    let name = name.strip_prefix('.')?;
    let source = sources.iter().position(|source| source.name == name)?;
    let command = record.get_document("command").ok()?;
    let none = Document::new();
    let (filter, sort) = match command.get_array("pipeline") {
        Ok(stages) => {
            let stage = |at: usize, name: &str| {
                let stage = stages.get(at)?.as_document()?;
                stage.get_document(name).ok()
            };
            let filter = stage(0, "$match");
            let sort = stage(usize::from(filter.is_some()), "$sort");
            (filter, sort)
        }
        Err(_) => (
            command
                .get_document("filter")
                .or_else(|_| command.get_document("query"))
                .ok(),
            command.get_document("sort").ok(),
        ),
    };
    let shape = Shape::of(filter.unwrap_or(&none), sort.unwrap_or(&none))?;
    Some((source, shape))
}

impl Shape {
    /// The shape of a filter and an order; `None` if no index of these fields would serve them.
    fn of(filter: &Document, sort: &Document) -> Option<Self> {
        let mut shape = Shape::default();
        for (path, condition) in filter {
            if path.starts_with('$') {
                return None;
            }
            match condition {
                Bson::Document(operators) if operators.keys().any(|key| key.starts_with('$')) => {
                    let equal = operators.keys().all(|key| key == "$eq" || key == "$in");
                    let range = operators
                        .keys()
                        .all(|key| ["$gt", "$gte", "$lt", "$lte"].contains(&key.as_str()));
                    match (equal, range) {
                        (true, _) => shape.equal.push(path.clone()),
                        (_, true) => shape.ranges.push(path.clone()),
                        _ => return None,
                    }
                }
                Bson::RegularExpression(_) => return None,
                _ => shape.equal.push(path.clone()),
            }
        }
        for (path, direction) in sort {
            let descends = match direction {
                Bson::Int32(n) => *n < 0,
                Bson::Int64(n) => *n < 0,
                Bson::Double(n) => *n < 0.0,
                _ => return None,
            };
            shape.order.push((path.clone(), descends));
        }
        shape.equal.sort();
        let order = std::mem::take(&mut shape.order);
        let fixed = |path: &String| shape.equal.contains(path);
        shape.order = order.into_iter().filter(|(path, _)| !fixed(path)).collect();
        let ordered = |path: &String| shape.order.iter().any(|(own, _)| own == path);
        shape.ranges.retain(|path| !ordered(path));
        let keys = shape.keys();
        let only_id = keys.len() == 1 && keys[0].0 == "_id";
        (!keys.is_empty() && !only_id).then_some(shape)
    }

    /// The keys of an index that serves it, each with true if it descends.
    pub(crate) fn keys(&self) -> Vec<(String, bool)> {
        let equal = self.equal.iter().map(|path| (path.clone(), false));
        let ranges = self.ranges.iter().map(|path| (path.clone(), false));
        let order = self.order.iter().cloned();
        equal.chain(order).chain(ranges).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_index_has_equal_values_then_the_order_then_ranges() {
        let filter = doc! { "total": { "$gt": 5 }, "state": "open", "kind": { "$in": [1, 2] } };
        let shape = Shape::of(&filter, &doc! { "placed": -1, "state": 1 }).expect("a shape");
        let keys = shape.keys();
        let keys: Vec<(&str, bool)> = keys.iter().map(|(path, desc)| (&**path, *desc)).collect();
        let expected = [
            ("kind", false),
            ("state", false),
            ("placed", true),
            ("total", false),
        ];
        assert_eq!(keys, expected);
    }

    #[test]
    fn no_index_of_its_fields_serves_every_query() {
        for filter in [
            doc! { "$or": [{ "a": 1 }, { "b": 1 }] },
            doc! { "a": { "$exists": false } },
            doc! { "a": { "$ne": 1 } },
            doc! { "_id": 1 },
            doc! {},
        ] {
            assert_eq!(Shape::of(&filter, &doc! {}), None, "{filter}");
        }
    }
}
