//! The last writers of a document.

use bson::oid::ObjectId;
use bson::{Document, doc};

use crate::schema::stored;

/// How many of its last writers a document records, so that a writer whose reply was lost finds its own write. Recording only the
/// last one is not enough: others may have written since.
pub(crate) const REMEMBERED: i32 = 8;

/// The last writers with one more, as an expression.
pub(crate) fn remembered(token: ObjectId) -> Document {
    let all = doc! { "$concatArrays": [{ "$ifNull": [stored::value::WRITERS, []] }, [token]] };
    doc! { "$slice": [all, -REMEMBERED] }
}

/// The same as an operator of an update.
pub(crate) fn remember(token: ObjectId) -> Document {
    doc! { stored::WRITERS: { "$each": [token], "$slice": -REMEMBERED } }
}
