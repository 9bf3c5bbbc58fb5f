//! Rules for the type of a `#[created]` or `#[updated]` field.

use crate::__private::text::Text;
use crate::schema::rows::{FieldRow, Kind};

/// The server's time is a BSON date.
#[track_caller]
pub const fn stamp(row: &FieldRow, owner: &'static str, ty: &'static str) {
    // Skip types that no document can hold: VALUE_TYPE already reports them.
    if matches!(row.kind, Kind::Date) || !row.facts.known {
        return;
    }
    let text = Text::<1024>::new()
        .push_str("`")
        .push_str(owner)
        .push_str("` is set to the server's time, and is of type `")
        .push_str(ty)
        .push_str("` [STAMP_DATE]\nhelp: `bson::DateTime`, or `Option<bson::DateTime>` where stored documents have none\nnote: the server writes a BSON date");
    panic!("{}", text.as_str());
}
