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
pub(in crate::parse) fn partial(
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
            conditions.extend(operator(opts, &part, Vec::new(), true));
            continue;
        }
        let tokens: TokenStream = part.iter().cloned().collect();
        match path(&part) {
            Some((path, [TokenTree::Punct(eq), value @ ..]))
                if eq.as_char() == '=' && !value.is_empty() =>
            {
                let op = literal(opts, value).map(ConditionOp::Eq);
                conditions.extend(op.map(|op| ConditionAttr { path, tokens, op }));
            }
            Some((path, [TokenTree::Group(group)]))
                if group.delimiter() == Delimiter::Parenthesis && !group.stream().is_empty() =>
            {
                for op in split_commas(group.stream()) {
                    conditions.extend(operator(opts, &op, path.clone(), false));
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
fn operator(
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
        "type" => {
            let alias = syn::parse2::<LitStr>(value.iter().cloned().collect()).ok();
            match alias {
                Some(lit) if BSON_TYPES.contains(&lit.value().as_str()) => {
                    ConditionOp::Type(lit.value())
                }
                Some(lit) => {
                    opts.cx
                        .push(diag::idx_partial_type(&lit, opts.owner, BSON_TYPES));
                    return None;
                }
                None => {
                    opts.cx.push(diag::bad_value(
                        &tokens,
                        "type",
                        "partial",
                        opts.owner,
                        "the name of a BSON type",
                        "type = \"string\"",
                    ));
                    return None;
                }
            }
        }
        "exists" => {
            opts.cx.push(diag::bad_value(
                &tokens,
                "exists",
                "partial",
                opts.owner,
                "no value",
                "partial(exists)",
            ));
            return None;
        }
        _ if value.is_empty() => {
            opts.cx.push(diag::bad_value(
                &tokens,
                &name,
                "partial",
                opts.owner,
                "a value",
                &format!("{name} = 5"),
            ));
            return None;
        }
        comparison => {
            let value = literal(opts, value)?;
            match comparison {
                "gt" => ConditionOp::Gt(value),
                "gte" => ConditionOp::Gte(value),
                "lt" => ConditionOp::Lt(value),
                "lte" => ConditionOp::Lte(value),
                _ => ConditionOp::Eq(value),
            }
        }
    };
    Some(ConditionAttr { path, tokens, op })
}

/// A string, number, `true` or `false`.
fn literal(opts: &Opts<'_>, value: &[TokenTree]) -> Option<Lit> {
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
