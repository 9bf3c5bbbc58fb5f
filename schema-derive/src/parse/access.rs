//! `access(..)` in `#[model(..)]`.

use proc_macro2::{Ident, Punct, Spacing, TokenStream, TokenTree};

use super::attributes::{self, form};
use super::index::parse_partial;
use super::opts::{Opt, OptBody, Opts, path, split_commas};
use crate::ctxt::Ctxt;
use crate::diag;
use crate::syntax::AccessAttr;

/// `access(recent(host, sort = -time, limit = 5000), of_level(host, level))`
pub(super) fn parse_patterns(opt: &Opt, owner: &str, cx: &Ctxt, out: &mut Vec<AccessAttr>) {
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
    for opt in &patterns.items {
        match (&opt.key, &opt.body) {
            (Some(name), OptBody::List(list)) if !list.is_empty() => {
                out.extend(parse_pattern(cx, owner, opt, name.clone(), list.clone()));
            }
            _ => shape(&opt.tokens, "names a pattern without its fields"),
        }
    }
}

/// `recent(host, only(level = "error"), range = time, sort = -time, limit = 5000)`. None if something about it was reported.
fn parse_pattern(
    cx: &Ctxt,
    owner: &str,
    opt: &Opt,
    name: Ident,
    list: TokenStream,
) -> Option<AccessAttr> {
    let before = cx.report_count();
    let (keys, options): (Vec<_>, Vec<_>) = split_commas(list)
        .into_iter()
        .partition(|part| matches!(path(part), Some((_, []))));
    let comma = || TokenTree::Punct(Punct::new(',', Spacing::Alone));
    let options = options
        .into_iter()
        .flat_map(|part| part.into_iter().chain([comma()]));
    let mut opts = Opts::split(
        cx,
        "access",
        owner,
        opt.tokens.clone(),
        options.collect(),
        0,
    );
    opts.check_names(&attributes::ACCESS);
    let keys = keys.iter().filter_map(|part| path(part));
    let access = AccessAttr {
        name,
        keys: keys.map(|(path, _)| path).collect(),
        only: parse_partial(&opts, "only", false).map_or_else(Vec::new, |only| only.conditions),
        range: parse_range(&opts),
        sort: parse_sort(&opts),
        limit: opts.number("limit"),
        site: opts.site.clone(),
    };
    (cx.report_count() == before && !opts.unclear()).then_some(access)
}

/// `range = time`
fn parse_range(opts: &Opts<'_>) -> Option<Vec<Ident>> {
    let opt = opts.get("range")?;
    let tokens: Vec<TokenTree> = match &opt.body {
        OptBody::Value(value) => value.clone().into_iter().collect(),
        _ => Vec::new(),
    };
    let Some((path, [])) = path(&tokens) else {
        report_value(opts, opt, "range", "one field", "range = time");
        return None;
    };
    Some(path)
}

/// `sort = -time`, `sort(-time, name)`
fn parse_sort(opts: &Opts<'_>) -> Vec<(Vec<Ident>, bool)> {
    let Some(opt) = opts.get("sort") else {
        return Vec::new();
    };
    let parts = match &opt.body {
        OptBody::Value(value) => vec![value.clone().into_iter().collect()],
        OptBody::List(list) => split_commas(list.clone()),
        OptBody::Flag => Vec::new(),
    };
    let key = |part: &Vec<TokenTree>| {
        let (descending, rest) = match part.as_slice() {
            [TokenTree::Punct(minus), rest @ ..] if minus.as_char() == '-' => (true, rest),
            rest => (false, rest),
        };
        match path(rest) {
            Some((path, [])) => Some((path, descending)),
            _ => None,
        }
    };
    let keys: Option<Vec<_>> = parts.iter().map(key).collect();
    keys.filter(|keys| !keys.is_empty()).unwrap_or_else(|| {
        let wants = "fields, with `-` for descending";
        report_value(opts, opt, "sort", wants, "sort(-time, name)");
        Vec::new()
    })
}

fn report_value(opts: &Opts<'_>, opt: &Opt, option: &str, wants: &str, form: &str) {
    opts.cx.push(diag::bad_value(
        &opt.tokens,
        option,
        opts.attr,
        opts.owner,
        wants,
        form,
    ));
}
