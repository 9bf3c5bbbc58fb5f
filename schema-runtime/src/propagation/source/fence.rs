//! Sources that have lost their revision because of another program.

use bson::{Bson, doc};

use crate::bson_util::id_key::IdKey;
use crate::driver::{self, Database};
use crate::error::Result;
use crate::graph::edges::Edges;
use crate::graph::flags;
use crate::graph::source::Source;
use crate::propagation::newest::newest_copies;
use crate::propagation::source_reads::fields;
use crate::schema::stored;

/// A revision of 1 after a change means that the document had none, because another program replaced it. So does a revision that equals the
/// number of raises: then several writers changed the document before it was checked here. Copies of the former document may be newer, so
/// that the source gets a revision above all of them, and every edge becomes pending (PROTOCOL 15.A3). The clock alone cannot give that
/// revision: it may be behind the clock of the program that wrote the copies.
pub(super) async fn fence_wiped_sources(
    db: &Database,
    collection: &str,
    sources: Vec<Source>,
) -> Result<Vec<Source>> {
    let wiped = |source: &Source| source.is_wiped() && !source.deleted;
    let ids: Vec<Bson> = sources
        .iter()
        .filter(|source| wiped(source))
        .map(|source| source.id.clone())
        .collect();
    if ids.is_empty() {
        return Ok(sources);
    }
    let all = Edges::get().flagged(collection);
    let mut updates = Vec::new();
    let lost: Vec<&Source> = sources.iter().filter(|source| wiped(source)).collect();
    let newest = newest_copies(db, collection, &lost).await?;
    for source in lost {
        let r = source
            .fields
            .get_document(stored::OWN)
            .ok()
            .and_then(|dn| dn.get(stored::key::REVISION));
        let same = r.map_or_else(|| doc! { "$exists": false }, |r| doc! { "$eq": r });
        let newest = newest.get(&IdKey::new(&source.id)).copied().unwrap_or(0);
        let above = flags::far_revision().max(newest.saturating_add(1));
        updates.push(doc! {
            "q": { "_id": { "$eq": &source.id }, stored::REVISION: same },
            "u": [flags::raised(above, Some(&all))],
        });
    }
    driver::statements(db, collection, &updates, false, None).await?;
    let again = driver::durable_read(db, collection, "_id", &ids, &fields(collection)).await?;
    let mut kept: Vec<Source> = sources
        .into_iter()
        .filter(|source| !wiped(source))
        .collect();
    // A source that is still wiped was wiped once more in between, and stays flagged.
    kept.extend(
        again
            .into_iter()
            .map(Source::read)
            .filter(|source| !wiped(source)),
    );
    Ok(kept)
}
