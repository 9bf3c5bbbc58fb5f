//! Rules for the type of a `#[created]` or `#[updated]` field.

use crate::__private::text::refuse;
use crate::schema::rows::{FieldRow, Kind};

/// The server's time is a BSON date.
#[track_caller]
pub const fn stamp(row: &FieldRow, owner: &'static str, ty: &'static str) {
    // Skip types that no document can hold: VALUE_TYPE already reports them.
    if matches!(row.kind, Kind::Date) || !row.facts.known {
        return;
    }
    refuse!(
        "`{owner}` is set to the server's time, and is of type `{ty}` [STAMP_DATE]\n\
         help: `bson::DateTime`, or `Option<bson::DateTime>` where stored documents have none\n\
         note: the server writes a BSON date";
        owner, ty
    );
}
