//! `partial(..)` of an index.

use proc_macro2::{Delimiter, Ident, TokenStream, TokenTree};
use syn::ext::IdentExt;
use syn::{Lit, LitStr};

use super::super::opts::{OptBody, Opts, path, split_commas};
use super::shown;
use crate::diag;
use crate::syntax::{ConditionAttr, ConditionOp, PartialAttr};

/// The comparisons that a partial index can have.
const OPERATORS: &[&str] = &["exists", "type", "eq", "gt", "gte", "lt", "lte"];

/// Comparisons that exist elsewhere and that the server refuses in a partial index.
const REFUSED: &[&str] = &[
    "ne",
    "nin",
    "not_in",
    "not",
    "in",
    "is_in",
    "or",
    "nor",
    "regex",
    "expr",
    "size",
    "all",
    "elem_match",
    "is_none",
];

/// The type names that `$type` accepts.
const BSON_TYPES: &[&str] = &[
    "number",
    "double",
    "string",
    "object",
    "array",
    "binData",
    "undefined",
    "objectId",
    "bool",
    "date",
    "null",
    "regex",
    "dbPointer",
    "javascript",
    "symbol",
    "javascriptWithScope",
    "int",
    "timestamp",
    "long",
    "decimal",
    "minKey",
    "maxKey",
];

/// `partial(exists)` on a field, `partial(active = true, total(gt = 5), email(exists))` on the item; `option` is its name.
pub(in crate::parse) fn parse_partial(
    opts: &Opts<'_>,
    option: &str,
    on_field: bool,
) -> Option<PartialAttr> {
    let opt = opts.get(option)?;
    let form = if on_field {
        format!("{option}(type = \"string\")")
    } else {
        format!("{option}(active = true, total(gt = 5), email(exists))")
    };
    let form = form.as_str();
    let OptBody::List(list) = &opt.body else {
        opts.cx.push(diag::bad_value(
            &opt.tokens,
            option,
            opts.attr,
            opts.owner,
            "conditions in parentheses",
            form,
        ));
        return None;
    };
    if list.is_empty() {
        // The server takes an empty filter, and the index is then not partial.
        opts.cx.push(diag::bad_value(
            &opt.tokens,
            option,
            opts.attr,
            opts.owner,
            "at least one condition",
            form,
        ));
        return None;
    }
    let mut conditions = Vec::new();
    for part in split_commas(list.clone()) {
        if on_field {
            conditions.extend(parse_operator(opts, &part, Vec::new(), true));
            continue;
        }
        let tokens: TokenStream = part.iter().cloned().collect();
        match path(&part) {
            Some((path, [TokenTree::Punct(eq), value @ ..]))
                if eq.as_char() == '=' && !value.is_empty() =>
            {
                let op = parse_literal(opts, value).map(ConditionOp::Eq);
                conditions.extend(op.map(|op| ConditionAttr { path, tokens, op }));
            }
            Some((path, [TokenTree::Group(group)]))
                if group.delimiter() == Delimiter::Parenthesis && !group.stream().is_empty() =>
            {
                for op in split_commas(group.stream()) {
                    conditions.extend(parse_operator(opts, &op, path.clone(), false));
                }
            }
            _ => opts.cx.push(diag::bad_value(
                &tokens,
                option,
                opts.attr,
                opts.owner,
                "conditions on fields",
                form,
            )),
        }
    }
    Some(PartialAttr { conditions })
}

/// `exists`, `type = "string"`, `gt = 5`, ...
fn parse_operator(
    opts: &Opts<'_>,
    part: &[TokenTree],
    path: Vec<Ident>,
    on_field: bool,
) -> Option<ConditionAttr> {
    let tokens: TokenStream = part.iter().cloned().collect();
    let [TokenTree::Ident(word), rest @ ..] = part else {
        opts.cx.push(diag::bad_value(
            &tokens,
            "partial",
            opts.attr,
            opts.owner,
            "conditions",
            "partial(gt = 5)",
        ));
        return None;
    };
    let name = word.unraw().to_string();
    let value = match rest {
        [TokenTree::Punct(eq), value @ ..] if eq.as_char() == '=' => value,
        _ => &[],
    };
    if REFUSED.contains(&name.as_str()) || name == "exists" && shown(value) == "false" {
        let written = if name == "exists" {
            "exists = false"
        } else {
            &name
        };
        opts.cx
            .push(diag::idx_partial_operator(&tokens, written, opts.owner));
        return None;
    }
    if !OPERATORS.contains(&name.as_str()) {
        opts.cx.push(diag::idx_partial_unknown(
            word, opts.owner, OPERATORS, on_field,
        ));
        return None;
    }
    let op = match name.as_str() {
        "exists" if rest.is_empty() || shown(value) == "true" => ConditionOp::Exists,
        "exists" => {
            report_value(opts, &tokens, "exists", "no value", "partial(exists)");
            return None;
        }
        "type" => parse_bson_type(opts, &tokens, value)?,
        comparison => parse_comparison(opts, &tokens, comparison, value)?,
    };
    Some(ConditionAttr { path, tokens, op })
}

/// `type = "string"`
fn parse_bson_type(
    opts: &Opts<'_>,
    tokens: &TokenStream,
    value: &[TokenTree],
) -> Option<ConditionOp> {
    let Ok(alias) = syn::parse2::<LitStr>(value.iter().cloned().collect()) else {
        let (wants, form) = ("the name of a BSON type", "type = \"string\"");
        report_value(opts, tokens, "type", wants, form);
        return None;
    };
    if !BSON_TYPES.contains(&alias.value().as_str()) {
        opts.cx
            .push(diag::idx_partial_type(&alias, opts.owner, BSON_TYPES));
        return None;
    }
    Some(ConditionOp::Type(alias.value()))
}

/// `gt = 5`
fn parse_comparison(
    opts: &Opts<'_>,
    tokens: &TokenStream,
    comparison: &str,
    value: &[TokenTree],
) -> Option<ConditionOp> {
    if value.is_empty() {
        let form = format!("{comparison} = 5");
        report_value(opts, tokens, comparison, "a value", &form);
        return None;
    }
    let value = parse_literal(opts, value)?;
    Some(match comparison {
        "gt" => ConditionOp::Gt(value),
        "gte" => ConditionOp::Gte(value),
        "lt" => ConditionOp::Lt(value),
        "lte" => ConditionOp::Lte(value),
        _ => ConditionOp::Eq(value),
    })
}

fn report_value(opts: &Opts<'_>, tokens: &TokenStream, operator: &str, wants: &str, form: &str) {
    let owner = opts.owner;
    opts.cx.push(diag::bad_value(
        tokens, operator, "partial", owner, wants, form,
    ));
}

/// A string, number, `true` or `false`.
fn parse_literal(opts: &Opts<'_>, value: &[TokenTree]) -> Option<Lit> {
    let tokens: TokenStream = value.iter().cloned().collect();
    let lit = syn::parse2::<Lit>(tokens.clone())
        .ok()
        .filter(|lit| match lit {
            Lit::Str(_) | Lit::Bool(_) => true,
            Lit::Int(lit) => lit.suffix().is_empty() && lit.base10_parse::<i64>().is_ok(),
            Lit::Float(lit) => {
                lit.suffix().is_empty() && lit.base10_parse::<f64>().is_ok_and(f64::is_finite)
            }
            _ => false,
        });
    if lit.is_none() {
        opts.cx
            .push(diag::idx_partial_value(&tokens, &shown(value), opts.owner));
    }
    lit
}
