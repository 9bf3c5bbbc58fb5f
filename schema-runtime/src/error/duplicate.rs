//! The question whether an error is a duplicate.

use super::Error;
use crate::schema::flat::FlatField;
use crate::schema::model::ModelMeta;

impl Error {
    /// True if a unique index already has the key of a document: [`Error::Duplicate`], by itself or as the cause of a
    /// partial push.
    #[must_use]
    pub fn is_duplicate(&self) -> bool {
        self.duplicate().is_some()
    }

    /// The model and the fields of a duplicate.
    pub(crate) fn duplicate(&self) -> Option<(&'static str, &[String])> {
        match self {
            Error::Duplicate { model, fields, .. } => Some((model, fields)),
            Error::PushedInPart { source, .. } => source.duplicate(),
            _ => None,
        }
    }
}

/// True if the error is a duplicate of these fields of the model, given by their Rust paths in the order of the index.
#[must_use]
pub fn is_duplicate_of(meta: &ModelMeta, error: &Error, fields: &[&str]) -> bool {
    let Some((model, found)) = error.duplicate() else {
        return false;
    };
    let all = &meta.flat().fields;
    let same = |(rust, stored): (&&str, &String)| {
        let is_it = |field: &FlatField| field.rust == *rust && field.path == *stored;
        all.iter().any(is_it)
    };
    model == meta.name && found.len() == fields.len() && fields.iter().zip(found).all(same)
}
