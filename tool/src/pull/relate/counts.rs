//! Integers that equal the number of children.

use std::collections::HashMap;

use bson::{Bson, Document, doc};
use futures::TryStreamExt;

use super::{Count, Reference};
use crate::connection::Connection;
use crate::failure::Result;
use crate::pull::profile::{Key, Kind, Values, share};
use crate::pull::source::{Class, Source};

/// Parents whose children are counted.
const PARENTS: i64 = 500;
const EQUAL: f64 = 0.75;

/// Finds the fields of parents that hold the number of their children.
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

async fn compare(
    connection: &Connection,
    sources: &[Source],
    (at, reference): (usize, &Reference),
    fields: &[&str],
) -> Result<Vec<Count>> {
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
    let ids: Vec<&Bson> = parents
        .iter()
        .filter_map(|parent| parent.get("_id"))
        .collect();
    let ids: Vec<Bson> = ids.into_iter().cloned().collect();
    let path = format!("${}", reference.path);
    let group = [
        doc! { "$match": { &reference.path: { "$in": ids } } },
        doc! { "$group": { "_id": path, "n": { "$sum": 1_i64 } } },
    ];
    let groups: Vec<Document> = collection(reference.from)
        .aggregate(group)
        .allow_disk_use(true)
        .await?
        .try_collect()
        .await?;
    let children: HashMap<Key, i64> = groups
        .iter()
        .filter_map(|group| Some((Key::of(group.get("_id")?)?, group.get_i64("n").ok()?)))
        .collect();
    let mut found = Vec::new();
    for field in fields {
        let (mut looked, mut equal, mut some, mut chance) = (0, 0, 0, 0);
        let mut previous = None;
        for parent in &parents {
            let (Some(key), Some(Key::Int(stored))) = (
                parent.get("_id").and_then(Key::of),
                parent.get(field).and_then(Key::of),
            ) else {
                continue;
            };
            let counted = children.get(&key).copied().unwrap_or(0);
            looked += 1;
            equal += u64::from(stored == counted);
            some += u64::from(counted > 0 && stored == counted);
            chance += u64::from(previous == Some(stored));
            previous = Some(counted);
        }
        let (equals, by_chance) = (share(equal, looked), share(chance, looked));
        if equals >= EQUAL && some >= 3 && (equals - by_chance) / (1.0 - by_chance).max(0.01) >= 0.5
        {
            let field = (*field).to_owned();
            found.push(Count {
                parent: reference.to,
                field,
                reference: at,
                looked,
                equal,
            });
        }
    }
    Ok(found)
}
