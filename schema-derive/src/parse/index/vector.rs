//! `#[index(vector(1536, cosine), filter(shop, year))]`.

use proc_macro2::{Ident, TokenTree};
use quote::ToTokens;

use super::super::attributes;
use super::super::opts::{OptBody, Opts, split_commas};
use crate::diag;
use crate::syntax::{Bound, VectorAttr};

const FORM: &str = "index(vector(1536, cosine))";

/// The measures, as written and as the runtime names them.
const SIMILARITIES: &[(&str, &str)] = &[
    ("cosine", "Cosine"),
    ("euclidean", "Euclidean"),
    ("dot_product", "DotProduct"),
];

/// The index of vectors on a field. None if something about it was reported.
pub(crate) fn parse_vector(mut opts: Opts<'_>) -> Option<VectorAttr> {
    let before = opts.cx.report_count();
    let (cx, owner) = (opts.cx, opts.owner);
    opts.items.retain(|opt| {
        let word = opt.key.as_ref().map(ToString::to_string);
        let is_other = word.is_some_and(|word| {
            attributes::FIELD_INDEX.contains(&word) && !attributes::VECTOR_INDEX.contains(&word)
        });
        if is_other {
            cx.push(diag::vector_with(&opt.tokens, owner));
        }
        !is_other
    });
    opts.check_names(&attributes::VECTOR_INDEX);
    let filter = opts.words("filter").unwrap_or_default();
    let opt = opts.get("vector")?;
    let parts = match &opt.body {
        OptBody::List(list) => split_commas(list.clone()),
        OptBody::Flag | OptBody::Value(_) => Vec::new(),
    };
    let read = match parts.as_slice() {
        [number, measure] => parse_dimensions(number).zip(parse_word(measure)),
        _ => None,
    };
    let Some((dimensions, measure)) = read else {
        opts.bad(opt, "the number of values and the similarity", FORM);
        return None;
    };
    let mut known = SIMILARITIES.iter();
    let Some((_, similarity)) = known.find(|(word, _)| measure == word) else {
        let words: Vec<&str> = SIMILARITIES.iter().map(|(word, _)| *word).collect();
        cx.push(diag::vector_similarity(&measure, owner, &words));
        return None;
    };
    let vector = VectorAttr {
        site: opts.site.clone(),
        dimensions,
        similarity,
        filter,
    };
    (cx.report_count() == before && !opts.unclear()).then_some(vector)
}

fn parse_dimensions(part: &[TokenTree]) -> Option<Bound> {
    let [number] = part else { return None };
    let number: syn::LitInt = syn::parse2(number.to_token_stream()).ok()?;
    let value = number.base10_parse().ok()?;
    number.suffix().is_empty().then(|| Bound {
        value,
        tokens: number.to_token_stream(),
    })
}

fn parse_word(part: &[TokenTree]) -> Option<Ident> {
    match part {
        [TokenTree::Ident(word)] => Some(word.clone()),
        _ => None,
    }
}
