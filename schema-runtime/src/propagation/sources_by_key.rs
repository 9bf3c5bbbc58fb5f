//! Sources that were read, by the key that references to them hold.

use std::collections::{BTreeMap, HashMap, HashSet};

use bson::oid::ObjectId;
use bson::{Bson, Document};

use super::keys;
use super::source_reads::{ReadMode, fields, migrate_sources};
use crate::bson_util::id_key::IdKey;
use crate::driver::{self, Database};
use crate::error::Result;
use crate::graph::edges::Edge;
use crate::graph::relations::Relations;
use crate::graph::source::Source;
use crate::schema::tenant::of_tenant;

/// Sources by the key that references of an edge hold, without documents of other tenants if one is given.
pub(crate) async fn read_by_keys(
    db: &Database,
    wanted: &[(&'static Edge, Bson)],
    tenant: Option<&Bson>,
    mut how: ReadMode<'_>,
) -> Result<SourcesByKey> {
    let mut groups: BTreeMap<(&str, &str), (Document, Vec<Bson>)> = BTreeMap::new();
    let mut seen = HashSet::new();
    for (edge, key) in wanted {
        let group = (edge.source.collection, edge.key);
        if seen.insert((group, IdKey::new(key))) {
            let new = || (of_tenant(edge.source, tenant), Vec::new());
            let (_, keys) = groups.entry(group).or_insert_with(new);
            keys.push(key.clone());
        }
    }
    let mut known = SourcesByKey::default();
    for ((collection, key), (of_tenant, keys)) in groups {
        let fields = fields(collection);
        let found = match &mut how {
            ReadMode::Durably => {
                let by = (key, &keys[..]);
                driver::durable_read_where(db, collection, by, &of_tenant, &fields).await?
            }
            ReadMode::InSession(session) => {
                let (by, held) = ((key, &keys[..]), session.as_deref_mut());
                driver::read_where(db, collection, by, &of_tenant, &fields, held).await?
            }
        };
        known.read(db, (collection, key), found, &mut how).await?;
    }
    Ok(known)
}

/// Sources that were read, by collection, key field and key.
#[derive(Debug, Default)]
pub(crate) struct SourcesByKey(HashMap<(String, String, IdKey), Source>);

impl SourcesByKey {
    /// Adds sources that were read as they are now.
    ///
    /// # Errors
    /// The driver's.
    pub(crate) async fn fill(
        &mut self,
        db: &Database,
        by: (&str, &str),
        found: Vec<Document>,
    ) -> Result<()> {
        self.read(db, by, found, &mut ReadMode::InSession(None))
            .await
    }

    async fn read(
        &mut self,
        db: &Database,
        (collection, key): (&str, &str),
        found: Vec<Document>,
        how: &mut ReadMode<'_>,
    ) -> Result<()> {
        let sources = found.into_iter().map(Source::read).collect();
        for source in migrate_sources(db, collection, sources, how).await? {
            self.put(collection, key, source);
        }
        Ok(())
    }

    /// Adds a source by the value of its field `key`.
    pub(crate) fn put(&mut self, collection: &str, key: &str, source: Source) {
        if let Some(value) = source.fields.get(key) {
            let value = IdKey::new(value);
            let place = (collection.to_owned(), key.to_owned(), value);
            self.0.insert(place, source);
        }
    }

    /// Adds a document that is about to be stored: other documents that are stored with it may refer to it along these edges.
    pub(crate) fn add(&mut self, edges: &[&Edge], document: &Document) {
        for edge in edges {
            let source = Source::read(document.clone());
            self.put(edge.source.collection, edge.key, source);
        }
    }

    /// Adds a document that may refer to itself, unless it is stored already.
    pub(crate) fn add_new(&mut self, edges: &[&Edge], document: &Document) {
        let new = |edge: &&&Edge| {
            let key = document.get(edge.key);
            key.is_some_and(|key| self.stored(edge, key).is_none())
        };
        let new: Vec<&Edge> = edges.iter().filter(new).copied().collect();
        self.add(&new, document);
    }

    /// The sources that are being deleted, each as its collection and `_id`.
    pub(crate) fn entombed(&self) -> Vec<(&'static str, Bson)> {
        let all = self.0.iter().filter(|(_, source)| source.deleted);
        let collections = Relations::get().entombing();
        all.filter_map(|((name, ..), source)| {
            Some((*collections.get(name.as_str())?, source.id.clone()))
        })
        .collect()
    }

    /// The sources that were found by a natural key which is about to change: their collection, `_id` and token.
    pub(crate) fn held(&self) -> Vec<(String, Bson, ObjectId)> {
        let by_key = self.0.iter().filter(|((_, key, _), _)| key != "_id");
        by_key
            .filter_map(|((name, ..), source)| {
                let token = keys::token(&source.fields)?;
                Some((name.clone(), source.id.clone(), token))
            })
            .collect()
    }

    /// The source that `key` refers to along `edge`; `None` if there is none, or if it is being deleted.
    pub(crate) fn get(&self, edge: &Edge, key: &Bson) -> Option<&Source> {
        self.stored(edge, key).filter(|source| !source.deleted)
    }

    /// True if the source of each of these references was read as its readers see it, and no source is about to change its key.
    pub(crate) fn are_of<'r>(
        &self,
        references: impl IntoIterator<Item = &'r (&'static Edge, Bson)>,
    ) -> bool {
        let mut references = references.into_iter();
        let readable = |(edge, key): &(&'static Edge, Bson)| {
            let source = self.get(edge, key);
            source.is_some_and(|source| source.outdated.is_none())
        };
        references.all(readable) && self.held().is_empty()
    }

    /// True if the source that `key` refers to along `edge` is being deleted.
    pub(crate) fn is_entombed(&self, edge: &Edge, key: &Bson) -> bool {
        self.stored(edge, key).is_some_and(|source| source.deleted)
    }

    /// The source that `key` refers to along `edge`, even if it is being deleted.
    pub(crate) fn stored(&self, edge: &Edge, key: &Bson) -> Option<&Source> {
        let place = (
            edge.source.collection.to_owned(),
            edge.key.to_owned(),
            IdKey::new(key),
        );
        self.0.get(&place)
    }
}
