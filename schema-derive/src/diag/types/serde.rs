//! Messages about `#[serde(..)]` attributes: each is honoured or refused.

use proc_macro2::TokenStream;
use quote::ToTokens;

use super::super::{Diag, type_text};
use crate::rules;
use crate::syntax::{Conversion, Field, Kind, Variant};
use crate::types;

/// The advice for a type whose stored form is not its own.
fn opaque_instead(kind: Kind, owner: &str) -> String {
    match kind {
        Kind::Model => {
            format!("remove it, and convert between `{owner}` and the other type in your own code")
        }
        Kind::Embed => format!(
            "or remove `derive(MongoEmbed)` from `{owner}`, and mark the fields that hold it `#[model(opaque)]`"
        ),
    }
}

pub(crate) fn rename_asym(span: &dyn ToTokens, owner: &str, written: &str, read: &str) -> Diag {
    Diag::new(
        span,
        &rules::RENAME_ASYM,
        format!("`{owner}` is written as `{written}` and read as `{read}`"),
    )
    .help(format!(
        "to read both: `#[serde(rename = \"{written}\", alias = \"{read}\")]`"
    ))
    .note("what is stored under one name would not be found under the other")
}

pub(crate) fn rename_all_asym(
    span: &dyn ToTokens,
    attr: &str,
    owner: &str,
    written: Option<&str>,
    read: Option<&str>,
) -> Diag {
    let style = |rule: Option<&str>| {
        rule.map_or_else(|| "unchanged".to_owned(), |rule| format!("`{rule}`"))
    };
    let keep = written.or(read).unwrap_or("camelCase");
    Diag::new(
        span,
        &rules::RENAME_ASYM,
        format!("`{attr}` on `{owner}` writes {} names and reads {} names", style(written), style(read)),
    )
    .help(format!("`#[serde({attr} = \"{keep}\")]`, and an `alias` on each field that old documents name differently"))
    .note("what is stored under one name would not be found under the other")
}

pub(crate) fn serde_unread(span: &TokenStream, owner: &str) -> Diag {
    Diag::new(span, &rules::SERDE_UNSUPPORTED, format!("`{owner}` is written but never read"))
        .help("to store it, remove `skip_deserializing`; to keep it out of the database: `#[serde(skip)]`")
        .note("a document that is read and written again would lose the stored value")
}

pub(crate) fn serde_left_out(span: &TokenStream, field: &Field) -> Diag {
    let serde = &field.serde;
    let diag = Diag::new(
        span,
        &rules::SERDE_UNSUPPORTED,
        format!(
            "`{}` can be left out of a stored document, which then cannot be read",
            field.owner
        ),
    );
    let diag = match &serde.skip_if {
        Some(condition) if serde.skip.is_none() => {
            diag.help(format!("`#[serde(default, skip_serializing_if = \"{}\")]`", condition.to_string().replace(' ', "")))
        }
        _ => diag.help("`#[serde(skip)]`, or `#[serde(default, skip_serializing)]` to read what old documents hold"),
    };
    if serde.deserialize_with.is_some() {
        diag.note("serde fails on a missing field that has a function of its own, even if it is an `Option`")
    } else {
        diag.note("serde fails on a missing field without `default`")
    }
}

pub(crate) fn serde_skip_rule(span: &TokenStream, attr: &str, owner: &str) -> Diag {
    Diag::new(
        span,
        &rules::SERDE_SKIP_RULE,
        format!("`{owner}` has `#[{attr}]`, but serde never stores it"),
    )
    .help(format!("remove `{span}`, or remove `#[{attr}]`"))
}

pub(crate) fn flatten_rule(span: &TokenStream, attr: &str, owner: &str) -> Diag {
    Diag::new(
        span,
        &rules::FLATTEN_RULE,
        format!("`{owner}` has `#[{attr}]`, but flattened it is not one stored field"),
    )
    .help(format!(
        "remove `flatten`, or put `#[{attr}]` on a field inside"
    ))
    .note("a flattened value's fields stand in its parent, under names of their own")
}

pub(crate) fn serde_transparent(span: &TokenStream, owner: &str, kind: Kind) -> Diag {
    let diag = Diag::new(
        span,
        &rules::SERDE_UNSUPPORTED,
        format!("`transparent` on `{owner}` stores a value without its field's name"),
    );
    match kind {
        Kind::Model => diag
            .help("remove it")
            .note("a model is stored as a document, which is a list of named fields"),
        Kind::Embed => diag.help(format!(
            "a struct with one unnamed field is stored as what it holds: `struct {owner}(..);`"
        )),
    }
}

