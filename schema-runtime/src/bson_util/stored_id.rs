//! The `_id` of a document; null if it has none.

use bson::{Bson, Document, RawDocument};

/// The `_id` of a document as the server sent it.
pub(crate) fn id_of(raw: &RawDocument) -> Bson {
    let id = raw.get("_id").ok().flatten();
    id.and_then(|id| Bson::try_from(id).ok())
        .unwrap_or(Bson::Null)
}

/// The `_id` of a decoded document.
pub(crate) fn id_of_document(document: &Document) -> Bson {
    document.get("_id").cloned().unwrap_or(Bson::Null)
}

/// The `_id` that a filter by `_id` matches.
pub(crate) fn id_in_filter(filter: &Document) -> Bson {
    match filter.get("_id") {
        Some(Bson::Document(exactly)) => exactly.get("$eq").cloned().unwrap_or(Bson::Null),
        id => id.cloned().unwrap_or(Bson::Null),
    }
}
