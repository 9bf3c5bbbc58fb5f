//! New documents that have places in bounded numbers: their calls return once they are stored, because the numbers have contained them
//! since the places were reserved. C2 follows after the calls have returned, and then the last steps of the documents.

use std::time::Duration;

use futures::future::{BoxFuture, join_all};

use super::unfinished::Unfinished;
use super::{UNFINISHED, finish};
use crate::driver::{Acknowledged, Database};
use crate::finisher::{Batches, Open};
use crate::propagation::parents::ParentChanges;

/// A reservation holds the place, so nobody waits for C2, and calls one after another share the update of their parent, too. It must end
/// long before the lease of a reservation, and before a parent has as many of them as calls may leave there.
static RESERVED: Batches<Reserved> = Batches::new(Duration::from_millis(50), 1);

/// The documents of one call, and the parents that have places of them.
struct Reserved {
    unfinished: Unfinished,
    parents: ParentChanges,
    open: Open,
}

/// Counts these documents after their call has returned.
pub(super) fn count_later(
    db: &Database,
    collection: &'static str,
    unfinished: Unfinished,
    parents: ParentChanges,
    open: Open,
) {
    let reserved = Reserved {
        unfinished,
        parents,
        open,
    };
    RESERVED.push(db, collection, reserved, Open::unbounded(db), run);
}

fn run(db: Database, collection: &'static str, calls: Vec<Reserved>) -> BoxFuture<'static, ()> {
    Box::pin(async move {
        let all = calls.into_iter().map(|call| call.count(&db, collection));
        join_all(all).await;
    })
}

impl Reserved {
    /// C2. A parent has room for a limited number of tokens, so the next step of a call does not wait for the other calls.
    async fn count(mut self, db: &Database, collection: &'static str) {
        let applied = self.parents.apply(db, &Acknowledged::Durable).await;
        self.unfinished
            .add_parents(applied.parents, applied.tickets);
        self.unfinished.has_left_parents = !applied.all;
        UNFINISHED.push(db, collection, self.unfinished, self.open, finish::run);
    }
}