pub(crate) fn serde_conversion(
    conversion: &Conversion,
    owner: &str,
    kind: Kind,
    newtype: bool,
) -> Diag {
    let (key, other) = (&conversion.key, type_text(&conversion.ty));
    let way = if key == "into" { "stored" } else { "read" };
    let diag = Diag::new(
        &conversion.tokens,
        &rules::SERDE_UNSUPPORTED,
        format!(
            "`{key}` on `{owner}` lets it be {way} as `{other}`, which its own fields do not show"
        ),
    );
    let diag = match (kind, newtype) {
        (Kind::Embed, true) => diag.help(format!(
            "let `{owner}` hold what is stored: `struct {owner}({other});`"
        )),
        (Kind::Embed, false) if key == "into" && !types::well_known(&conversion.ty) => diag.help(
            format!("derive `MongoEmbed` on `{other}`, and give the fields that type"),
        ),
        _ => {
            let only = opaque_instead(kind, owner);
            let only = only.strip_prefix("or ").unwrap_or(&only).to_owned();
            return diag.help(only).note(FOLLOW);
        }
    };
    diag.help(opaque_instead(kind, owner)).note(FOLLOW)
}

const FOLLOW: &str = "filters, indexes and sizes follow the fields that the derive sees";

pub(crate) fn serde_deny_unknown_fields(span: &TokenStream, owner: &str, edge: &str) -> Diag {
    Diag::new(
        span,
        &rules::SERDE_UNSUPPORTED,
        format!("`deny_unknown_fields` on `{owner}` refuses the fields that the library stores for `{edge}`"),
    )
    .help("remove it")
    .note("`_dn` and `_r` stand beside the user's fields and keep copies up to date")
}

pub(crate) fn serde_remote(span: &dyn ToTokens, owner: &str) -> Diag {
    Diag::new(
        span,
        &rules::SERDE_UNSUPPORTED,
        format!(
            "`{owner}` describes a type of another crate (`remote`) and is never stored itself"
        ),
    )
    .help("remove our derive, and mark the fields of that type `#[model(opaque)]`")
}

pub(crate) fn serde_identifier(span: &dyn ToTokens, attr: &str, owner: &str) -> Diag {
    Diag::new(
        span,
        &rules::SERDE_UNSUPPORTED,
        format!(
            "`{attr}` on `{owner}` is for names of fields while reading, not for stored values"
        ),
    )
    .help(format!(
        "remove it, or remove `derive(MongoEmbed)` from `{owner}`"
    ))
}

pub(crate) fn serde_variant_with(span: &dyn ToTokens, attr: &str, owner: &str) -> Diag {
    Diag::new(
        span,
        &rules::SERDE_UNSUPPORTED,
        format!("`{attr}` on the variant `{owner}` hides what is stored"),
    )
    .help(format!("put `{attr}` on the field inside that needs it"))
}

pub(crate) fn serde_variant_untagged(span: &dyn ToTokens, owner: &str) -> Diag {
    Diag::new(
        span,
        &rules::SERDE_UNSUPPORTED,
        format!("variant `{owner}` is stored without its tag"),
    )
    .help("remove `untagged`; to let in unknown tags, add a unit variant with `#[serde(other)]`")
    .note("documents of that variant would not say what they are")
}

pub(crate) fn serde_untagged_units(span: &TokenStream, owner: &str) -> Diag {
    Diag::new(
        span,
        &rules::SERDE_UNSUPPORTED,
        format!("`untagged` stores every variant of `{owner}` as null"),
    )
    .help("remove it: each variant is then stored as its name")
}

pub(crate) fn serde_content(span: &TokenStream, owner: &str, tag: &str) -> Diag {
    Diag::new(
        span,
        &rules::SERDE_UNSUPPORTED,
        format!("`content` on `{owner}` stores the variants' fields one level below their tag"),
    )
    .help(format!(
        "`#[serde(tag = {tag:?})]` alone: the fields then stand beside the tag"
    ))
    .help("for a reference to one of several models each variant holds one id: `Post(#[parent(Post)] Id<Post>)`")
    .help(opaque_instead(Kind::Embed, owner))
    .note("filters, indexes and copies find a variant's fields beside the tag")
}

pub(crate) fn serde_tagged_scalar(variant: &Variant, field: &Field) -> Diag {
    let (ident, written) = (&variant.ident, type_text(&field.ty));
    let name = if types::array_element(&field.ty).is_some() {
        "values"
    } else {
        "value"
    };
    Diag::new(
        &field.ty,
        &rules::SERDE_UNSUPPORTED,
        format!(
            "variant `{}` holds `{written}`, which has no place beside the tag",
            field.owner
        ),
    )
    .help(format!("name the field: `{ident} {{ {name}: {written} }}`"))
    .note("serde fails when such a value is written")
}
