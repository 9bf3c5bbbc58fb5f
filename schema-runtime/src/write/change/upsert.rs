//! A change of one document, or the document itself where there is none.

use std::fmt;

#[cfg(feature = "driver")]
use super::Swapped;
use super::Update;
#[cfg(feature = "driver")]
use super::send::change;
use crate::Database;
#[cfg(feature = "driver")]
use crate::builder::answers;
use crate::document::documents::Documents;
use crate::document::id::by_id;
use crate::error::Result;
#[cfg(feature = "driver")]
use crate::outcome::Outcome;
use crate::schema::model::Model;

/// A document about to be stored, or to be changed if it is stored already. `.await` gives an [`Outcome`](crate::Outcome), of which
/// `inserted` or `matched` is 1.
#[must_use = "nothing is sent before it is awaited"]
pub struct Upsert<'a, M> {
    pub(super) one: Update<'a, M>,
}

impl<M> fmt::Debug for Upsert<'_, M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Upsert").field("update", &self.one).finish()
    }
}

impl<'a, M: Model> Upsert<'a, M> {
    pub(crate) fn new(db: &'a Database, document: &M) -> Self {
        let mut new = Documents::default();
        let filter: Result<_> = new
            .push(document)
            .and_then(|()| by_id::<M>(document.document_id()));
        let mut one = Update::one(db, filter);
        one.new = Some(new);
        Upsert { one }
    }
}

#[cfg(feature = "driver")]
answers!(['a, M: Model] Upsert<'a, M> => Outcome, self, self.one.settled, {
    match change(self.one).await? {
        Swapped::Done(outcome) => Ok(outcome),
        // Only a condition can be unmet, and an upsert has none.
        Swapped::Not(_) => Ok(Outcome::default()),
    }
});
