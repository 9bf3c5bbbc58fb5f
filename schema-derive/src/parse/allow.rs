//! `allow(rule, reason = "..")`, on an item or a field.

use proc_macro2::Ident;
use syn::ext::IdentExt;

use super::attributes::{self, form};
use super::opts::{Opt, OptBody, Opts};
use crate::ctxt::Ctxt;
use crate::diag;
use crate::rules;
use crate::syntax::Allow;

/// Reads each of `opts`.
pub(super) fn parse_allows<'a>(
    opts: impl Iterator<Item = &'a Opt>,
    owner: &str,
    cx: &Ctxt,
    out: &mut Vec<Allow>,
) {
    out.extend(opts.filter_map(|opt| parse_allow(opt, owner, cx)));
}

/// None if nothing is allowed by it, which was reported.
fn parse_allow(opt: &Opt, owner: &str, cx: &Ctxt) -> Option<Allow> {
    let before = cx.report_count();
    let report_shape = |problem| {
        let form = form("allow");
        cx.push(diag::bad_shape(&opt.tokens, problem, "allow", owner, &form));
    };
    let OptBody::List(list) = &opt.body else {
        report_shape("takes a rule and a reason");
        return None;
    };
    let mut inner = Opts::split(cx, "allow", owner, opt.tokens.clone(), list.clone(), 0);
    let Some(word) = inner.take_first_flag() else {
        if cx.report_count() == before {
            report_shape("names a rule first");
        }
        return None;
    };
    inner.check_names(&attributes::ALLOW);
    let name = word.unraw().to_string();
    let Some(rule) = rules::RULES.iter().find(|rule| rule.name() == name) else {
        return unknown_rule(&word, owner, cx);
    };
    if rule.level == rules::Level::Hard {
        cx.push(diag::allow_hard(&word, owner));
        return None;
    }
    match inner.string("reason") {
        Some(reason) if reason.value().trim().is_empty() => {
            cx.push(diag::allow_without_reason(&reason, &name, owner));
        }
        None if cx.report_count() == before => {
            cx.push(diag::allow_without_reason(&opt.tokens, &name, owner));
        }
        _ => {}
    }
    Some(Allow {
        word,
        used: std::cell::Cell::new(false),
    })
}

/// Reports the rule, and gives the one that was probably meant: the misspelling is the one mistake.
fn unknown_rule(word: &Ident, owner: &str, cx: &Ctxt) -> Option<Allow> {
    let known: Vec<String> = rules::RULES.iter().map(|rule| rule.name()).collect();
    let known: Vec<&str> = known.iter().map(String::as_str).collect();
    cx.push(diag::allow_unknown(word, owner, &known));
    let meant = diag::nearest(&word.unraw().to_string(), &known)?;
    Some(Allow {
        word: Ident::new(meant, word.span()),
        used: std::cell::Cell::new(true),
    })
}
