//! Messages about models that are enums.

use proc_macro2::Ident;
use quote::ToTokens;

use super::Diag;
use crate::rules;

pub(crate) fn no_variants(span: &Ident, owner: &str) -> Diag {
    Diag::new(
        span,
        &rules::SHAPE,
        format!("model `{owner}` has no variants"),
    )
    .help("`enum Employee { Hourly(Hourly), Salary(Salary) }`")
}

pub(crate) fn variant_content(span: &Ident, owner: &str) -> Diag {
    Diag::new(
        span,
        &rules::SHAPE,
        format!("variant `{owner}::{span}` of a model holds no struct"),
    )
    .help(format!(
        "`{span}({span})`, with `#[derive(MongoEmbed)] struct {span} {{ #[serde(rename = \"_id\")] id: Id<{owner}>, .. }}`"
    ))
    .note("every document has an `_id`; a document of an unknown tag is an error when it is read, unless the finder of another variant passes it over")
}

pub(crate) fn variant_attribute(span: &dyn ToTokens, owner: &str, variant: &str) -> Diag {
    Diag::new(
        span,
        &rules::ATTR_PLACE,
        format!("an attribute on `{owner}::{variant}` has no meaning: it holds a whole document"),
    )
    .help("put it on a field of the struct inside")
}

pub(crate) fn variants_and(span: &dyn ToTokens, option: &str, owner: &str) -> Diag {
    Diag::new(
        span,
        &rules::ATTR_PLACE,
        format!("`{option}` has no meaning on `{owner}`, which is an enum"),
    )
    .help("put `#[index]` on the fields of its variants")
    .note("an index on a field that every variant has is made once; one on a field of some holds their documents alone")
}

pub(crate) fn common_without_variants(span: &Ident, owner: &str) -> Diag {
    Diag::new(
        span,
        &rules::ATTR_PLACE,
        format!("`common` has no meaning on `{owner}`, which is no enum"),
    )
    .help("remove it: all its fields have handles")
}
