//! Rules for the type of a `#[version]` field.

use crate::__private::text::refuse;

/// A version is a number that the server adds to.
#[track_caller]
pub const fn version(right: bool, owner: &'static str, ty: &'static str) {
    if right {
        return;
    }
    refuse!(
        "`{owner}` is a version of type `{ty}` [CAS_VERSION]\n\
         help: `i64`\n\
         note: every write adds 1 to the version on the server, which has integers of 64 bits, and of 32 (`i32`)";
        owner, ty
    );
}
