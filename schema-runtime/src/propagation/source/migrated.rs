//! Sources of an older schema.

use std::collections::HashMap;

use bson::{Bson, Document};

use crate::bson_util::id_key::IdKey;
use crate::codec::outdated::Outdated;
use crate::error::Result;
use crate::graph::edges::Edges;
use crate::graph::source::Source;
use crate::propagation::sources_by_key::ReadMode;
use crate::schema::migration::SchemaRow;
use crate::{Database, driver};

/// Sources as their readers see them: those of an older schema are read as a whole and migrated in memory, so that a copy never holds a
/// value that no reader of the source sees.
pub(crate) async fn migrate_sources(
    db: &Database,
    collection: &str,
    mut sources: Vec<Source>,
    how: &mut ReadMode<'_>,
) -> Result<Vec<Source>> {
    let Some(schema) = Edges::get().migrating(collection) else {
        return Ok(sources);
    };
    let older = |source: &&Source| schema.is_older(&source.fields);
    let ids: Vec<Bson> = sources
        .iter()
        .filter(older)
        .map(|one| one.id.clone())
        .collect();
    if ids.is_empty() {
        return Ok(sources);
    }
    let all = Document::new();
    let found = match how {
        ReadMode::Durably => driver::durable_read(db, collection, "_id", &ids, &all).await?,
        ReadMode::InSession(session) => {
            driver::read_by(db, collection, "_id", &ids, &all, session.as_deref_mut()).await?
        }
    };
    let mut found: HashMap<IdKey, Source> = found
        .into_iter()
        .map(|stored| current(schema, stored))
        .map(|source| (IdKey::new(&source.id), source))
        .collect();
    sources = sources
        .into_iter()
        .filter_map(|source| match schema.is_older(&source.fields) {
            true => found.remove(&IdKey::new(&source.id)),
            false => Some(source),
        })
        .collect();
    Ok(sources)
}

/// A stored source as a reader of the present version sees it; unchanged, with the reason, if it cannot be migrated.
fn current(schema: SchemaRow, stored: Document) -> Source {
    match schema.current_of(stored.clone()) {
        Ok(current) => Source::read(current),
        Err(error) => {
            let other = || Outdated::Failed {
                from: schema.version,
                reason: error.to_string(),
            };
            Source {
                outdated: Some(error.as_outdated().cloned().unwrap_or_else(other)),
                ..Source::read(stored)
            }
        }
    }
}
