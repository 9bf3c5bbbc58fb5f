//! `#[model(check(start < end, with = is_open))]`: comparisons of fields, and functions that judge documents.

use proc_macro2::TokenTree;
use syn::Path;

use super::checks::end;
use super::opts::{Opt, OptBody, Opts};
use crate::syntax::{CompareOp, ComparisonAttr, Side, Term};

/// `check(start < end, qty * price <= limit, with = is_open)`
pub(super) fn parse_checks(opts: &Opts<'_>, opt: &Opt) -> (Vec<ComparisonAttr>, Vec<Path>) {
    let parts: Vec<TokenTree> = match &opt.body {
        OptBody::List(list) => list.clone().into_iter().collect(),
        OptBody::Flag | OptBody::Value(_) => Vec::new(),
    };
    // `<` opens no list of types here.
    let parts = parts.split(|token| is_one_of(token, ","));
    let parts: Vec<&[TokenTree]> = parts.filter(|part| !part.is_empty()).collect();
    let (judges, parts): (Vec<&[TokenTree]>, Vec<_>) =
        parts.into_iter().partition(|part| is_function(part));
    let judges: Option<Vec<Path>> = judges
        .iter()
        .map(|part| syn::parse2(part[2..].iter().cloned().collect()).ok())
        .collect();
    let comparisons: Option<Vec<ComparisonAttr>> = parts.into_iter().map(parse).collect();
    match comparisons.zip(judges) {
        Some((all, judges)) if !all.is_empty() || !judges.is_empty() => (all, judges),
        _ => {
            opts.bad(opt, "comparisons of fields", "check(start < end)");
            (Vec::new(), Vec::new())
        }
    }
}

/// `with = is_open`, and not a field of this name in `with == 3`
fn is_function(part: &[TokenTree]) -> bool {
    let [TokenTree::Ident(with), equals, rest @ ..] = part else {
        return false;
    };
    let compares = rest.first().is_some_and(|token| is_one_of(token, "="));
    with == "with" && is_one_of(equals, "=") && !compares
}

fn parse(part: &[TokenTree]) -> Option<ComparisonAttr> {
    let at = part.iter().position(|token| is_one_of(token, "<>=!"))?;
    let len = 1 + usize::from(part.get(at + 1).is_some_and(|token| is_one_of(token, "=")));
    let written: String = part[at..at + len].iter().map(ToString::to_string).collect();
    let op = CompareOp::ALL
        .into_iter()
        .find(|op| op.symbol() == written)?;
    Some(ComparisonAttr {
        site: part.iter().cloned().collect(),
        left: side(&part[..at])?,
        op,
        right: side(&part[at + len..])?,
    })
}

fn is_one_of(token: &TokenTree, chars: &str) -> bool {
    matches!(token, TokenTree::Punct(punct) if chars.contains(punct.as_char()))
}

fn side(tokens: &[TokenTree]) -> Option<Side> {
    let products = tokens.split(|token| is_one_of(token, "+"));
    products
        .map(|product| {
            let terms = product.split(|token| is_one_of(token, "*"));
            terms.map(term).collect()
        })
        .collect()
}

fn term(tokens: &[TokenTree]) -> Option<Term> {
    match tokens {
        [TokenTree::Ident(name)] => Some(Term::Field(name.clone())),
        tokens => end(tokens).map(Term::Number),
    }
}
