//! Changed documents of one call, as its caller waits for them: their copies and the lists and numbers of their parents are right when the
//! call answers. Their flags are removed behind the answer.
//!
//! Two commands follow each other: the write, beside which the sources of new copies are read; then one update of each parent, beside
//! which copies are corrected that differ from their sources. A write of many documents reads the sources before it.

pub(crate) mod cache;
mod clear;
mod finish;
mod reserved;
pub(crate) mod together;
mod unfinished;

use std::sync::Arc;
use std::time::Duration;

use bson::{Bson, Document};
use futures::future::BoxFuture;

pub(crate) use self::finish::compare_behind;
use self::unfinished::{Flagged, Unfinished};
use super::into_pending;
use crate::bson_util::id_key::IdKey;
use crate::driver::{self, Acknowledged, Database};
use crate::error::Result;
use crate::finisher::{self, Batches, Open};
use crate::graph::edges::{Edge, Edges};
use crate::graph::links::find_periods;
use crate::graph::source::Source;
use crate::outcome::Pending;
use crate::propagation::counter::{CountToken, Reservations};
use crate::propagation::fill::{self, Which};
use crate::propagation::links;
use crate::propagation::parents::{Finished, ParentChanges, Ticket};
use crate::propagation::sources_by_key::SourcesByKey;
use crate::propagation::target::{self, Unverified};

static UNFINISHED: Batches<Unfinished> = Batches::new(Duration::from_millis(10), 1);

/// The changed documents of one call, and the work that they are flagged for.
#[derive(Debug)]
pub(crate) struct Changed<'a> {
    /// The documents as they were stored.
    pub(crate) children: Vec<Arc<Source>>,
    /// The new copies in the documents.
    pub(crate) marked: &'a [Unverified],
    /// The token under which they are to be counted.
    pub(crate) count_token: Option<CountToken>,
    /// The sources of the new copies, if they were read before the call waits for them.
    pub(crate) sources: Option<&'a SourcesByKey>,
    /// True if the write has stored what these sources said.
    pub(crate) filled: bool,
    /// The places of the documents in bounded numbers: they are counted after the call has returned.
    pub(crate) reserved: Option<&'a Reservations>,
}

/// The part of the work that [`apply`] has done.
#[derive(Debug)]
pub(crate) enum Early {
    /// Everything is applied. The changes that could not be finished are pending.
    Done(Vec<Pending>),
    /// The separate steps have to follow.
    Not(Rest),
}

/// The separate steps that are left.
#[derive(Debug, Default)]
pub(crate) struct Rest {
    /// True if the new copies are right already: they are compared behind the answer.
    pub(crate) copied: bool,
    /// The shares in the parents that were updated.
    tickets: Vec<Ticket>,
}

impl Rest {
    /// Says what became of the documents after the separate steps; `done` if nothing is pending.
    pub(crate) fn finish(self, done: bool) {
        let finished = match done {
            true => Finished::Changed,
            false => Finished::Failed,
        };
        let tickets = self.tickets.into_iter();
        tickets.for_each(|ticket| ticket.finish(finished));
    }
}

/// Everything that changed documents change elsewhere.
#[derive(Debug)]
struct Plan {
    parents: ParentChanges,
    /// The copies that differ from their sources, as statements that correct them.
    corrections: Vec<Document>,
}

/// Applies everything that changed documents change elsewhere, and removes their flags behind the answer, or in the call if that waits for
/// everything.
///
/// # Errors
/// A missing index. Any other failure leaves its change pending.
pub(crate) fn apply<'f>(
    db: &'f Database,
    collection: &'static str,
    mut changed: Changed<'f>,
    pending: &'f [Pending],
) -> BoxFuture<'f, Result<Early>> {
    Box::pin(async move {
        let mut children = std::mem::take(&mut changed.children);
        // Where this fails, there is no plan, and the separate steps fail as well.
        let _ = find_periods(db, collection, children.iter_mut().map(Arc::make_mut)).await;
        let Some(mut plan) = Plan::of(db, collection, &children, &changed) else {
            let copied = copies_alone(db, collection, &children, &changed).await;
            return Ok(Early::Not(Rest {
                copied,
                tickets: Vec::new(),
            }));
        };
        let documents = Flagged::all(collection, &children, &changed);
        drop(children);
        let reserved = changed.reserved.filter(|_| finisher::is_behind());
        let later = reserved.map(|reserved| plan.parents.split_reserved(reserved));
        let acknowledged = match finisher::is_behind() && !plan.parents.is_empty() {
            true => Acknowledged::of_call(db, collection).await,
            false => Acknowledged::Durable,
        };
        let corrections = send(db, collection, &plan.corrections);
        let applied = plan.parents.apply(db, &acknowledged);
        let (corrected, applied) = futures::join!(corrections, applied);
        let refilled = links::refill(db, applied.refill).await;
        finisher::done(db, &refilled);
        if !corrected || !applied.all || refilled.is_err() {
            return Ok(Early::Not(Rest {
                copied: false,
                tickets: applied.tickets,
            }));
        }
        fault!("after_fused");
        let mut unfinished = Unfinished::new(documents);
        unfinished.add_parents(applied.parents, applied.tickets);
        if finisher::is_behind() {
            let open = Open::reserve(db, unfinished.documents.len()).await;
            match later.filter(|later| !later.is_empty()) {
                Some(later) => reserved::count_later(db, collection, unfinished, later, open),
                None => UNFINISHED.push(db, collection, unfinished, open, finish::run),
            }
            return Ok(Early::Done(Vec::new()));
        }
        let calls = [unfinished];
        let finished = finish::finish(db, collection, &calls).await;
        let state = finished
            .as_ref()
            .map_or(Finished::Failed, |done| done.state);
        for ticket in calls.into_iter().flat_map(|call| call.tickets) {
            ticket.tidy(state).await;
        }
        let pending = pending.to_vec();
        match finished {
            Ok(done) => Ok(Early::Done(done.into_pending(pending))),
            Err(error) => into_pending(error, pending).map(Early::Done),
        }
    })
}

