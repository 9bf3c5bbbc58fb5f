//! An index as the server lists it.

use std::fmt;

use bson::Document;

use super::definition::write_spec;
use super::signature::{Collation, Signature, canonical_collation};

/// An index that exists.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct LiveIndex {
    /// The name, which commands use to drop, hide or change the index.
    pub name: String,
    /// The specification from `listIndexes`, including options that this library does not know.
    pub spec: Document,
}

impl LiveIndex {
    pub(crate) fn new(spec: Document) -> Self {
        LiveIndex {
            name: spec.get_str("name").unwrap_or_default().to_owned(),
            spec,
        }
    }

    /// True if it is the index that the server makes with every collection and never drops.
    pub(crate) fn is_id(&self) -> bool {
        self.name == "_id_" || self.spec.get_bool("clustered").unwrap_or(false)
    }

    pub(crate) fn signature(&self) -> Signature {
        Signature::of_spec(&self.spec, None)
    }

    pub(crate) fn collation(&self) -> Option<Collation> {
        self.spec
            .get_document("collation")
            .ok()
            .and_then(canonical_collation)
    }
}

/// Name, keys and options: `` `age_1` { age: 1 } sparse ``.
impl fmt::Display for LiveIndex {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` ", self.name)?;
        write_spec(f, &self.spec)
    }
}
