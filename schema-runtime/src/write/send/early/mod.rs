//! A changed document, as its caller waits for it: its copies and the lists and numbers of its parents are right when the call answers. Its
//! flags are removed behind the answer.
//!
//! Two commands follow each other: the write, beside which the sources of new copies are read; then one update of each parent, beside
//! which copies are corrected that differ from their sources.

mod finish;
pub(crate) mod together;

use std::sync::Arc;
use std::time::Duration;

use bson::{Bson, Document};
use futures::future::BoxFuture;

use self::finish::Unfinished;
use super::into_pending;
use crate::bson_util::id_key::IdKey;
use crate::driver::Acknowledged;
use crate::error::Result;
use crate::finisher::{self, Batches, Open};
use crate::graph::edges::{Edge, Edges};
use crate::graph::source::Source;
use crate::outcome::Pending;
use crate::propagation::counter::CountToken;
use crate::propagation::fill::{self, Which};
use crate::propagation::known::SourcesByKey;
use crate::propagation::parents::{Finished, ParentChanges, Ticket};
use crate::propagation::target::{self, Unverified};
use crate::{Database, driver};

static UNFINISHED: Batches<Unfinished> = Batches::new(Duration::from_millis(10));

/// One changed document, and what it is flagged for.
#[derive(Debug)]
pub(crate) struct Changed<'a> {
    /// The document as it was stored.
    pub(crate) child: Source,
    /// Its new copies.
    pub(crate) marked: Option<&'a Unverified>,
    /// The token under which the document is to be counted.
    pub(crate) begun: Option<CountToken>,
    /// The sources of its new copies, if they were read before the call waits for them.
    pub(crate) sources: Option<&'a SourcesByKey>,
    /// True if the write has stored what these sources said.
    pub(crate) filled: bool,
}

/// How far [`apply`] came.
#[derive(Debug)]
pub(crate) enum Early {
    /// Everything is applied. The changes that could not be finished are pending.
    Done(Vec<Pending>),
    /// The separate steps have to follow; after them, what became of the document is said to the parents that were updated.
    Not(Vec<Ticket>),
}

/// Everything that a changed document changes elsewhere.
#[derive(Debug)]
struct Plan {
    parents: ParentChanges,
    /// The copies that differ from their sources, as statements that correct them.
    corrections: Vec<Document>,
}

/// Applies everything that a changed document changes elsewhere, and removes its flags behind the answer, or in the call if that waits for
/// everything.
///
/// # Errors
/// A missing index. Any other failure leaves its change pending.
pub(crate) fn apply<'f>(
    db: &'f Database,
    edges: &'static Edges,
    collection: &'static str,
    changed: Changed<'f>,
    pending: &'f [Pending],
) -> BoxFuture<'f, Result<Early>> {
    Box::pin(async move {
        let Some(plan) = Plan::of(db, edges, collection, &changed) else {
            return Ok(Early::Not(Vec::new()));
        };
        let child = Arc::new(changed.child);
        let corrections = async {
            if plan.corrections.is_empty() {
                return true;
            }
            let sent = driver::statements(db, collection, &plan.corrections, true, None).await;
            sent.is_ok_and(|done| done.failed.is_empty())
        };
        let acknowledged = match finisher::is_behind() && !plan.parents.is_empty() {
            true => Acknowledged::of_call(db, collection).await,
            false => Acknowledged::Durable,
        };
        let applied = plan.parents.apply(db, edges, &child, &acknowledged);
        let (corrected, applied) = futures::join!(corrections, applied);
        if !corrected || !applied.all {
            return Ok(Early::Not(applied.tickets));
        }
        fault!("after_fused");
        let (mut read, mut unconfirmed) = (Vec::new(), Vec::new());
        for parent in applied.parents {
            if let Some(evidence) = parent.evidence {
                unconfirmed.push((parent.host, parent.id, evidence));
                continue;
            }
            let Some(document) = parent.document else {
                continue;
            };
            // The values to copy from a parent of an older schema are known only after the whole parent is read and migrated.
            let schema = edges.migrating(parent.host);
            if schema.is_some_and(|schema| schema.is_older(&document)) {
                continue;
            }
            let references = changed.marked.into_iter().flat_map(|one| &one.references);
            let copied = references.filter(|(edge, key)| {
                edge.source.collection == parent.host
                    && edge.key == "_id"
                    && IdKey::new(key) == IdKey::new(&parent.id)
            });
            read.extend(copied.map(|(edge, key)| (*edge, key.clone(), Arc::clone(&document))));
        }
        let unfinished = Unfinished {
            child,
            unverified: changed.marked.cloned(),
            counted: changed.begun.map(|begun| begun.token),
            read,
            unconfirmed,
            tickets: applied.tickets,
        };
        if finisher::is_behind() {
            let open = Open::reserve(db).await;
            UNFINISHED.push(db, collection, unfinished, open, finish::run);
            return Ok(Early::Done(Vec::new()));
        }
        let documents = [unfinished];
        let finished = finish::finish(db, edges, collection, &documents).await;
        let state = *finished.as_ref().unwrap_or(&Finished::Failed);
        for ticket in documents.into_iter().flat_map(|one| one.tickets) {
            ticket.tidy(state).await;
        }
        match finished {
            Ok(_) => Ok(Early::Done(Vec::new())),
            Err(error) => into_pending(error, pending.to_vec()).map(Early::Done),
        }
    })
}

