//! The last writers of a document.

use bson::oid::ObjectId;
use bson::{Document, doc};

use crate::schema::stored;

/// The number of last writers that a document records, so that a writer whose reply was lost finds its own write. Recording only the
/// last writer is not enough: others may have written since.
pub(crate) const REMEMBERED: i32 = 8;

/// The expression for the last writers of a document, with this one added.
pub(crate) fn remembered(token: ObjectId) -> Document {
    let all = doc! { "$concatArrays": [{ "$ifNull": [stored::value::WRITERS, []] }, [token]] };
    doc! { "$slice": [all, -REMEMBERED] }
}

/// The argument of `$push` that adds this writer to the last writers.
pub(crate) fn remember(token: ObjectId) -> Document {
    doc! { stored::WRITERS: { "$each": [token], "$slice": -REMEMBERED } }
}
