//! The options of an index that have a form of their own.

use proc_macro2::{Ident, TokenTree};
use quote::ToTokens;
use syn::{Lit, LitInt};

use super::super::attributes;
use super::super::opts::{OptBody, Opts, parse_milliseconds, path, split_commas};
use crate::diag;
use crate::syntax::{Bound, CollationAttr};

const WEIGHT_MAX: u64 = 99_999;

/// `weights(title = 10, body.text = 2)`
pub(super) fn parse_weights(opts: &Opts<'_>) -> Vec<(Vec<Ident>, u32)> {
    let Some(opt) = opts.get("weights") else {
        return Vec::new();
    };
    let parts = match &opt.body {
        OptBody::List(list) if !list.is_empty() => split_commas(list.clone()),
        _ => vec![Vec::new()],
    };
    let parsed: Option<Vec<_>> = parts
        .iter()
        .map(|part| match path(part)? {
            (path, [TokenTree::Punct(eq), TokenTree::Literal(weight)]) if eq.as_char() == '=' => {
                let weight = syn::parse2::<LitInt>(weight.to_token_stream())
                    .ok()?
                    .base10_parse::<u32>()
                    .ok()?;
                (1..=WEIGHT_MAX)
                    .contains(&u64::from(weight))
                    .then_some((path, weight))
            }
            _ => None,
        })
        .collect();
    parsed.unwrap_or_else(|| {
        let wants = format!("text keys with whole numbers from 1 to {WEIGHT_MAX}");
        opts.cx.push(diag::bad_value(
            &opt.tokens,
            "weights",
            opts.attr,
            opts.owner,
            &wants,
            "weights(title = 10, body = 2)",
        ));
        Vec::new()
    })
}

/// `expire_after = "30d"`, `expire_after = 3600`; the value is in seconds.
pub(super) fn parse_expire_after(opts: &Opts<'_>) -> Option<Bound> {
    let opt = opts.get("expire_after")?;
    if let OptBody::Value(value) = &opt.body {
        let seconds = match syn::parse2::<Lit>(value.clone()) {
            Ok(Lit::Str(lit)) => parse_milliseconds(&lit.value())
                .filter(|_| !lit.value().ends_with("ms"))
                .map(|time| time / 1_000),
            // Beyond 64 bits it is as much out of range as it is below.
            Ok(Lit::Int(lit))
                if lit.suffix().is_empty() && !lit.base10_digits().starts_with('-') =>
            {
                Some(lit.base10_parse().unwrap_or(u64::MAX))
            }
            _ => None,
        };
        if let Some(value_in_seconds) = seconds {
            return Some(Bound {
                value: value_in_seconds,
                tokens: value.clone(),
            });
        }
    }
    let wants = "a time (units: `s`, `m`, `h`, `d`, `w`, `y`), or seconds as a whole number";
    let site = if let OptBody::Value(value) = &opt.body {
        value
    } else {
        &opt.tokens
    };
    opts.cx.push(diag::bad_value(
        site,
        "expire_after",
        opts.attr,
        opts.owner,
        wants,
        "expire_after = \"30d\"",
    ));
    None
}

/// `collation(locale = "en", strength = 2, case_level = true, numeric_ordering = true)`
pub(super) fn parse_collation(opts: &Opts<'_>) -> Option<CollationAttr> {
    let opt = opts.get("collation")?;
    let form = "collation(locale = \"en\", strength = 2)";
    let OptBody::List(list) = &opt.body else {
        opts.cx.push(diag::bad_value(
            &opt.tokens,
            "collation",
            opts.attr,
            opts.owner,
            "options in parentheses",
            form,
        ));
        return None;
    };
    let mut inner = Opts::split(
        opts.cx,
        "collation",
        opts.owner,
        opt.tokens.clone(),
        list.clone(),
        0,
    );
    inner.check_names(&attributes::COLLATION);
    if inner.get("locale").is_none() {
        inner.missing("locale", form);
    }
    let strength = inner.number("strength");
    if let Some(bound) = strength
        .as_ref()
        .filter(|bound| !(1..=5).contains(&bound.value))
    {
        opts.cx.push(diag::bad_value(
            &bound.tokens,
            "strength",
            "collation",
            opts.owner,
            "a number from 1 to 5",
            form,
        ));
    }
    let locale = inner.string("locale")?;
    if !is_locale(&locale.value()) {
        opts.cx.push(diag::bad_value(
            &locale,
            "locale",
            "collation",
            opts.owner,
            "an ICU locale such as `en`, `en_US` or `simple`",
            form,
        ));
    }
    Some(CollationAttr {
        site: opt.tokens.clone(),
        locale: locale.value(),
        strength: strength.and_then(|bound| u8::try_from(bound.value).ok()),
        case_level: inner.boolean("case_level"),
        numeric_ordering: inner.boolean("numeric_ordering"),
    })
}

/// The form of an ICU locale; which ones there are, the server knows.
pub(super) fn is_locale(text: &str) -> bool {
    let (name, variant) = text
        .split_once('@')
        .map_or((text, None), |(name, variant)| (name, Some(variant)));
    let mut parts = name.split('_');
    let language = parts.next().unwrap_or_default();
    name == "simple"
        || (2..=3).contains(&language.len())
            && language.bytes().all(|b| b.is_ascii_lowercase())
            && parts.all(|part| {
                part.starts_with(|c: char| c.is_ascii_uppercase())
                    && part.bytes().all(|b| b.is_ascii_alphabetic())
            })
            && variant.is_none_or(|variant| variant.starts_with("collation="))
}
