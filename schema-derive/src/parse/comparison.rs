//! `#[model(check(start < end, with = is_open, garde, on = write))]`: comparisons of fields, functions and crates that judge documents.

use proc_macro2::TokenTree;

use super::attributes::CHECK;
use super::checks::end;
use super::opts::{Opt, OptBody, Opts};
use crate::syntax::{CompareOp, ComparisonAttr, DocumentJudge, JudgeAttr, Side, Term};

/// `check(start < end, qty * price <= limit, with = is_open, garde, on = write)`
pub(super) fn parse_checks(opts: &Opts<'_>, opt: &Opt) -> (Vec<ComparisonAttr>, Vec<JudgeAttr>) {
    let parts: Vec<TokenTree> = match &opt.body {
        OptBody::List(list) => list.clone().into_iter().collect(),
        OptBody::Flag | OptBody::Value(_) => Vec::new(),
    };
    // `<` opens no list of types here.
    let parts = parts.split(|token| is_one_of(token, ","));
    let parts: Vec<&[TokenTree]> = parts.filter(|part| !part.is_empty()).collect();
    let on_write = parts.iter().any(|part| is_on_write(part));
    let (mut comparisons, mut judges) = (Vec::new(), Vec::new());
    let mut is_right = true;
    for part in parts.into_iter().filter(|part| !is_on_write(part)) {
        if let Some(judge) = parse_judge(part) {
            judges.push(JudgeAttr { judge, on_write });
        } else if let Some(comparison) = parse(part, on_write) {
            comparisons.push(comparison);
        } else {
            is_right = false;
            let (wants, form) = expected(part);
            opts.bad_part(part.iter().cloned().collect(), opt, wants, form);
        }
    }
    if is_right && comparisons.is_empty() && judges.is_empty() {
        opts.bad(opt, "comparisons of fields", "check(start < end)");
    }
    (comparisons, judges)
}

/// The nearest rule to a part that cannot be read, and its form.
fn expected(part: &[TokenTree]) -> (&'static str, &'static str) {
    let first = part.first().map(ToString::to_string).unwrap_or_default();
    let has = |chars| part.iter().any(|token| is_one_of(token, chars));
    let is_group = |token: &TokenTree| matches!(token, TokenTree::Group(_));
    let is_compared = has("<>!");
    let is_assigned = part.get(1).is_some_and(|token| is_one_of(token, "="));
    match first.as_str() {
        "on" if is_assigned => (
            "`on = write` and no other `on`",
            "check(start < end, on = write)",
        ),
        "with" if is_assigned => ("a path for `with`", "check(with = is_open)"),
        rule if !is_compared && CHECK.contains(rule) => (
            "rules about documents: a rule about one field stands on the field",
            "#[check(len = 3..=80)]",
        ),
        _ if has("&|") => (
            "comparisons of fields between commas",
            "check(start < end, sold <= seats)",
        ),
        _ if has(".") => (
            "fields of the model, and none of an embedded document",
            "check(start < end)",
        ),
        _ if has("-/%") => (
            "sums and products, and no differences or quotients",
            "check(low < high + 1)",
        ),
        _ if part.iter().any(is_group) => (
            "sums of products without parentheses",
            "check(qty * price + fee <= limit)",
        ),
        _ if part.iter().filter(|token| is_one_of(token, "<>")).count() > 1 => (
            "one comparison between two commas",
            "check(low < middle, middle < high)",
        ),
        _ if has("=") && !is_compared => ("comparisons of fields", "check(low == high)"),
        _ => ("comparisons of fields", "check(start < end)"),
    }
}

/// `on = write`; a field may have this name, as in `on == 3`.
fn is_on_write(part: &[TokenTree]) -> bool {
    let [on, equals, write] = part else {
        return false;
    };
    is_one_of(equals, "=") && on.to_string() == "on" && write.to_string() == "write"
}

/// `garde`, or `with = is_open`; a field may have this name, as in `with == 3`.
fn parse_judge(part: &[TokenTree]) -> Option<DocumentJudge> {
    match part {
        [TokenTree::Ident(name)] => {
            let is_crate = name == "garde" || name == "validator";
            is_crate.then(|| DocumentJudge::Crate(name.clone()))
        }
        [TokenTree::Ident(with), equals, rest @ ..] => {
            let is_function = with == "with" && is_one_of(equals, "=");
            let path = syn::parse2(rest.iter().cloned().collect()).ok();
            path.filter(|_| is_function).map(DocumentJudge::Function)
        }
        _ => None,
    }
}

fn parse(part: &[TokenTree], on_write: bool) -> Option<ComparisonAttr> {
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
        on_write,
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
