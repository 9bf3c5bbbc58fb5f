//! Changed documents whose flags are still there, and the parents that were read for them.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

use bson::oid::ObjectId;
use bson::{Bson, Document};

use super::Changed;
use crate::bson_util::id_key::IdKey;
use crate::driver::{self, Database};
use crate::error::Result;
use crate::graph::edges::{Edge, Edges};
use crate::graph::flags;
use crate::graph::source::Source;
use crate::propagation::parents::{Evidence, Ticket, UpdatedParent};
use crate::propagation::source;
use crate::propagation::target::Unverified;
use crate::schema::stored;

/// Changed documents of one call whose parents are up to date, and whose flags are still there.
#[derive(Debug)]
pub(crate) struct Unfinished {
    pub(crate) documents: Vec<Flagged>,
    /// Parents that were read durably after the documents were stored, by the name of the edge and the key.
    pub(crate) read: HashMap<(&'static str, IdKey), Arc<Source>>,
    /// Parents that were updated durably after the documents were stored: their collection and `_id`. So they are there.
    pub(crate) shown: HashSet<(&'static str, IdKey)>,
    /// Parents whose updates a crash of the server may still undo: their collection and `_id`, and what the updates have left there.
    pub(crate) unconfirmed: Vec<(&'static str, Bson, Arc<Evidence>)>,
    pub(crate) tickets: Vec<Ticket>,
    /// True if parents were not updated: the steps of a finisher update them.
    pub(crate) has_left_parents: bool,
}

/// A document, and the flags that it carries.
#[derive(Debug)]
pub(crate) struct Flagged {
    pub(super) id: Bson,
    pub(super) r: i64,
    pub(super) pending: Vec<String>,
    /// The copies that have copies of their own, as they were stored.
    pub(super) copies: Document,
    pub(super) unverified: Option<Unverified>,
    /// The token under which it was counted.
    pub(super) counted: Option<ObjectId>,
    /// The library's own fields, as the write has stored them.
    pub(super) own: Document,
}

impl Flagged {
    pub(super) fn all(
        collection: &str,
        children: &[Arc<Source>],
        changed: &Changed<'_>,
    ) -> Vec<Self> {
        let edges = Edges::get();
        let mut incoming = edges.incoming(collection);
        let onward = incoming.any(|edge| !edges.onward(edge).is_empty());
        let marked = changed.marked.iter().map(|one| (IdKey::new(&one.id), one));
        let marked: HashMap<IdKey, &Unverified> = marked.collect();
        let one = |child: &Arc<Source>| {
            let counted = changed.count_token.map(|count_token| count_token.token);
            let flags = || flags::marks(&child.fields, stored::key::UNCOUNTED);
            let own = child.fields.get_document(stored::OWN).ok();
            Flagged {
                id: child.id.clone(),
                r: child.revision(),
                pending: child.pending.clone(),
                copies: match onward {
                    true => child.fields.clone(),
                    false => Document::new(),
                },
                unverified: marked.get(&IdKey::new(&child.id)).copied().cloned(),
                counted: counted.filter(|token| flags::has_token(flags(), *token)),
                own: own.cloned().unwrap_or_default(),
            }
        };
        children.iter().map(one).collect()
    }

    /// The children that have new copies, with these copies only: their other flags are removed elsewhere.
    pub(super) fn copies(
        collection: &str,
        children: &[Arc<Source>],
        changed: &Changed<'_>,
    ) -> Vec<Self> {
        let all = Self::all(collection, children, changed).into_iter();
        let marked = all.filter(|one| one.unverified.is_some());
        let copies = marked.map(|one| Flagged {
            pending: Vec::new(),
            counted: None,
            ..one
        });
        copies.collect()
    }
}

impl Unfinished {
    pub(super) fn new(documents: Vec<Flagged>) -> Self {
        Unfinished {
            documents,
            read: HashMap::new(),
            shown: HashSet::new(),
            unconfirmed: Vec::new(),
            tickets: Vec::new(),
            has_left_parents: false,
        }
    }

    /// Adds parents after their updates.
    pub(super) fn add_parents(&mut self, parents: Vec<UpdatedParent>, tickets: Vec<Ticket>) {
        self.tickets.extend(tickets);
        for UpdatedParent {
            host,
            id,
            source,
            evidence,
        } in parents
        {
            match evidence {
                Some(evidence) => self.unconfirmed.push((host, id, evidence)),
                None => {
                    self.add_source(host, &id, source);
                    self.shown.insert((host, IdKey::new(&id)));
                }
            }
        }
    }

    /// Adds a parent that was read durably with its update, if the documents copy from it.
    fn add_source(&mut self, host: &'static str, id: &Bson, source: Option<Arc<Source>>) {
        let Some(source) = source else { return };
        // The values to copy from a parent of an older schema are known only after the whole parent is read and migrated.
        let schema = Edges::get().migrating(host);
        if schema.is_some_and(|schema| schema.is_older(&source.fields)) {
            return;
        }
        let id = IdKey::new(id);
        let marked = self
            .documents
            .iter()
            .filter_map(|one| one.unverified.as_ref());
        for (edge, key) in marked.flat_map(|one| &one.references) {
            let from = edge.source.collection == host && edge.key == "_id";
            if from && IdKey::new(key) == id {
                self.read
                    .insert((edge.name.as_str(), id.clone()), Arc::clone(&source));
            }
        }
    }

    /// True if the update of this target has shown that it exists. A target from which nothing is copied needs no other look.
    pub(super) fn is_shown(&self, edge: &Edge, key: &Bson) -> bool {
        let target = || (edge.source.collection, IdKey::new(key));
        edge.live.is_empty() && edge.key == "_id" && self.shown.contains(&target())
    }

    /// The parent that this reference leads to, if it was read durably.
    pub(super) fn parent<'p>(
        &'p self,
        edge: &'static Edge,
        key: &Bson,
        parents: &'p Parents,
    ) -> Option<&'p Source> {
        let read = self.read.get(&(edge.name.as_str(), IdKey::new(key)));
        let read = read.map(|parent| &**parent);
        read.or_else(|| parents.source(edge, key))
    }
}

/// Parents that were read durably because their updates had not been waited for.
#[derive(Default)]
pub(super) struct Parents {
    found: HashMap<(&'static str, IdKey), Source>,
    /// The collections whose older documents are migrated when they are read.
    migrating: HashSet<&'static str>,
}

impl Parents {
    /// Reads the parents of these calls whose updates have to be confirmed.
    pub(super) async fn read(db: &Database, calls: &[Unfinished]) -> Result<Self> {
        let mut wanted: BTreeMap<&'static str, BTreeMap<IdKey, Bson>> = BTreeMap::new();
        for (host, id, _) in calls.iter().flat_map(|call| &call.unconfirmed) {
            let ids = wanted.entry(host).or_default();
            ids.insert(IdKey::new(id), id.clone());
        }
        let mut parents = Parents::default();
        for (host, ids) in wanted {
            let ids: Vec<Bson> = ids.into_values().collect();
            let fields = source::fields(host);
            let found = driver::durable_read(db, host, "_id", &ids, &fields).await?;
            parents.found.extend(found.into_iter().filter_map(|parent| {
                let id = IdKey::new(parent.get("_id")?);
                Some(((host, id), Source::read(parent)))
            }));
            parents
                .migrating
                .extend(Edges::get().migrating(host).map(|_| host));
        }
        Ok(parents)
    }

    /// True if all updates of the parents of this call are there: none of them can be undone any more.
    pub(super) fn confirm(&self, call: &Unfinished) -> bool {
        let mut unconfirmed = call.unconfirmed.iter();
        unconfirmed.all(|(host, id, evidence)| {
            let parent = self.found.get(&(*host, IdKey::new(id)));
            parent.is_some_and(|parent| evidence.is_on(&parent.fields))
        })
    }

    /// The source that this reference leads to, if it was read here. The values to copy from a parent of an older schema are known only
    /// after the whole parent is read and migrated.
    fn source(&self, edge: &Edge, key: &Bson) -> Option<&Source> {
        let host = edge.source.collection;
        let known = edge.key == "_id" && !self.migrating.contains(host);
        known
            .then(|| self.found.get(&(host, IdKey::new(key))))
            .flatten()
    }
}
