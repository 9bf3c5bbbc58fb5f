//! The last steps of changed documents, behind the answers of their calls: their copies are compared with a durable read of the sources,
//! and all flags of a document are removed by one statement.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

use bson::oid::ObjectId;
use bson::{Bson, Document, doc};
use futures::future::BoxFuture;

use super::{Changed, clear};
use crate::Database;
use crate::bson_util::id_key::IdKey;
use crate::driver;
use crate::error::Result;
use crate::finisher;
use crate::graph::edges::{Edge, Edges};
use crate::graph::flags;
use crate::graph::source::Source;
use crate::outcome::Pending;
use crate::propagation::parents::{Evidence, Finished, Ticket};
use crate::propagation::source_reads::ReadMode;
use crate::propagation::sources_by_key::{SourcesByKey, read_by_keys};
use crate::propagation::target::{Resumed, Unverified};
use crate::propagation::{counter, source, target};
use crate::schema::stored;

/// How many documents are finished at once.
const DOCUMENTS: usize = 5_000;

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

    /// The same with their new copies only: their other flags are removed elsewhere.
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

/// The documents after their last steps.
#[derive(Debug)]
pub(super) struct Done {
    pub(super) state: Finished,
    /// The reason why the server refused a correction, or another program still has to finish a document: its flags stay.
    pub(super) refused: Option<String>,
}

impl Done {
    /// These changes, if one of them is pending.
    pub(super) fn into_pending(self, mut pending: Vec<Pending>) -> Vec<Pending> {
        let Some(reason) = self.refused else {
            return Vec::new();
        };
        for one in &mut pending {
            one.reason = Some(reason.clone());
        }
        pending
    }
}

/// Finishes changed documents of one collection, as a batch behind the answers of their calls.
pub(super) fn run(
    db: Database,
    collection: &'static str,
    calls: Vec<Unfinished>,
) -> BoxFuture<'static, ()> {
    Box::pin(async move {
        let finished = finish(&db, collection, &calls).await;
        match &finished {
            Ok(Done {
                refused: Some(reason),
                ..
            }) => finisher::failed(&db, reason.clone()),
            finished => finisher::done(&db, finished),
        }
        let state = finished.map_or(Finished::Failed, |done| done.state);
        let tickets = calls.into_iter().flat_map(|call| call.tickets);
        tickets.for_each(|ticket| ticket.finish(state));
    })
}

/// Finishes these documents: by one command if none of them has changed since, else by the steps that finish any flagged document.
///
/// # Errors
/// The driver's. Flags may stay then.
pub(super) async fn finish(
    db: &Database,
    collection: &'static str,
    calls: &[Unfinished],
) -> Result<Done> {
    let parents = Parents::read(db, calls).await?;
    let confirmed = calls.iter().all(|call| parents.confirm(call));
    let documents = calls
        .iter()
        .flat_map(|call| call.documents.iter().map(move |one| (call, one)));
    let documents: Vec<(&Unfinished, &Flagged)> = documents.collect();
    let mut done = Done {
        state: Finished::Confirmed,
        refused: None,
    };
    for page in documents.chunks(DOCUMENTS) {
        let of_page = match confirmed {
            true => finish_page(db, collection, page, &parents).await?,
            false => resume(db, collection, page).await?,
        };
        done.state = done.state.max(of_page.state);
        done.refused = done.refused.or(of_page.refused);
    }
    Ok(done)
}

