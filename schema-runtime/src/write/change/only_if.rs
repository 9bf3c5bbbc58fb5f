//! Compare and swap by values: a change that is made only if the document meets the program's conditions.

use bson::Bson;

use super::send::change;
use super::{Swapped, Update};
use crate::builder::answers;
use crate::error::Result;
use crate::filter::{AskedOf, Filter};
use crate::schema::field::Handles;
use crate::schema::model::Model;
use crate::schema::version::{Version, Versioned};
use crate::write::cardinality::One;

/// A kind of update: with a condition.
#[derive(Debug)]
pub enum WithCondition {}

/// A change of one document that is made only if a condition holds, about to be sent. `.await` gives a [`Swapped`].
pub type UpdateIf<'a, M> = Update<'a, M, WithCondition>;

impl<'a, M: Model> Update<'a, M> {
    /// Makes the change only if the document meets this condition, in the same atomic write:
    /// `Seat::update(&db, id).only_if(|s| s.taken_by.is_none()).set(|s| s.taken_by, me)`. The `_id` finds the document, so the condition
    /// needs no index. `.await` gives a [`Swapped`]: a condition that did not hold is not an error, and costs one
    /// `find`.
    ///
    /// The condition compares values: it cannot detect a value that was changed and changed back. A `#[version]` detects that.
    pub fn only_if<F, S, C>(mut self, condition: F) -> UpdateIf<'a, M>
    where
        F: FnOnce(M::FieldHandles) -> Filter<C, S>,
        S: AskedOf<M, C>,
    {
        match condition(M::FieldHandles::VALUE).into_scan() {
            Ok(condition) => self.conditions.push(Bson::Document(condition)),
            Err(error) => self.changes.fail(error),
        }
        self.into_kind()
    }

    /// Makes the change only if the document has this version, the one that the program has read:
    /// `Event::update(&db, id).patch(body).if_version(7)`. Otherwise as [`only_if`](Self::only_if).
    pub fn if_version(mut self, version: i64) -> UpdateIf<'a, M>
    where
        M: Versioned,
    {
        let condition = Version::of(M::model_meta()).map(|field| field.is(version));
        self.conditions.extend(condition.map(Bson::Document));
        self.into_kind()
    }

    /// Makes the change only if the document has a version of the header `If-Match` of a request. The header has the
    /// [`etag`](Versioned::etag)s that a client has read: one, a list, or `*` for any version. Any other text matches no document.
    pub fn if_match(mut self, header: &str) -> UpdateIf<'a, M>
    where
        M: Versioned,
    {
        let field = Version::of(M::model_meta());
        let condition = field.and_then(|field| field.in_header(header));
        self.conditions.extend(condition.map(Bson::Document));
        self.into_kind()
    }
}

impl<'a, M: Model> UpdateIf<'a, M> {
    /// Adds another condition that has to hold as well.
    pub fn only_if<F, S, C>(self, condition: F) -> Self
    where
        F: FnOnce(M::FieldHandles) -> Filter<C, S>,
        S: AskedOf<M, C>,
    {
        self.into_kind::<One>().only_if(condition)
    }
}

answers!(['a, M: Model] UpdateIf<'a, M> => Swapped<M>, self, self.call.clone(), {
    change(self.into_kind()).await
});
