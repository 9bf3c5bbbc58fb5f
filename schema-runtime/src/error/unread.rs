//! Errors about a stored document that cannot be read.

use super::Error;
use crate::codec::outdated::Outdated;

impl Error {
    /// The `_id` of the document that could not be read, where the error is about one.
    pub(crate) fn id_of_unread(&mut self) -> Option<&mut String> {
        match self {
            Error::Decode { id, .. }
            | Error::NewerSchema { id, .. }
            | Error::OlderSchema { id, .. }
            | Error::Migration { id, .. } => Some(id),
            _ => None,
        }
    }
}

impl Outdated {
    /// The error for a document of `model`.
    pub(crate) fn error(&self, model: &'static str, id: String) -> Error {
        match self.clone() {
            Outdated::Newer { found, known } => Error::NewerSchema {
                model,
                id,
                found,
                known,
            },
            Outdated::Older { found, known } => Error::OlderSchema {
                model,
                id,
                found,
                known,
            },
            Outdated::Unversioned { known } => Error::Unversioned { model, id, known },
            Outdated::Failed { from, reason } => Error::Migration {
                model,
                id,
                from,
                reason,
            },
        }
    }
}
