//! Documents of the server as models and projections; errors name the document.

use bson::{Bson, RawDocument};

use super::unread;
use crate::error::{Error, Result};
use crate::projection::{Borrowed, Projected};
use crate::schema::model::Model;

/// Decodes one document of `M`, or a projection of one; an error names its `_id`.
pub(crate) fn decode_as<M: Model, O: Projected<M>>(raw: &RawDocument) -> Result<O> {
    let read = match M::SCHEMA
        .filter(|_| O::ROWS.is_some() && !crate::projection::versions::only_id::<M, O>())
    {
        Some(schema) => schema.current(raw).and_then(|raw| O::read(&raw)),
        // A whole document knows its version itself.
        None => O::read(raw),
    };
    read.map_err(|source| decode_error(M::model_meta().name, raw, source))
}

/// Gives a document to `each`, read where it lies.
pub(crate) fn lend_as<M: Model, V: Borrowed<M>>(
    raw: &RawDocument,
    only_id: bool,
    mut each: impl for<'d> FnMut(V::Of<'d>),
) -> Result<()> {
    let given = match M::SCHEMA.filter(|_| !only_id) {
        Some(schema) => schema
            .current(raw)
            .and_then(|raw| crate::projection::lend_part::<M, V>(&raw, &mut each)),
        None => crate::projection::lend_part::<M, V>(raw, &mut each),
    };
    given.map_err(|source| decode_error(M::model_meta().name, raw, source))
}

/// The document `raw` of `model` is not what the model says.
pub(crate) fn decode_error(
    model: &'static str,
    raw: &RawDocument,
    source: crate::codec::error::CodecError,
) -> Error {
    let id = raw
        .get("_id")
        .ok()
        .flatten()
        .and_then(|id| Bson::try_from(id).ok());
    let id = id.map_or_else(|| unread::NO_ID.to_owned(), |id| id.to_string());
    if let Some(outdated) = source.as_outdated() {
        return outdated.error(model, id);
    }
    Error::Decode {
        model,
        id,
        source: Box::new(source),
    }
}
