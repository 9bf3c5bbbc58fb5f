//! The reads of sources: the fields to read, and the migration of sources of an older schema.

use std::collections::HashMap;

use bson::{Bson, Document, doc};

use crate::bson_util::id_key::IdKey;
use crate::codec::outdated::{FIELD, Outdated};
use crate::driver::{self, ClientSession, Database};
use crate::error::Result;
use crate::graph::edges::Edges;
use crate::graph::links::{self, find_periods};
use crate::graph::source::Source;
use crate::schema::migration::SchemaRow;
use crate::schema::registry::model_in;
use crate::schema::stored;
use crate::schema::tenant::tenant_field;

/// The largest number of sources that are read and propagated at once.
pub(crate) const SOURCES: usize = 500;

/// The fields of a source that propagation reads: all copied fields, the keys that references hold, its tenant, and
/// the library's fields.
pub(crate) fn fields(collection: &str) -> Document {
    let edges = Edges::get();
    let mut fields = doc! { "_id": 1, stored::OWN: 1 };
    for edge in edges
        .all()
        .iter()
        .filter(|edge| edge.source.collection == collection)
    {
        fields.insert(edge.key, 1);
        for copied in edge.copies() {
            fields.insert(&copied.from, 1);
        }
    }
    for link in edges.links_of(collection) {
        links::fields(link, &mut fields);
    }
    if edges.migrating(collection).is_some() {
        fields.insert(FIELD, 1);
    }
    let tenant = model_in(collection).and_then(tenant_field);
    fields.extend(tenant.map(|field| (field.to_owned(), Bson::Int32(1))));
    fields
}

/// The way in which sources are read.
#[derive(Debug)]
pub(crate) enum ReadMode<'s> {
    /// With a durable read, which no crash can undo: for the comparison with marked copies.
    Durably,
    /// In the writer's session, as they are now: for copies that will be marked.
    InSession(Option<&'s mut ClientSession>),
}

/// Sources as their readers see them: those of an older schema are read as a whole and migrated in memory, so that a copy never holds a
/// value that no reader of the source sees. Finds the periods that they belong to.
pub(crate) async fn migrate_sources(
    db: &Database,
    collection: &str,
    sources: Vec<Source>,
    how: &mut ReadMode<'_>,
) -> Result<Vec<Source>> {
    let mut sources = match Edges::get().migrating(collection) {
        Some(schema) => migrate(db, collection, schema, sources, how).await?,
        None => sources,
    };
    find_periods(db, collection, &mut sources).await?;
    Ok(sources)
}

async fn migrate(
    db: &Database,
    collection: &str,
    schema: SchemaRow,
    mut sources: Vec<Source>,
    how: &mut ReadMode<'_>,
) -> Result<Vec<Source>> {
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
