//! The certificate of an erase, as data.

use serde::Serialize;

use crate::outcome::Pending;

/// The fields that an erase has changed, and those that stay. It holds no personal value.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Certificate {
    /// The model of the person.
    pub model: &'static str,
    /// The `_id` of the person, as a text.
    pub person: String,
    /// True if nothing is pending: the values are erased wherever they were.
    pub finished: bool,
    /// The fields that were erased, by model and reference.
    pub erased: Vec<ErasedFields>,
    /// The copies that followed them.
    pub copies: Vec<CopiedField>,
    /// The fields that stay.
    pub kept: Vec<KeptFields>,
    /// The work that is flagged in the database and not done: [`recover`](crate::recover) or a [`Sweeper`](crate::Sweeper) does it.
    #[serde(skip)]
    pub pending: Vec<Pending>,
}

/// The erased fields of the documents of one model.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct ErasedFields {
    /// The model.
    pub model: &'static str,
    /// The collection.
    pub collection: &'static str,
    /// The stored path of the reference to the person; `_id` of the person itself.
    pub reference: String,
    /// The stored paths of the fields.
    pub fields: Vec<String>,
    /// The number of documents of the person that hold them.
    pub documents: u64,
}

/// A copy, a list or a number that follows a personal field.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[non_exhaustive]
pub struct CopiedField {
    /// The model.
    pub model: &'static str,
    /// The collection.
    pub collection: &'static str,
    /// The stored path of the copy.
    pub path: String,
    /// The field that it follows: `users.name`.
    pub source: String,
}

/// A field that an erase leaves.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct KeptFields {
    /// The model.
    pub model: &'static str,
    /// The collection.
    pub collection: &'static str,
    /// The stored path of the field.
    pub field: String,
    /// The time for which it stays.
    pub keep_for: &'static str,
    /// The reason.
    pub reason: &'static str,
}
