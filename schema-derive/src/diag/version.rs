//! Messages about `#[version]`.

use quote::ToTokens;

use super::Diag;
use crate::rules;

pub(crate) fn version_in_embed(span: &dyn ToTokens, owner: &str) -> Diag {
    Diag::new(
        span,
        &rules::ATTR_PLACE,
        format!("`#[version]` has no meaning on `{owner}` because it is in an embedded document"),
    )
    .help("put the version on the model itself")
    .note("a document is compared and swapped as a whole")
}

pub(crate) fn version_twice(span: &dyn ToTokens, owner: &str, first: &str) -> Diag {
    Diag::new(
        span,
        &rules::CAS_VERSION,
        format!("`{owner}` is a second version beside `{first}`"),
    )
    .help("remove one of them")
    .note("a document has one version: every write that the library makes of it adds 1")
}

pub(crate) fn version_and(span: &dyn ToTokens, other: &str, owner: &str) -> Diag {
    Diag::new(
        span,
        &rules::ATTR_CONFLICT,
        format!("`version` on `{owner}` contradicts `{other}`"),
    )
    .help("a field of its own for the version: `#[version] version: i64`")
    .note("the version follows from the writes of its document alone")
}

pub(crate) fn version_stored(span: &dyn ToTokens, serde: &str, owner: &str) -> Diag {
    Diag::new(
        span,
        &rules::ATTR_CONFLICT,
        format!("`version` on `{owner}` contradicts its `#[serde({serde})]`"),
    )
    .help("remove the serde attribute")
    .note("the version is compared and added to on the server, as the number that it is")
}
