//! The newest revision that the copies of a source have.

use std::collections::HashMap;

use bson::{Bson, Document};

use super::source_reads::SOURCES;
use crate::bson_util::id_key::IdKey;
use crate::bson_util::number::integer;
use crate::driver::{self, Database};
use crate::error::{Error, Result};
use crate::graph::edges::{Edge, Edges};
use crate::graph::links::{Keeps, find_periods};
use crate::graph::source::Source;
use crate::schema::stored;

/// The highest revision of the copies of each of these sources, in documents that refer to it and in the lists of its parents, by the `_id`
/// of the source. A source without copies has no entry.
///
/// # Errors
/// [`Error::MissingIndex`] if a reference has no index, and the driver's.
pub(crate) async fn newest_copies(
    db: &Database,
    collection: &str,
    sources: &[&Source],
) -> Result<HashMap<IdKey, i64>> {
    let mut newest = HashMap::new();
    for sources in sources.chunks(SOURCES) {
        for edge in Edges::get().out_of(collection) {
            let of_edge = by_key(db, edge, sources).await?;
            let r = |source: &Source| of_edge.get(&IdKey::new(source.key(edge)?)).copied();
            for source in sources {
                raise(&mut newest, &source.id, r(source));
            }
        }
        in_lists(db, collection, sources, &mut newest).await?;
    }
    Ok(newest)
}

fn raise(newest: &mut HashMap<IdKey, i64>, source: &Bson, r: Option<i64>) {
    if let Some(r) = r {
        let known = newest.entry(IdKey::new(source)).or_insert(r);
        *known = r.max(*known);
    }
}

/// The highest revisions along one edge, by the key that references hold. The server compares the revisions: a source may have a million
/// copies.
async fn by_key(db: &Database, edge: &Edge, sources: &[&Source]) -> Result<HashMap<IdKey, i64>> {
    let keys: Vec<&Bson> = sources
        .iter()
        .filter_map(|source| source.key(edge))
        .collect();
    let mut newest = HashMap::new();
    if keys.is_empty() {
        return Ok(newest);
    }
    let pipeline = edge.place.newest_revisions(&keys);
    let hint = edge.hint();
    let asked = driver::group_by_index(db, edge.target.collection, pipeline, hint, keys.len());
    let mut rows = asked.await.map_err(|error| match driver::refusal(&error) {
        Some((2, message)) if message.contains("hint provided") => Error::MissingIndex {
            reference: edge.name.clone(),
            collection: edge.target.collection,
            keys: edge.hint().to_string(),
        },
        _ => error,
    })?;
    while let Some(row) = rows.next(|raw| Ok(Document::try_from(raw).ok())).await? {
        let row = row.unwrap_or_default();
        if let (Some(key), Some(r)) = (row.get("_id"), integer(row.get("r"))) {
            newest.insert(IdKey::new(key), r);
        }
    }
    Ok(newest)
}

/// Raises the revisions to those of the entries in the lists of parents. Each list holds a source at most once.
async fn in_lists(
    db: &Database,
    collection: &str,
    sources: &[&Source],
    newest: &mut HashMap<IdKey, i64>,
) -> Result<()> {
    let links = Edges::get().links_of(collection);
    let mut dated: Vec<Source> = sources.iter().map(|one| (*one).clone()).collect();
    find_periods(db, collection, &mut dated).await?;
    for link in links.filter(|link| matches!(link.keeps, Keeps::Recent(_))) {
        let parents: HashMap<IdKey, Bson> = dated
            .iter()
            .flat_map(|source| link.parents_of(source))
            .map(|parent| (IdKey::new(&parent), parent))
            .collect();
        let parents: Vec<Bson> = parents.into_values().collect();
        let own: HashMap<IdKey, &Bson> = sources
            .iter()
            .map(|source| (IdKey::new(&source.id), &source.id))
            .collect();
        let fields = bson::doc! { "_id": 0, link.field: 1 };
        let host = link.host.collection;
        for parent in driver::read_by(db, host, "_id", &parents, &fields, None).await? {
            for entry in link.entries(&parent) {
                let source = entry
                    .get(stored::ENTRY_ID)
                    .and_then(|id| own.get(&IdKey::new(id)));
                if let Some(source) = source {
                    raise(newest, source, integer(entry.get(stored::COPY_REVISION)));
                }
            }
        }
    }
    Ok(())
}
