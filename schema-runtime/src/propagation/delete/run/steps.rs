//! The steps of a delete with tombstones, for one page of documents: D1, and the steps after it. `run` decides which pages there are, and
//! what a failure leaves to others.

use std::sync::Arc;

use bson::{Bson, Document, doc};
use futures::future::BoxFuture;

use crate::driver::{Acknowledged, ClientSession};
use crate::error::{Error, Result};
use crate::graph::flags;
use crate::graph::links::find_periods;
use crate::graph::source::Source;
use crate::propagation::delete::op::DeleteOperation;
use crate::propagation::delete::pages::ids;
use crate::propagation::delete::tomb::Part;
use crate::propagation::links;
use crate::propagation::parents::{Finished, ParentChanges};
use crate::schema::stored;

/// D1 of some documents, a leader first; returns the documents that got the tombstone, or `None` if none did. If nothing may refuse the
/// delete, it is certain after this.
pub(super) async fn mark_page(
    op: &mut DeleteOperation<'_, '_>,
    page: &[Document],
    filter: &Document,
    mut session: Option<&mut ClientSession>,
) -> Result<Option<Vec<Document>>> {
    for (at, candidate) in page.iter().enumerate() {
        op.leader = candidate.get("_id").cloned().unwrap_or(Bson::Null);
        let others = &page[at + 1..];
        let led = op.mark_root(filter, others.is_empty(), session.as_deref_mut());
        let Some(leader) = led.await? else {
            continue;
        };
        op.incomplete = at > 0;
        let mut marked = vec![leader];
        if !others.is_empty() {
            let filter = match filter.is_empty() {
                true => Document::new(),
                false => doc! { "$and": [filter.clone()] },
            };
            let (root, ids) = (op.plan.root, ids(others));
            fault!("mid_page");
            let asked = session.as_deref_mut();
            let all = op.mark(root, &ids, (filter, Part::Root), asked).await?;
            op.roots += all;
            op.incomplete |= all < others.len() as u64;
            fault!("after_page");
            if session.is_none() && !op.plan.denied {
                op.commit().await?;
            }
            // A document that no longer matches the filter stays, with all references to it; and a key that references hold may have
            // changed meanwhile.
            if all == others.len() as u64 && op.plan.keys_stay() {
                marked.extend_from_slice(others);
            } else {
                marked.extend(op.marked_among(&ids, session).await?);
            }
        }
        return Ok(Some(marked));
    }
    Ok(None)
}

/// Clears the tombstones of a delete that failed before it was certain. Returns the reason of the failure, and whether they are cleared.
pub(super) async fn take_back(
    op: &mut DeleteOperation<'_, '_>,
    page: &[Document],
    error: Error,
) -> (Error, bool) {
    let mut others = ids(page);
    others.retain(|id| *id != op.leader);
    let only = (!op.plan.is_deep()).then_some(others.as_slice());
    match op.undo(only).await {
        Ok(()) => (error, true),
        // Another program has cleared the tombstones, or the answer that made the delete certain was lost.
        Err(Error::Unsettled { .. }) => (error, false),
        // The remaining tombstones matter more than the refusal, so report that error.
        Err(failed) if matches!(error, Error::Referenced { .. }) => (failed, false),
        Err(_) => (error, false),
    }
}

/// The steps after D1. If only parents have to follow, all of them are updated at once; the removal of their marks is done after the
/// answer.
pub(super) async fn delete_marked(
    op: &mut DeleteOperation<'_, '_>,
    page: &[Document],
) -> Result<()> {
    let (Some(leaves), [child]) = (op.leaves, page) else {
        return follow_and_bury(op, page).await;
    };
    fault!("after_d1");
    let mut child = Source::read(child.clone());
    find_periods(op.db, op.plan.root, [&mut child]).await?;
    let child = Arc::new(child);
    // An earlier writer may have left a count flag: it must be counted before the document is gone.
    let others = flags::marks(&child.fields, stored::key::UNCOUNTED)
        .any(|flag| !flags::has_token([flag].into_iter(), leaves.token));
    let changes = match others {
        true => None,
        false => ParentChanges::plan(op.db, op.plan.root, &[child], Some(leaves)),
    };
    let mut tickets = Vec::new();
    if let Some(changes) = changes {
        // The document does not exist afterwards: no program could find that the parents have not followed.
        let applied = changes.apply(op.db, &Acknowledged::Durable).await;
        tickets = applied.tickets;
        links::collect_refills(&mut op.refill, applied.refill);
        if applied.all {
            fault!("after_d2");
            fault!("before_d3");
            op.bury_page(&[]).await?;
            fault!("after_d3");
            tickets
                .into_iter()
                .for_each(|ticket| ticket.finish(Finished::Confirmed));
            return Ok(());
        }
    }
    follow_and_bury(op, page).await?;
    tickets
        .into_iter()
        .for_each(|ticket| ticket.finish(Finished::Changed));
    Ok(())
}

/// Checks the marked documents if a reference may refuse (freeze), updates the documents that depend on them (D2), and deletes them (D3).
fn follow_and_bury<'f>(
    op: &'f mut DeleteOperation<'_, '_>,
    page: &'f [Document],
) -> BoxFuture<'f, Result<()>> {
    Box::pin(async move {
        fault!("after_d1");
        let deep = op.plan.is_deep();
        let others = ids(&page[1..]);
        if op.plan.denied {
            if deep {
                op.descend(None).await?;
            }
            fault!("after_freeze");
            if deep {
                op.check().await?;
            } else {
                op.check_page(op.plan.root, page).await?;
            }
            op.commit().await?;
        } else if deep {
            op.descend(None).await?;
        }
        if deep {
            op.follow(None).await?;
        } else {
            op.follow_page(op.plan.root, page, None).await?;
            op.leave_page(op.plan.root, &ids(page)).await?;
        }
        fault!("after_d2");
        fault!("before_d3");
        if deep {
            op.bury().await?;
        } else {
            op.bury_page(&others).await?;
        }
        fault!("after_d3");
        // Other writers may have stored references meanwhile without a mark.
        op.follow_unmarked(page).await
    })
}
