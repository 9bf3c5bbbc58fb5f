//! Rules for the type of a `#[version]` field.

use crate::__private::text::Text;

/// A version is a number that the server adds to.
#[track_caller]
pub const fn version(right: bool, owner: &'static str, ty: &'static str) {
    if right {
        return;
    }
    let text = Text::<1024>::new()
        .push_str("`")
        .push_str(owner)
        .push_str("` is a version of type `")
        .push_str(ty)
        .push_str("` [CAS_VERSION]\nhelp: `i64`\nnote: every write adds 1 to the version on the server, which has integers of 64 bits, and of 32 (`i32`)");
    panic!("{}", text.as_str());
}
