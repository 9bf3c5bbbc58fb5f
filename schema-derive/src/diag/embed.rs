//! Messages of the embedding rules (RULES 4.A).

use proc_macro2::Ident;
use quote::ToTokens;
use syn::Type;

use super::{Diag, type_text};
use crate::rules::{self, Rule};
use crate::syntax::Kind;

const FEW: &str = "with more than a couple of hundred documents on the many side, do not embed them (rule of thumb 3)";

/// `20000` as `20 000`, so that zeros can be counted.
pub(crate) fn grouped(n: u64) -> String {
    let digits = n.to_string();
    let mut out = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            out.push(' ');
        }
        out.push(digit);
    }
    out
}

/// An array or map in a generic type, where only the macro can look.
pub(crate) fn unbounded_generic(span: &Type, rule: &'static Rule, owner: &str) -> Diag {
    Diag::new(
        span,
        rule,
        format!(
            "`{owner}` is `{}`, which may grow without limit",
            type_text(span)
        ),
    )
    .help("state the bound: `#[embed(max = 20)]`")
    .note("arrays and maps must not grow without bound (rule of thumb 3); a document holds 16 MiB")
}

pub(crate) fn zero_bound(span: &dyn ToTokens, attr: &str, owner: &str) -> Diag {
    Diag::new(
        span,
        &rules::ATTR_VALUE,
        format!("`{owner}` is bounded at 0, so it could never hold anything"),
    )
    .help(format!("`#[{attr}(.., max = 20)]`, or remove the field"))
}

pub(crate) fn embed_over_atlas(span: &dyn ToTokens, owner: &str, max: u64) -> Diag {
    Diag::new(
        span,
        &rules::EMBED_OVER_ATLAS,
        format!("`{owner}` embeds up to {} elements, over the 10 000 that Atlas reports as an unbounded array", grouped(max)),
    )
    .help("put `#[parent(..)]` on the other side, so that each element is a document of its own")
    .note("every push rewrites the whole document: 2.4 ms at 200 elements, 40 ms at 20 000, 74 ms at 100 000 (rule of thumb 3)")
}

pub(crate) fn embed_too_many(span: &dyn ToTokens, owner: &str, max: u64, element: String) -> Diag {
    Diag::new(
        span,
        &rules::EMBED_TOO_MANY,
        format!("`{owner}` embeds up to {} documents, over the limit of 200", grouped(max)),
    )
    .help(format!("lower it to `#[embed(max = 200)]`, or give `{element}` a collection and reference it: `#[refs({element}, max = {max})]`"))
    .help("to keep it: `#[model(allow(embed_too_many, reason = \"why this is bounded and always read together\"))]`")
    .note(FEW)
}

pub(crate) fn option_vec(span: &dyn ToTokens, owner: &str, inner: Option<&Type>) -> Diag {
    let inner = inner.map_or_else(|| "Vec<..>".to_owned(), type_text);
    Diag::new(
        span,
        &rules::EMBED_OPTION_VEC,
        format!("`{owner}` is stored as null when it is `None`, and a push to null fails"),
    )
    .help(format!(
        "`#[serde(default)]` and the type `{inner}`: an absent array reads as an empty one"
    ))
    .note("`$push` on null is error 2: the field must be an array but is of type null")
}

pub(crate) fn embed_recursive(span: &dyn ToTokens, owner: &str, item: &Ident, kind: Kind) -> Diag {
    let collection = match kind {
        Kind::Model => String::new(),
        Kind::Embed => format!("give `{item}` a collection and write "),
    };
    Diag::new(
        span,
        &rules::EMBED_RECURSIVE,
        format!("`{owner}` embeds `{item}` in itself, so its depth has no bound"),
    )
    .help(format!(
        "a tree by reference: {collection}`#[parent({item})] parent: Option<Id<{item}>>`"
    ))
    .note("MongoDB documents nest at most 100 levels")
}

pub(crate) fn refs_and_embed(
    span: &dyn ToTokens,
    owner: &str,
    attr: &str,
    target: &dyn ToTokens,
) -> Diag {
    let target = target.to_token_stream();
    Diag::new(span, &rules::REFS_EMBED_BOTH, format!("`{owner}` says both `{attr}` and `embed`"))
        .help(format!(
            "remove `embed`; for copied fields beside each id write `#[{attr}({target})] #[denorm(from = {target}, field = name)]`"
        ))
        .note("a document is either part of its owner or stands alone (rule of thumb 2)")
}