impl Plan {
    /// `None` if the document changes more than can be planned before its sources are compared.
    fn of(
        db: &Database,
        edges: &'static Edges,
        collection: &'static str,
        changed: &Changed<'_>,
    ) -> Option<Self> {
        // A document whose revision another program has wiped gets one above those in the lists of its parents first (A3).
        if !changed.child.pending.is_empty() && changed.child.is_wiped() {
            return None;
        }
        let mut plan = Plan {
            parents: ParentChanges::of(db, edges, collection, &changed.child, changed.begun)?,
            corrections: Vec::new(),
        };
        match changed.sources {
            Some(sources) => plan.correct(edges, collection, changed, sources)?,
            None if changed.marked.is_none() && finisher::is_behind() => {}
            None if plan.is_one_command(edges, changed.marked) => {}
            None => return None,
        }
        (!plan.parents.is_empty() || changed.marked.is_some()).then_some(plan)
    }

    /// True if one update of one parent does at least two things, and reads all that is copied: then the call gains by it also where it
    /// waits for everything.
    fn is_one_command(&self, edges: &Edges, marked: Option<&Unverified>) -> bool {
        let Some((host, id, fields)) = self.parents.only() else {
            return false;
        };
        let mut references = marked.into_iter().flat_map(|marked| &marked.references);
        fields + usize::from(marked.is_some()) >= 2
            && references.all(|(edge, key)| {
                edge.place.is_single()
                    && edge.key == "_id"
                    && edges.onward(edge).is_empty()
                    && edge.source.collection == host
                    && IdKey::new(key) == IdKey::new(id)
            })
    }

    /// Plans the corrections of copies that differ from their sources. `None` if a source is missing, or if a list shows such a copy: the
    /// list would show what the document had before.
    fn correct(
        &mut self,
        edges: &'static Edges,
        collection: &str,
        changed: &Changed<'_>,
        sources: &SourcesByKey,
    ) -> Option<()> {
        let Some(marked) = changed.marked else {
            return Some(());
        };
        let readable = |(edge, key): &(&'static Edge, Bson)| {
            let source = sources.get(edge, key);
            source.is_some_and(|source| source.outdated.is_none())
                || edge.live.is_empty() && self.parents.has(edge.source.collection, key)
        };
        if !marked.references.iter().all(readable) || !sources.held().is_empty() {
            return None;
        }
        let mut filled = changed.child.fields.clone();
        if changed.filled || !fill::fill(edges, collection, &mut filled, sources, Which::All) {
            return Some(());
        }
        let mut shown = marked.references.iter();
        if shown.any(|(edge, _)| !edges.onward(edge).is_empty()) {
            return None;
        }
        self.corrections = target::provisional(marked, sources);
        Some(())
    }
}
