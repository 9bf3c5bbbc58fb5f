//! `access(..)` in `#[model(..)]`.

use proc_macro2::TokenTree;

use super::index::partial;
use super::opts::{Opt, OptBody, Opts, form, split_commas};
use crate::ctxt::Ctxt;
use crate::diag;
use crate::syntax::{AccessAttr, Sort};

/// `access(recent(host, sort = -time, limit = 5000), of_level(host, level))`
pub(super) fn all(opt: &Opt, owner: &str, cx: &Ctxt, out: &mut Vec<AccessAttr>) {
    let shape = |tokens: &dyn quote::ToTokens, problem: &str| {
        cx.push(diag::bad_shape(
            tokens,
            problem,
            "access",
            owner,
            &form("access"),
        ));
    };
    let list = match &opt.body {
        OptBody::List(list) if !list.is_empty() => list.clone(),
        OptBody::List(_) => return shape(&opt.tokens, "has empty parentheses"),
        _ => return shape(&opt.tokens, "takes its patterns in parentheses"),
    };
    let patterns = Opts::split(cx, "access", owner, opt.tokens.clone(), list, 0);
    for pattern in &patterns.items {
        match (&pattern.key, &pattern.body) {
            (Some(name), OptBody::List(list)) if !list.is_empty() => {
                let inner =
                    Opts::split(cx, "access", owner, pattern.tokens.clone(), list.clone(), 0);
                out.extend(one(inner, name.clone()));
            }
            _ => shape(&pattern.tokens, "names a pattern without its fields"),
        }
    }
}

/// `recent(host, only(level = "error"), range = time, sort = -time, limit = 5000)`. None if something about it was reported.
fn one(mut opts: Opts<'_>, name: proc_macro2::Ident) -> Option<AccessAttr> {
    let before = opts.cx.reported();
    let (keys, options): (Vec<Opt>, Vec<Opt>) = std::mem::take(&mut opts.items)
        .into_iter()
        .partition(|opt| matches!(opt.body, OptBody::Flag));
    opts.items = options;
    opts.known(&["only", "range", "sort", "limit"], &[]);
    let access = AccessAttr {
        name,
        keys: keys.into_iter().filter_map(|opt| opt.key).collect(),
        only: partial(&opts, "only", false).map_or_else(Vec::new, |only| only.conditions),
        range: opts.word("range"),
        sort: sort(&opts),
        limit: opts.number("limit"),
        site: opts.site.clone(),
    };
    (opts.cx.reported() == before && !opts.unclear()).then_some(access)
}

/// `sort = -time`, `sort(-time, name)`
fn sort(opts: &Opts<'_>) -> Vec<Sort> {
    let list = match opts.get("sort") {
        Some(Opt {
            body: OptBody::List(list),
            ..
        }) => list.clone(),
        _ => return opts.sort("sort").into_iter().collect(),
    };
    let parts = split_commas(list);
    let keys: Option<Vec<Sort>> = parts
        .iter()
        .map(|part| match part.as_slice() {
            [TokenTree::Ident(field)] => Some((field, false)),
            [TokenTree::Punct(minus), TokenTree::Ident(field)] if minus.as_char() == '-' => {
                Some((field, true))
            }
            _ => None,
        })
        .map(|key| {
            let (field, descending) = key?;
            Some(Sort {
                field: field.clone(),
                descending,
            })
        })
        .collect();
    let found = keys.filter(|keys| !keys.is_empty());
    if let (None, Some(opt)) = (&found, opts.get("sort")) {
        opts.cx.push(diag::bad_value(
            &opt.tokens,
            "sort",
            opts.attr,
            opts.owner,
            "fields, with `-` for descending",
            "sort(-time, name)",
        ));
    }
    found.unwrap_or_default()
}
