//! Writes that return the document.

use std::fmt;

use super::send::change_and_return;
use super::{Returned, ReturnedIf, Update, UpdateIf};
use crate::builder::{answers, settles, write_options, writes_in_transactions};
use crate::driver::Image;
use crate::error::Result;
use crate::filter::{AskedOf, Filter};
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

/// A change of one document that is made only if a condition holds and returns the document, about to be sent. `.await` gives a
/// [`ReturnedIf`].
#[must_use = "nothing is sent before it is awaited"]
pub struct ReturningIf<'a, M> {
    one: Update<'a, M>,
    before: bool,
}

impl<M> fmt::Debug for ReturningIf<'_, M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ReturningIf")
            .field("update", &self.one)
            .field("before", &self.before)
            .finish()
    }
}

impl<'a, M: Model> UpdateIf<'a, M> {
    /// Returns the document as it is after the change, or, if the condition does not hold, as it is now. Sends what
    /// [`Update::returning`] sends; an unmet condition costs one `find`.
    ///
    /// ```no_run
    /// # use mongo_model::{Database, MongoModel};
    /// # use mongo_model::update::ReturnedIf;
    /// # use serde::{Deserialize, Serialize};
    /// # #[derive(Debug, Serialize, Deserialize, MongoModel)]
    /// # #[model(collection = "stocks")]
    /// # pub struct Stock { #[serde(rename = "_id")] pub id: String, pub left: i64 }
    /// # async fn example(db: &Database) -> mongo_model::Result<()> {
    /// match Stock::update(db, "nuts").only_if(|s| s.left.gt(0)).inc(|s| s.left, -1).returning().await? {
    ///     ReturnedIf::Done(stock) => println!("{} left", stock.left),
    ///     ReturnedIf::Not(stock) => println!("none of {}", stock.id),
    /// }
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// As [`Update::returning`].
    pub fn returning(self) -> ReturningIf<'a, M> {
        ReturningIf {
            one: self.into_kind(),
            before: false,
        }
    }

    /// Returns the document as it was before the change, in the same way.
    ///
    /// # Errors
    /// As [`Update::returning_before`].
    pub fn returning_before(self) -> ReturningIf<'a, M> {
        ReturningIf {
            one: self.into_kind(),
            before: true,
        }
    }
}

impl<'a, M: Model> Returning<'a, M> {
    /// Makes the change only if the document meets this condition: see [`Update::only_if`].
    pub fn only_if<F, S, C>(self, condition: F) -> ReturningIf<'a, M>
    where
        F: FnOnce(M::FieldHandles) -> Filter<C, S>,
        S: AskedOf<M, C>,
    {
        ReturningIf {
            one: self.one.only_if(condition).into_kind(),
            before: self.before,
        }
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

write_options!(Returning, ReturningIf);
settles!(Returning, one.call);
settles!(ReturningIf, one.call);
writes_in_transactions!(Returning, one);
writes_in_transactions!(ReturningIf, one);

answers!(['a, M: Model] Returning<'a, M> => Returned<M>, self, self.one.call.clone(), {
    match change_and_return(self.one, image(self.before)).await? {
        ReturnedIf::Done(returned) => Ok(returned),
        // Without a condition, a document that exists always matches.
        ReturnedIf::Not(current) => Ok(Returned::new(*current, Outcome::default())),
    }
});

answers!(['a, M: Model] ReturningIf<'a, M> => ReturnedIf<M>, self, self.one.call.clone(), {
    change_and_return(self.one, image(self.before)).await
});

fn image(before: bool) -> Image {
    if before { Image::Before } else { Image::After }
}
