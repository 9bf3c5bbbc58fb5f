//! Rules for the fields that order a queue.

use crate::__private::text::Text;
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
    let text = Text::<1024>::new()
        .push_str("`")
        .push_str(option)
        .push_str(" = ")
        .push_str(field)
        .push_str("` of the queue `")
        .push_str(owner)
        .push_str("` names a field that holds many values [QUEUE_FIELD]\nhelp: order it by a field that holds one: a number, a date\nnote: an array or a document has no one place in an order");
    panic!("{}", text.as_str());
}
