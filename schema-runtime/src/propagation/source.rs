//! The propagation from a changed source to its copies: W2 and W3 of the protocol, for one source and for many.

mod clear;
mod copies;
mod fence;
mod refusals;
mod round;

use bson::Document;
use futures::future::BoxFuture;

pub(crate) use self::copies::{correct, provisional, to_copies};
use self::fence::fence_wiped_sources;
pub(crate) use self::refusals::{check_accepted, check_index};
use self::round::Round;
use super::links::ToRefill;
use super::source_reads::ReadMode;
pub(crate) use super::source_reads::{SOURCES, fields, migrate_sources};
use crate::driver::{self, Database, FindArgs};
use crate::error::Result;
use crate::finisher;
use crate::graph::edges::Edges;
use crate::graph::source::Source;
use crate::outcome::Pending;
use crate::propagation;

/// The remaining work after a round over some sources.
#[derive(Debug, Default)]
pub(crate) struct Left {
    /// The work that could not be finished.
    pub(crate) pending: Vec<Pending>,
    /// The number of sources whose copies were updated.
    pub(crate) finished: u64,
    /// The number of documents with copies that were changed.
    pub(crate) changed: u64,
    /// The lists of parents that may lack children now.
    pub(crate) refill: ToRefill,
}

impl Left {
    pub(crate) fn add(&mut self, other: Left) {
        self.pending.extend(other.pending);
        self.finished += other.finished;
        self.changed += other.changed;
        propagation::links::collect_refills(&mut self.refill, other.refill);
    }
}

/// Updates the copies of these sources, and refills the lists that lack children because of that.
///
/// # Errors
/// As [`fan_out_sources`].
pub(crate) async fn finish(
    db: &Database,
    collection: &str,
    sources: Vec<Source>,
    also: &[&str],
) -> Result<Left> {
    let behind = finisher::is_behind();
    let mut left = fan_out(db, collection, sources, also, behind).await?;
    propagation::links::refill(db, std::mem::take(&mut left.refill)).await?;
    Ok(left)
}

/// Updates the copies of these sources, and clears the flags. It does so for the edges that a source names as pending, and for the edges
/// `also`, which are not flagged. Copies of copies follow.
///
/// # Errors
/// The errors that stop every edge: of the connection, or a missing index. After such an error all flags stay.
pub(crate) fn fan_out_sources<'f>(
    db: &'f Database,
    collection: &'f str,
    sources: Vec<Source>,
    also: &'f [&'f str],
) -> BoxFuture<'f, Result<Left>> {
    fan_out(db, collection, sources, also, false)
}

/// Does the work of [`fan_out_sources`]; with `behind`, clears the flags after the answer of the call.
fn fan_out<'f>(
    db: &'f Database,
    collection: &'f str,
    sources: Vec<Source>,
    also: &'f [&'f str],
    behind: bool,
) -> BoxFuture<'f, Result<Left>> {
    Box::pin(async move {
        // A source without a flag needs no update: its transaction was aborted, or another program has propagated it.
        let asked = |source: &Source| {
            let mut pending = source.pending.iter();
            !also.is_empty() || pending.any(|name| Edges::get().knows(collection, name))
        };
        let sources = sources.into_iter().filter(asked).collect();
        let sources = fence_wiped_sources(db, collection, sources).await?;
        let sources = migrate_sources(db, collection, sources, &mut ReadMode::Durably).await?;
        let mut round = Round::new(db, collection, sources);
        let (jobs, onward) = round.plan_jobs(also);
        round.update_copies(&jobs, behind).await?;
        let marks = round.update_parents().await?;
        fault!("after_w2");
        round.clear_flags(marks, behind).await?;
        round.update_onward(onward).await?;
        Ok(round.left)
    })
}

/// Finishes the flagged sources that match `filter`, page by page. `take` chooses the sources, so that a caller can skip some.
pub(crate) fn resume<'f>(
    db: &'f Database,
    collection: &'f str,
    filter: Document,
    take: &'f mut (dyn FnMut(&Source) -> bool + Send),
) -> BoxFuture<'f, Result<Left>> {
    resume_flagged(db, collection, filter, take, false)
}

/// Updates the copies of all sources that match `filter`. Clears their flags after the answer of the present call, if that answers before.
pub(crate) fn finish_flagged<'f>(
    db: &'f Database,
    collection: &'f str,
    filter: Document,
    all: &'f mut (dyn FnMut(&Source) -> bool + Send),
) -> BoxFuture<'f, Result<Left>> {
    resume_flagged(db, collection, filter, all, finisher::is_behind())
}

fn resume_flagged<'f>(
    db: &'f Database,
    collection: &'f str,
    filter: Document,
    take: &'f mut (dyn FnMut(&Source) -> bool + Send),
    behind: bool,
) -> BoxFuture<'f, Result<Left>> {
    Box::pin(async move {
        let mut left = Left::default();
        let args = FindArgs {
            projection: Some(fields(collection)),
            batch_size: u32::try_from(SOURCES).ok(),
            ..FindArgs::default()
        };
        let mut rows = driver::open(db, collection, filter, args, None).await?;
        loop {
            let mut ids = Vec::new();
            let mut more = true;
            while ids.len() < SOURCES {
                let row = rows.next(|raw| Ok(Document::try_from(raw).ok())).await?;
                let Some(row) = row else {
                    more = false;
                    break;
                };
                let source = row.map(Source::read).filter(|source| take(source));
                ids.extend(source.map(|source| source.id));
            }
            // A server crash may undo the state that the cursor showed; it cannot undo the state that a durable read shows.
            let read =
                driver::durable_read(db, collection, "_id", &ids, &fields(collection)).await?;
            let sources = read.into_iter().map(Source::read).collect();
            fault!("sweep_after_read");
            left.add(fan_out(db, collection, sources, &[], behind).await?);
            fault!("sweep_after_fix");
            if !more {
                propagation::links::refill(db, std::mem::take(&mut left.refill)).await?;
                return Ok(left);
            }
        }
    })
}
