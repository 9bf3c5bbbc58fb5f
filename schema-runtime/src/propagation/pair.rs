//! A parent and a child.

use bson::Bson;

use crate::bson_util::id_key::IdKey;

/// A parent and a child that disagree about their relation, or that may do so.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Pair {
    pub(crate) parent: Bson,
    pub(crate) child: Bson,
    /// The tenant of the document that names the other one; `None` if the models have none.
    pub(crate) tenant: Option<Bson>,
}

impl Pair {
    pub(crate) fn key(&self) -> (IdKey, IdKey) {
        (IdKey::new(&self.parent), IdKey::new(&self.child))
    }
}
