//! Errors about a stored document that cannot be read.

use super::Error;
use crate::codec::outdated::{FIELD, Outdated};

/// A stored document that a read left out because its model cannot read it: see [`Find::skip_undecodable`](crate::crud::Find::skip_undecodable).
#[derive(Debug)]
#[non_exhaustive]
pub struct SkippedDocument {
    /// The model.
    pub model: &'static str,
    /// The document's `_id`, as far as it could be read.
    pub id: String,
    /// The stored path of the value that could not be read; empty if the error is about the document as a whole.
    pub path: String,
    /// The error that the read returns without the listener.
    pub error: Error,
}

impl Error {
    /// The `_id` of the document that could not be read, where the error is about one.
    pub(crate) fn id_of_unread(&mut self) -> Option<&mut String> {
        match self {
            Error::Decode { id, .. }
            | Error::NewerSchema { id, .. }
            | Error::OlderSchema { id, .. }
            | Error::Unversioned { id, .. }
            | Error::Migration { id, .. } => Some(id),
            _ => None,
        }
    }

    /// The document that could not be read, where the error is about one.
    ///
    /// # Errors
    /// The error itself, if it is about something else.
    pub(crate) fn into_skipped(self) -> Result<SkippedDocument, Error> {
        let (model, id, path) = match &self {
            Error::Decode { model, id, source } => (*model, id.clone(), source.path()),
            Error::NewerSchema { model, id, .. }
            | Error::OlderSchema { model, id, .. }
            | Error::Unversioned { model, id, .. }
            | Error::Migration { model, id, .. } => (*model, id.clone(), FIELD),
            _ => return Err(self),
        };
        let path = path.to_owned();
        Ok(SkippedDocument {
            model,
            id,
            path,
            error: self,
        })
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