async fn finish_page(
    db: &Database,
    collection: &'static str,
    documents: &[(&Unfinished, &Flagged)],
    parents: &Parents,
) -> Result<Done> {
    let known = read_sources(db, documents, parents).await?;
    fault!("after_i2");
    if let Some(statements) = clear::statements(documents, &known, parents) {
        let done = driver::statements(db, collection, &statements, false, None).await?;
        fault!("after_fused_clear");
        if done.failed.is_empty() && done.matched == documents.len() as u64 {
            return Ok(Done {
                state: Finished::Confirmed,
                refused: None,
            });
        }
    }
    resume(db, collection, documents).await
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
    async fn read(db: &Database, calls: &[Unfinished]) -> Result<Self> {
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
    fn confirm(&self, call: &Unfinished) -> bool {
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

/// I2: the sources that were not read with an update of a parent.
async fn read_sources(
    db: &Database,
    documents: &[(&Unfinished, &Flagged)],
    parents: &Parents,
) -> Result<SourcesByKey> {
    let wanted: Vec<(&'static Edge, Bson)> = documents
        .iter()
        .flat_map(|(call, one)| {
            let references = one.unverified.iter().flat_map(|marked| &marked.references);
            references.filter(|(edge, key)| {
                !call.is_shown(edge, key) && call.parent(edge, key, parents).is_none()
            })
        })
        .cloned()
        .collect();
    if wanted.is_empty() {
        return Ok(SourcesByKey::default());
    }
    read_by_keys(db, &wanted, ReadMode::Durably).await
}

/// The steps of a finisher, for documents that something else has changed.
async fn resume(
    db: &Database,
    collection: &'static str,
    documents: &[(&Unfinished, &Flagged)],
) -> Result<Done> {
    let ids: Vec<&Bson> = documents.iter().map(|(_, one)| &one.id).collect();
    let flagged = |field: &str| {
        let mut filter = doc! { "_id": flags::ids_of(&ids) };
        filter.insert(field, doc! { "$exists": true });
        filter
    };
    let mut every = |_: &Unverified| true;
    let mut all = |_: &Source| true;
    let any = |has: fn(&Flagged) -> bool| documents.iter().any(|(_, one)| has(one));
    let mut done = Done {
        state: Finished::Changed,
        refused: None,
    };
    if any(|one| one.unverified.is_some()) {
        let verified = target::resume(
            db,
            collection,
            flagged(stored::UNVERIFIED_TOKEN),
            &mut every,
        );
        done.refused = refused(collection, verified.await?);
    }
    if any(|one| one.counted.is_some()) {
        counter::resume(
            db,
            collection,
            flagged(stored::UNCOUNTED_TOKEN),
            &mut |_| true,
        )
        .await?;
    }
    if any(|one| !one.pending.is_empty()) {
        let left = source::resume(db, collection, flagged(stored::PENDING), &mut all);
        let mut left = left.await?.pending.into_iter();
        if let Some(left) = left.next() {
            // The parents may not be as this document is: what was left on them stays.
            done.state = Finished::Failed;
            done.refused = done.refused.or(left.reason);
        }
    }
    Ok(done)
}

/// The reason why a mark stays after a comparison.
fn refused(collection: &str, compared: Resumed) -> Option<String> {
    let dangling = compared.dangling;
    let mut failed = compared.failed.into_iter().map(|(_, reason)| reason);
    failed.next().or_else(|| {
        (dangling > 0).then(|| format!("{dangling} references in {collection} lead nowhere"))
    })
}

/// Compares the new copies under a token with their sources behind the answer of the present call, if it has one and these are sources of
/// all of them, whose values it has stored. `false` if they have to be compared in the call.
pub(crate) async fn compare_behind(
    db: &Database,
    collection: &'static str,
    token: ObjectId,
    references: &[(&'static Edge, Bson)],
    sources: Option<&SourcesByKey>,
) -> bool {
    let stored = sources.is_some_and(|sources| sources.are_of(references));
    if !finisher::is_behind() || !stored {
        return false;
    }
    let (own, references) = (db.clone(), references.to_vec());
    let compared = async move {
        if target::verify_together(&own, collection, token, &references, &[]).await? {
            return Ok(None);
        }
        let filter = doc! { stored::UNVERIFIED_TOKEN: token };
        let compared = target::resume(&own, collection, filter, &mut |_| true).await?;
        Ok(refused(collection, compared))
    };
    finisher::later(db, compared).await;
    true
}

impl Unfinished {
    /// True if the update of this target has shown that it is there. Nothing else is needed of one from which nothing is copied.
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
