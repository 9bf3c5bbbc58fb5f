//! The pending work after a transaction has committed.

use std::collections::BTreeMap;
use std::fmt;

use bson::{Bson, Document, doc};

use crate::builder::{CallOptions, answers};
use crate::driver::{self, Database};
use crate::error::Result;
use crate::graph::edges::Edges;
use crate::graph::relations::Relations;
use crate::graph::source::Source;
use crate::outbox;
use crate::outcome::{Pending, What};
use crate::propagation::delete::tomb::{State, Tomb};
use crate::propagation::{counter, delete, source, target};
use crate::schema::stored;

/// Finishes what calls in a session have left pending, once its transaction has committed: the fan-out of changed sources and the
/// comparison of new copies. It skips work that is no longer pending, so it does no harm after an abort, after a commit
/// whose outcome is unknown, or if it is called twice. If it is never called, a [`Sweeper`](crate::Sweeper) finds the
/// same work.
///
/// Sends, per source, one read and the commands of a fan-out; per set of new copies one read and one update. Sends nothing without pending
/// entries. `.await` gives what is still pending.
///
/// # Errors
/// The driver's, and [`Error::MissingIndex`](crate::Error::MissingIndex). In that case all flags stay.
pub fn after_commit(db: &Database, pending: impl IntoIterator<Item = Pending>) -> AfterCommit<'_> {
    AfterCommit {
        db,
        pending: pending.into_iter().collect(),
    }
}

/// The pass after a commit, about to be sent.
#[must_use = "nothing is sent before it is awaited"]
pub struct AfterCommit<'a> {
    db: &'a Database,
    pending: Vec<Pending>,
}

impl fmt::Debug for AfterCommit<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AfterCommit")
            .field("pending", &self.pending)
            .finish_non_exhaustive()
    }
}

answers!(['a] AfterCommit<'a> => Vec<Pending>, self, CallOptions::settled(), {
    let mut left = Vec::new();
    let mut sources: BTreeMap<&str, Vec<Bson>> = BTreeMap::new();
    let (mut batches, mut marks, mut counted) = (Vec::new(), Vec::new(), Vec::new());
    let (mut deletes, mut parents, mut held) = (Vec::new(), Vec::new(), Vec::new());
    for pending in &self.pending {
        match &pending.what {
            What::Source(id) => {
                let ids = sources.entry(&pending.collection).or_default();
                if !ids.contains(id) {
                    ids.push(id.clone());
                }
            }
            What::Sources(token) => batches.push((&pending.collection, &pending.edge, *token)),
            What::Targets(token) if !marks.contains(&(&pending.collection, *token)) => {
                marks.push((&pending.collection, *token));
            }
            What::Counted(token) if !counted.contains(&(&pending.collection, *token)) => {
                counted.push((&pending.collection, *token));
            }
            What::Targets(_) | What::Counted(_) => {}
            What::Delete(id, op) => deletes.push((pending, id, *op)),
            What::Parents(token) => parents.push((&pending.edge, *token)),
            What::Entries(outbox, token) => held.push((&pending.collection, *outbox, *token)),
        }
    }
    for (name, outbox, token) in held {
        let mut holding = Edges::get().holding_entries();
        if let Some(collection) = holding.find(|collection| *collection == name) {
            outbox::deliver_committed(self.db, collection, outbox, token).await?;
        }
    }
    // Deletes first: a reference to a deleted document then needs no update.
    for (pending, id, op) in deletes {
        let collections = Relations::get().entombing();
        let Some(collection) = collections.get(pending.collection.as_str()) else { continue };
        let leads = Some((State::Commit, 0));
        let leader = Tomb { id: id.clone(), op, leads };
        delete::resume(self.db, collection, &leader).await?;
    }
    // New copies next: their corrected values may be copied further.
    for (collection, token) in marks {
        let filter = doc! { stored::UNVERIFIED_TOKEN: token };
        let verified = target::resume(self.db, collection, filter, &mut |_| true).await?;
        let failed = verified.failed.into_iter().map(|(_, reason)| Pending {
            edge: collection.clone(),
            collection: collection.clone(),
            what: What::Targets(token),
            reason: Some(reason),
        });
        left.extend(failed);
    }
    for (collection, edge, token) in batches {
        let filter: Document = doc! { stored::PENDING: edge, stored::BATCH: token };
        left.extend(source::resume(self.db, collection, filter, &mut |_| true).await?.pending);
    }
    for (collection, token) in counted {
        let filter = doc! { stored::UNCOUNTED_TOKEN: token };
        counter::resume(self.db, collection, filter, &mut |_| true).await?;
    }
    for (collection, ids) in sources {
        let fields = source::fields(collection);
        let found = driver::durable_read(self.db, collection, "_id", &ids, &fields).await?;
        let found = found.into_iter().map(Source::read).collect();
        left.extend(source::finish(self.db, collection, found, &[]).await?.pending);
    }
    for (name, token) in parents {
        let mut links = Edges::get().links().iter();
        if let Some(link) = links.find(|link| link.name == *name) {
            crate::propagation::links::clear_marks(self.db, link, &[token], false).await?;
        }
    }
    Ok(left)
});
