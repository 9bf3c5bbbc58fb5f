//! Another writer was first.

use std::fmt;

use bson::{Bson, RawDocument, RawDocumentBuf};

use crate::error::Error;
use crate::schema::model::ModelMeta;

/// Another writer has changed the document since it was read. Nothing was changed by this one.
#[derive(Clone)]
pub struct Conflict {
    pub(crate) model: &'static str,
    pub(crate) collection: &'static str,
    pub(crate) id: Bson,
    pub(crate) expected: i64,
    pub(crate) current: RawDocumentBuf,
}

impl fmt::Debug for Conflict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Conflict")
            .field("model", &self.model)
            .field("id", &self.id)
            .field("expected", &self.expected)
            .finish_non_exhaustive()
    }
}

impl Conflict {
    /// The error for a writer that expected another version.
    pub(crate) fn seen(
        meta: &ModelMeta,
        id: Bson,
        expected: i64,
        current: RawDocumentBuf,
    ) -> Error {
        Error::Conflict(Box::new(Conflict {
            model: meta.name,
            collection: meta.collection,
            id,
            expected,
            current,
        }))
    }

    /// The stored document as raw BSON.
    #[must_use]
    pub fn document(&self) -> &RawDocument {
        &self.current
    }

    /// The `_id`.
    #[must_use]
    pub fn id(&self) -> &Bson {
        &self.id
    }

    /// The version that was read, and that is no longer stored.
    #[must_use]
    pub fn expected(&self) -> i64 {
        self.expected
    }
}

impl fmt::Display for Conflict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} {}: another writer has changed it since version {} was read",
            self.model, self.id, self.expected
        )
    }
}
