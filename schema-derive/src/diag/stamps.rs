//! Messages about `#[created]`, `#[updated]` and `#[immutable]`.

use quote::ToTokens;

use super::Diag;
use crate::rules;

pub(crate) fn stamp_in_embed(span: &dyn ToTokens, name: &str, owner: &str) -> Diag {
    Diag::new(
        span,
        &rules::ATTR_PLACE,
        format!("`#[{name}]` has no meaning on `{owner}` because it is in an embedded document"),
    )
    .help("put it on a field of the model itself")
    .note("a document is stored and changed as a whole")
}

pub(crate) fn stamp_and(span: &dyn ToTokens, name: &str, other: &str, owner: &str) -> Diag {
    Diag::new(
        span,
        &rules::ATTR_CONFLICT,
        format!("`{name}` on `{owner}` contradicts `{other}`"),
    )
    .help(match name {
        "immutable" => "remove one of them".to_owned(),
        "deleted" => {
            "a field of its own: `#[deleted] deleted_at: Option<bson::DateTime>`".to_owned()
        }
        _ => format!("a field of its own: `#[{name}] {name}_at: bson::DateTime`"),
    })
}

pub(crate) fn stamp_twice(span: &dyn ToTokens, name: &str, owner: &str, first: &str) -> Diag {
    let rule = match name {
        "deleted" => &rules::SOFT_DELETE_FIELD,
        _ => &rules::STAMP_DATE,
    };
    Diag::new(
        span,
        rule,
        format!("`{owner}` is a second `#[{name}]` beside `{first}`"),
    )
    .help("remove one of them")
    .note("both would always hold the same time")
}

pub(crate) fn stamp_stored(span: &dyn ToTokens, name: &str, owner: &str) -> Diag {
    Diag::new(
        span,
        &rules::ATTR_CONFLICT,
        format!("`{name}` on `{owner}` contradicts its `#[serde(with = ..)]`"),
    )
    .help("`bson::DateTime`, without the serde attribute")
    .note("the server writes a BSON date, which the functions might not read back")
}