/// Corrects new copies where the rest follows in separate steps, and compares them behind the answer. `false` if they have to be compared
/// in the call.
async fn copies_alone(
    db: &Database,
    collection: &'static str,
    children: &[Arc<Source>],
    changed: &Changed<'_>,
) -> bool {
    let Some(sources) = changed.sources.filter(|_| !changed.marked.is_empty()) else {
        return false;
    };
    if !finisher::is_behind() {
        return false;
    }
    let corrections = Plan::corrections(collection, children, changed, sources, None);
    let Some(corrections) = corrections else {
        return false;
    };
    if !send(db, collection, &corrections).await {
        return false;
    }
    let unfinished = Unfinished::new(Flagged::copies(collection, children, changed));
    let open = Open::reserve(db, unfinished.documents.len()).await;
    UNFINISHED.push(db, collection, unfinished, open, finish::run);
    true
}

/// Sends corrections; `false` if the server did not take all of them.
async fn send(db: &Database, collection: &'static str, corrections: &[Document]) -> bool {
    if corrections.is_empty() {
        return true;
    }
    let sent = driver::statements(db, collection, corrections, true, None).await;
    sent.is_ok_and(|done| done.failed.is_empty())
}

impl Plan {
    /// `None` if the documents change more than can be planned before their sources are compared.
    fn of(
        db: &Database,
        collection: &'static str,
        children: &[Arc<Source>],
        changed: &Changed<'_>,
    ) -> Option<Self> {
        // A document whose revision another program has wiped gets one above those in the lists of its parents first (A3).
        let wiped = |child: &Arc<Source>| !child.pending.is_empty() && child.is_wiped();
        if children.iter().any(wiped) {
            return None;
        }
        let mut plan = Plan {
            parents: ParentChanges::plan(db, collection, children, changed.count_token)?,
            corrections: Vec::new(),
        };
        match changed.sources {
            Some(sources) => {
                let parents = Some(&plan.parents);
                plan.corrections =
                    Self::corrections(collection, children, changed, sources, parents)?;
            }
            None if changed.marked.is_empty() && finisher::is_behind() => {}
            None if plan.is_one_command(changed.marked) => {}
            None => return None,
        }
        (!plan.parents.is_empty() || !changed.marked.is_empty()).then_some(plan)
    }

    /// True if one update of one parent does at least two things, and reads all values to copy: then it saves time even in a call that
    /// waits for everything.
    fn is_one_command(&self, marked: &[Unverified]) -> bool {
        let Some((host, id, fields)) = self.parents.only() else {
            return false;
        };
        let mut references = marked.iter().flat_map(|marked| &marked.references);
        fields + marked.len() >= 2
            && references.all(|(edge, key)| {
                edge.place.is_single()
                    && edge.key == "_id"
                    && Edges::get().onward(edge).is_empty()
                    && edge.source.collection == host
                    && IdKey::new(key) == IdKey::new(id)
            })
    }

    /// The corrections of copies that differ from their sources. `None` if a source is missing, or if a list shows such a copy: the list
    /// would show what the document had before.
    fn corrections(
        collection: &str,
        children: &[Arc<Source>],
        changed: &Changed<'_>,
        sources: &SourcesByKey,
        parents: Option<&ParentChanges>,
    ) -> Option<Vec<Document>> {
        // The update of a parent shows that it is there; nothing else is needed where nothing is copied from it.
        let is_shown = |(edge, key): &(&'static Edge, Bson)| {
            let host = edge.source.collection;
            edge.live.is_empty() && parents.is_some_and(|parents| parents.has(host, key))
        };
        let references = changed.marked.iter().flat_map(|marked| &marked.references);
        let references = references.filter(|reference| !is_shown(reference));
        if !sources.are_of(references) {
            return None;
        }
        if changed.filled {
            return Some(Vec::new());
        }
        // Only a write of one document reads the sources after it has filled the copies in.
        let ([child], [marked]) = (children, changed.marked) else {
            return changed.marked.is_empty().then(Vec::new);
        };
        let mut filled = child.fields.clone();
        if !fill::fill(collection, &mut filled, sources, Which::All) {
            return Some(Vec::new());
        }
        let mut shown = marked.references.iter();
        if shown.any(|(edge, _)| !Edges::get().onward(edge).is_empty()) {
            return None;
        }
        Some(target::provisional(marked, sources))
    }
}
