//! The sources that copies are compared with, as they were read, by the key that references hold.

use std::collections::{BTreeMap, HashMap, HashSet};

use bson::{Bson, Document, RawDocumentBuf};

use crate::bson_util::id_key::IdKey;
use crate::driver::{self, Database};
use crate::error::Result;
use crate::graph::edges::Edge;
use crate::graph::source::Source;
use crate::propagation::source;
use crate::propagation::source_reads::ReadMode;
use crate::tenant::Scope;

/// The number of sources that stay in memory while a collection is walked. Further sources are read again.
const KEPT: usize = 20_000;

/// The document or documents that have a key.
#[derive(Debug, PartialEq)]
pub(crate) enum Found {
    /// No document.
    Nothing,
    /// The document that has the key.
    One(Box<One>),
    /// A natural key that several documents have.
    Several,
}

/// A source, as it was read and as it is compared.
#[derive(Debug)]
pub(crate) struct One {
    pub(crate) source: Source,
    pub(crate) raw: RawDocumentBuf,
}

impl PartialEq for One {
    fn eq(&self, other: &Self) -> bool {
        self.raw == other.raw
    }
}

type Group = (&'static str, &'static str);

/// The sources that were read, by collection, key field and key.
#[derive(Debug, Default)]
pub(crate) struct Sources {
    scope: Scope,
    groups: HashMap<Group, HashMap<IdKey, Found>>,
}

impl Sources {
    /// Looks at the documents of a scope alone.
    pub(crate) fn within(scope: &Scope) -> Self {
        Sources {
            scope: scope.clone(),
            ..Sources::default()
        }
    }

    /// The result for `key` along `edge`; `None` if the key has not been looked up.
    pub(crate) fn get(&self, edge: &Edge, key: &IdKey) -> Option<&Found> {
        self.groups.get(&group(edge))?.get(key)
    }

    /// Reads the sources that these documents refer to along these edges, and that are not in memory yet: one `find` with `$in` per
    /// collection and key field.
    pub(crate) async fn load(
        &mut self,
        db: &Database,
        along: &[&'static Edge],
        documents: &[RawDocumentBuf],
    ) -> Result<()> {
        if self.groups.values().map(HashMap::len).sum::<usize>() > KEPT {
            self.groups.clear();
        }
        let mut asked = SourceKeys::new();
        for edge in along {
            for document in documents {
                edge.place.visit_references(document, &mut |_, key, _| {
                    let id = IdKey::of_raw(key);
                    if self.get(edge, &id).is_none() {
                        ask(&mut asked, edge, id, || Bson::try_from(key).ok());
                    }
                });
            }
        }
        self.read(db, asked).await
    }

    /// Reads the sources of these references: one `find` with `$in` per collection and key field.
    pub(crate) async fn read_all(
        mut self,
        db: &Database,
        references: &[(&'static Edge, Bson)],
    ) -> Result<Sources> {
        let mut asked = SourceKeys::new();
        for (edge, key) in references {
            ask(&mut asked, edge, IdKey::new(key), || Some(key.clone()));
        }
        self.read(db, asked).await?;
        Ok(self)
    }

    async fn read(&mut self, db: &Database, asked: SourceKeys) -> Result<()> {
        for (group, (seen, keys)) in asked {
            let (collection, field) = group;
            let mut fields = source::fields(collection);
            fields.insert(field, 1);
            let among = self.scope.restrict(collection, Document::new());
            let by = (field, keys.as_slice());
            let rows = driver::read_where(db, collection, by, &among, &fields, None).await?;
            let rows = rows.into_iter().map(Source::read).collect();
            let mut how = ReadMode::InSession(None);
            let rows = source::migrate_sources(db, collection, rows, &mut how).await?;
            let known = self.groups.entry(group).or_default();
            known.extend(seen.into_iter().map(|key| (key, Found::Nothing)));
            for source in rows {
                let (Some(key), Ok(raw)) = (
                    source.fields.get(field).map(IdKey::new),
                    RawDocumentBuf::try_from(&source.fields),
                ) else {
                    continue;
                };
                let slot = known.entry(key).or_insert(Found::Nothing);
                *slot = match slot {
                    Found::Nothing => Found::One(Box::new(One { source, raw })),
                    Found::One(_) | Found::Several => Found::Several,
                };
            }
        }
        Ok(())
    }
}

/// Keys to be read, each once.
type SourceKeys = BTreeMap<Group, (HashSet<IdKey>, Vec<Bson>)>;

fn ask(asked: &mut SourceKeys, edge: &Edge, id: IdKey, key: impl FnOnce() -> Option<Bson>) {
    let (seen, keys) = asked.entry(group(edge)).or_default();
    if !seen.contains(&id)
        && let Some(key) = key()
    {
        seen.insert(id);
        keys.push(key);
    }
}

fn group(edge: &Edge) -> Group {
    (edge.source.collection, edge.key)
}
