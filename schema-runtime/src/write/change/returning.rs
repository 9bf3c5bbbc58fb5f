//! Writes that give the document.

use std::fmt;
use std::ops::Deref;

use super::Update;
#[cfg(feature = "driver")]
use super::send::change_and_return;
#[cfg(feature = "driver")]
use crate::builder::answers;
#[cfg(feature = "driver")]
use crate::driver::Image;
#[cfg(feature = "driver")]
use crate::error::Result;
use crate::outcome::Outcome;
use crate::schema::model::Model;

/// A change of one document that gives the document, about to be sent. `.await` gives a [`Returned`].
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

/// A document, and what the write did. It can be used as the document itself: `returned.name`.
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
    #[cfg(feature = "driver")]
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
    /// Gives the document as it is after the change, in the same atomic command: no other write comes in between.
    ///
    /// Sends a `findAndModify` in the place of the `update`, and no command more. Copies beside references that the change adds are as the
    /// program gave them, or as they were read before; they are compared with their sources after it.
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
    /// As the update, and [`Error::Decode`](crate::Error::Decode) if the document is not what the model says: the change was made then.
    pub fn returning(self) -> Returning<'a, M> {
        Returning {
            one: self,
            before: false,
        }
    }

    /// The same with the document as it was before the change.
    ///
    /// # Errors
    /// As [`returning`](Self::returning), and [`Error::Unsupported`](crate::Error::Unsupported) for a change of fields that other documents
    /// copy, and of references that have copies: these follow from the document after the change. That change is not made.
    pub fn returning_before(self) -> Returning<'a, M> {
        Returning {
            one: self,
            before: true,
        }
    }
}

#[cfg(feature = "driver")]
answers!(['a, M: Model] Returning<'a, M> => Returned<M>, self, self.one.settled, {
    let image = if self.before { Image::Before } else { Image::After };
    change_and_return(self.one, image).await
});
