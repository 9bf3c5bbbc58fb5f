//! The marks of parents whose derived data has changed, or may lack children.

use bson::Bson;
use bson::oid::ObjectId;

/// The result of a round over some children: the changes of their parents.
#[derive(Debug, Default)]
pub(crate) struct ApplyResult {
    /// The children, by their index, whose parents the server refused to change, each with the reason.
    pub(crate) refused: Vec<(usize, String)>,
    /// The marks that were left on parents. Each is to be cleared when it is known that the child is as it was read.
    pub(crate) marks: Vec<ObjectId>,
    /// The marks of lists that were full, have lost children, and may lack others.
    pub(crate) refill: Vec<ObjectId>,
    /// The number of parents that were changed.
    pub(crate) changed: u64,
}

/// Checks if the parent with this `_id`, which has marks with these tokens, should be compared.
pub(crate) type Take<'t> = dyn FnMut(&Bson, &[ObjectId]) -> bool + Send + 't;
