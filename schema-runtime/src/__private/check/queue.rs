//! Rules for the fields that order a queue.

use crate::__private::text::refuse;
use crate::schema::rows::{FieldRow, Kind};

/// A field that says which job is the first holds one value.
#[track_caller]
pub const fn queue_field(
    row: &FieldRow,
    owner: &'static str,
    option: &'static str,
    field: &'static str,
) {
    if !matches!(row.kind, Kind::Array | Kind::Map | Kind::Document) {
        return;
    }
    refuse!(
        "`{option} = {field}` of the queue `{owner}` names a field that holds many values [QUEUE_FIELD]\n\
         help: order it by a field that holds one: a number, a date\n\
         note: an array or a document has no one place in an order";
        option, field, owner
    );
}
