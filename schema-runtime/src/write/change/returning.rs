//! Writes that return the document.

use std::fmt;
use std::ops::Deref;

use super::Update;
use super::send::change_and_return;
use crate::builder::answers;
use crate::driver::Image;
use crate::error::Result;
use crate::outcome::Outcome;
use crate::schema::model::Model;

/// A change of one document that returns the document, about to be sent. `.await` gives a [`Returned`].
#[must_use = "nothing is sent before it is awaited"]
pub struct Returning<'a, M> {
    one: Update<'a, M>,
    before: bool,
}

impl<M> fmt::Debug for Returning<'_, M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Returning")
            .field("update", &self.one)
            .field("before", &self.before)
            .finish()
    }
}

/// A document, and the result of the write. It dereferences to the document: `returned.name`.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
#[must_use = "copies that have yet to follow are in `outcome.pending`"]
pub struct Returned<M> {
    /// The document.
    pub document: M,
    /// The result of the write.
    pub outcome: Outcome,
}

impl<M> Returned<M> {
    pub(crate) fn new(document: M, outcome: Outcome) -> Self {
        Returned { document, outcome }
    }

    /// The document, without the result of the write.
    #[must_use]
    pub fn into_document(self) -> M {
        self.document
    }
}

impl<M> Deref for Returned<M> {
    type Target = M;

    fn deref(&self) -> &M {
        &self.document
    }
}

impl<'a, M: Model> Update<'a, M> {
    /// Returns the document as it is after the change, from the same atomic command: no other write comes in between.
    ///
    /// Sends a `findAndModify` instead of the `update`, and no further command. Copies beside references that the
    /// change adds are as the program gave them, or as they were read before the change; they are compared with their
    /// sources after it.
    ///
    /// ```no_run
    /// # use mongo_model::{Database, MongoModel};
    /// # use serde::{Deserialize, Serialize};
    /// # #[derive(Debug, Serialize, Deserialize, MongoModel)]
    /// # #[model(collection = "counters")]
    /// # pub struct Counter { #[serde(rename = "_id")] pub id: String, pub last: i64 }
    /// # async fn example(db: &Database) -> mongo_model::Result<()> {
    /// let counter = Counter::update(db, "invoices").inc(|c| c.last, 1).returning().await?;
    /// println!("invoice {}", counter.last);
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// As the update, and [`Error::Decode`](crate::Error::Decode) if the document does not match the model: in that
    /// case the change was made.
    pub fn returning(self) -> Returning<'a, M> {
        Returning {
            one: self,
            before: false,
        }
    }

    /// Returns the document as it was before the change, in the same way.
    ///
    /// # Errors
    /// As [`returning`](Self::returning), and [`Error::Impossible`](crate::Error::Impossible) for a change of fields
    /// that other documents copy, or of references that have copies, because these follow from the document after the
    /// change. In that case the change is not made.
    pub fn returning_before(self) -> Returning<'a, M> {
        Returning {
            one: self,
            before: true,
        }
    }
}

answers!(['a, M: Model] Returning<'a, M> => Returned<M>, self, self.one.settled, {
    let image = if self.before { Image::Before } else { Image::After };
    change_and_return(self.one, image).await
});
