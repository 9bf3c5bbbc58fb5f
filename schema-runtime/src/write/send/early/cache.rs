//! Sources as this program has read them. A list must not show a copy before it is right: copies that lists show are filled in before
//! their insert, from here or by a read of their own, so that they rarely have to be corrected after it.
//!
//! The cache is never trusted: the sources are read beside the insert as well.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

use bson::{Bson, Document};

use crate::bson_util::id_key::IdKey;
use crate::driver::Database;
use crate::graph::edges::{Edge, Edges};
use crate::graph::source::Source;
use crate::propagation::sources_by_key::SourcesByKey;

/// The capacity of the cache, in sources.
const SOURCES: usize = 1_000;

/// The database, the collection, the field that references hold, and its value.
type Key = (String, &'static str, &'static str, IdKey);

fn cache() -> MutexGuard<'static, HashMap<Key, Document>> {
    static CACHE: OnceLock<Mutex<HashMap<Key, Document>>> = OnceLock::new();
    let cache = CACHE.get_or_init(Mutex::default).lock();
    cache.unwrap_or_else(PoisonError::into_inner)
}

/// The references of a new document along which it has copies that lists show, or that have copies themselves.
pub(crate) fn shown(references: &[(&'static Edge, Bson)]) -> Vec<(&'static Edge, Bson)> {
    let shown = references.iter();
    let shown = shown.filter(|(edge, _)| !Edges::get().onward(edge).is_empty());
    shown.cloned().collect()
}

/// The sources of these references. `None` if a source is not cached.
pub(crate) fn known(db: &Database, references: &[(&'static Edge, Bson)]) -> Option<SourcesByKey> {
    let mut known = SourcesByKey::default();
    let cache = cache();
    for (edge, key) in references {
        let place = key_of(db, edge.source.collection, edge.key, key);
        let source = Source::read(cache.get(&place)?.clone());
        known.put(edge.source.collection, edge.key, source);
    }
    Some(known)
}

/// Caches sources that were read now. Those of an older schema are not what their readers see.
pub(crate) fn remember(
    db: &Database,
    (collection, key): (&'static str, &'static str),
    found: &[Document],
) {
    let edges = Edges::get();
    if edges.migrating(collection).is_some() {
        return;
    }
    let shown = |edge: &&Edge| edge.source.collection == collection && edge.key == key;
    let mut edges_from = edges.all().iter().filter(shown);
    if !edges_from.any(|edge| !edges.onward(edge).is_empty()) {
        return;
    }
    let mut cache = cache();
    for source in found {
        if let Some(value) = source.get(key) {
            if cache.len() >= SOURCES {
                cache.clear();
            }
            cache.insert(key_of(db, collection, key, value), source.clone());
        }
    }
}

fn key_of(db: &Database, collection: &'static str, key: &'static str, value: &Bson) -> Key {
    (db.name().to_owned(), collection, key, IdKey::new(value))
}
