//! A walk of a migration over documents, with a stored position.

use std::fmt;
use std::future::IntoFuture;
use std::time::Duration;

use super::Migration;
use crate::builder::awaits;
use crate::driver::ReadOptions;
use crate::error::{Error, Result};
use crate::find::Find;
use crate::find::page::PageToken;
use crate::projection::Projected;
use crate::schema::model::Model;

/// The number of documents between two stored positions, unless the call says otherwise.
const BATCH: u32 = 100;

/// A walk over documents, about to be made. `.await` gives the number of documents, with those of earlier runs.
#[must_use = "nothing is sent before it is awaited"]
pub struct Each<'a, M, O, F> {
    migration: &'a Migration,
    find: Find<'a, M, O>,
    change: F,
    batch: u32,
    pause: Duration,
}

impl<M, O, F> fmt::Debug for Each<'_, M, O, F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Each")
            .field("find", &self.find)
            .field("batch", &self.batch)
            .finish_non_exhaustive()
    }
}

impl<'a, M: Model, O, F> Each<'a, M, O, F> {
    pub(super) fn new(migration: &'a Migration, find: Find<'a, M, O>, change: F) -> Self {
        Each {
            migration,
            find,
            change,
            batch: BATCH,
            pause: Duration::ZERO,
        }
    }

    /// Sets after how many documents the position is stored: by default 100. At least 1.
    pub fn batch(mut self, documents: u32) -> Self {
        self.batch = documents.max(1);
        self
    }

    /// Waits for this time after each batch, so that the server has time for the calls of users.
    pub fn pause(mut self, time: Duration) -> Self {
        self.pause = time;
        self
    }
}

awaits!(['a, M: Model, O: Projected<M>, F, Changed] Each<'a, M, O, F> => u64, self where (
    F: FnMut(O) -> Changed + Send + 'a,
    Changed: Future<Output = Result<()>> + Send,
) {
    let Each { migration, mut find, mut change, batch, pause } = self;
    let (number, mut position) = migration.next_walk();
    if find.session.is_some() {
        return Err(Error::Impossible {
            what: "a walk of a migration in a transaction: its position is stored outside of it".to_owned(),
        });
    }
    if find.skipped.is_some() {
        return Err(Error::Impossible {
            what: "a walk of a migration leaves no document out: remove `skip_undecodable`".to_owned(),
        });
    }
    find.sort = None;
    find.options = find.options.or(&ReadOptions::from_primary());
    while !position.done {
        let after = position.at.take().map(|at| at.parse::<PageToken>()).transpose()?;
        let page = find.again()?.page(batch).after(after).await?;
        for document in page.items {
            change(document).await?;
            position.documents += 1;
        }
        position.done = page.next.is_none();
        position.at = page.next.map(|next| next.to_string());
        migration.claim.store(number, &position).await?;
        migration.report(position.documents);
        if !position.done && !pause.is_zero() {
            tokio::time::sleep(pause).await;
        }
    }
    Ok(position.documents)
});
