//! `#[model(check(start < end))]`: comparisons of fields.

use proc_macro2::TokenTree;

use super::checks::end;
use super::opts::{Opt, OptBody, Opts};
use crate::syntax::{CompareOp, ComparisonAttr, Side, Term};

/// `check(start < end, qty * price <= limit)`
pub(super) fn parse_comparisons(opts: &Opts<'_>, opt: &Opt) -> Vec<ComparisonAttr> {
    let all = match &opt.body {
        OptBody::List(list) => {
            // `<` opens no list of types here.
            let tokens: Vec<TokenTree> = list.clone().into_iter().collect();
            let parts = tokens.split(|token| is_one_of(token, ","));
            parts.filter(|part| !part.is_empty()).map(parse).collect()
        }
        OptBody::Flag | OptBody::Value(_) => None,
    };
    let all: Option<Vec<ComparisonAttr>> = all;
    match all.filter(|all| !all.is_empty()) {
        Some(all) => all,
        None => {
            opts.bad(opt, "comparisons of fields", "check(start < end)");
            Vec::new()
        }
    }
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
