//! `#[index(..)]` on a field and `index(keys(..), ..)` in `#[model(..)]`.

mod options;
mod partial;
mod vector;

use proc_macro2::{Delimiter, Ident, TokenStream, TokenTree};
use quote::ToTokens;
use syn::LitStr;

use self::options::{parse_collation, parse_expire_after, parse_weights};
pub(super) use self::partial::parse_partial;
pub(crate) use self::vector::parse_vector;
use super::attributes;
use super::opts::{Opt, OptBody, Opts, path, split_commas};
use crate::diag;
use crate::names::unraw;
use crate::syntax::{ContainsAttr, IndexAttr, KeyAttr, KeyKind, TextAttr};

/// The kinds that a key can have besides ascending, as words.
const KINDS: &[(&str, KeyKind)] = &[
    ("desc", KeyKind::Desc),
    ("text", KeyKind::Text),
    ("hashed", KeyKind::Hashed),
    ("geo", KeyKind::Geo),
    ("wildcard", KeyKind::Wildcard),
];
const KEYS_FORM: &str = "index(keys(host, -time, address.city))";

/// `#[index]`, `#[index(unique, ..)]`. None if something about it was reported.
pub(crate) fn parse_on_field(mut opts: Opts<'_>) -> Option<IndexAttr> {
    let before = opts.cx.report_count();
    for word in ["keys", "weights"] {
        if let Some(opt) = opts.get(word) {
            opts.cx
                .push(diag::idx_of_many(&opt.tokens, word, opts.owner));
            return None;
        }
    }
    opts.check_names(&attributes::FIELD_INDEX);
    let mut own: Option<(&str, KeyKind)> = None;
    for opt in &opts.items {
        let Some((word, kind)) = KINDS.iter().find(|(word, _)| opt.is(word)) else {
            continue;
        };
        opts.flag(word);
        match own {
            Some((earlier, _)) => {
                opts.cx.push(diag::conflict(
                    &opt.tokens,
                    word,
                    earlier,
                    opts.owner,
                    "a field stands in an index in one way",
                ));
            }
            None => own = Some((word, *kind)),
        }
    }
    let own = own.map_or(KeyKind::Asc, |(_, kind)| kind);
    parse_options(&opts, before, None, own)
}

/// The characters of the shortest part that `contains` finds, where the attribute does not say it.
const LEAST_PART: u64 = 3;

/// `#[index(contains, min = 3)]`. None if something about it was reported.
pub(crate) fn parse_contains(mut opts: Opts<'_>) -> Option<ContainsAttr> {
    let before = opts.cx.report_count();
    opts.check_names(&attributes::FIELD_INDEX);
    opts.flag("contains");
    for opt in &opts.items {
        if opt.is("contains") || opt.is("min") {
            continue;
        }
        opts.cx.push(diag::contains_with(&opt.tokens, opts.owner));
    }
    let min = opts.number("min");
    match (&min, opts.get("contains")) {
        (Some(min), None) => opts.cx.push(diag::contains_min(&min.tokens, opts.owner)),
        (Some(min), _) if !(2..=4).contains(&min.value) => {
            opts.cx.push(diag::bad_value(
                &min.tokens,
                "min",
                opts.attr,
                opts.owner,
                "2, 3 or 4 characters",
                "index(contains, min = 3)",
            ));
        }
        _ => {}
    }
    let contains = ContainsAttr {
        site: opts.site.clone(),
        min: min.map_or(LEAST_PART, |min| min.value),
    };
    (opts.cx.report_count() == before && !opts.unclear()).then_some(contains)
}

/// `index(keys(a, -b), ..)`. None if something about it was reported.
pub(crate) fn parse_on_item(mut opts: Opts<'_>) -> Option<IndexAttr> {
    let before = opts.cx.report_count();
    for (word, _) in KINDS {
        if let Some(opt) = opts.get(word) {
            opts.cx
                .push(diag::idx_kind_of_key(&opt.tokens, word, opts.owner));
            return None;
        }
    }
    opts.check_names(&attributes::MODEL_INDEX);
    let keys = match opts.get("keys") {
        Some(Opt {
            body: OptBody::List(list),
            ..
        }) if !list.is_empty() => split_commas(list.clone())
            .iter()
            .filter_map(|part| parse_key(&opts, part))
            .collect(),
        Some(opt) => {
            opts.cx.push(diag::bad_value(
                &opt.tokens,
                "keys",
                opts.attr,
                opts.owner,
                "fields in parentheses",
                KEYS_FORM,
            ));
            Vec::new()
        }
        None => {
            opts.missing("keys", KEYS_FORM);
            Vec::new()
        }
    };
    parse_options(&opts, before, Some(keys), KeyKind::Asc)
}

/// The options that both forms share; without `keys` the attribute stands on a field.
fn parse_options(
    opts: &Opts<'_>,
    before: usize,
    keys: Option<Vec<KeyAttr>>,
    own: KeyKind,
) -> Option<IndexAttr> {
    let text_only = ["weights", "default_language", "language_override"];
    let text = TextAttr {
        weights: parse_weights(opts),
        default_language: opts.string("default_language").map(|lit| lit.value()),
        language_override: opts.string("language_override").map(|lit| lit.value()),
        site: opts
            .items
            .iter()
            .find(|opt| text_only.iter().any(|word| opt.is(word)))
            .map(|opt| opt.tokens.clone()),
    };
    let index = IndexAttr {
        own,
        unique: opts.flag("unique"),
        sparse: opts.flag("sparse"),
        expire_after: parse_expire_after(opts),
        partial: parse_partial(opts, "partial", keys.is_none()),
        across_tenants: parse_across_tenants(opts),
        collation: parse_collation(opts),
        name: opts.string("name"),
        text,
        keys: keys.unwrap_or_default(),
        site: opts.site.clone(),
    };
    // A rule that looks at half an index would report what the user did write.
    (opts.cx.report_count() == before && !opts.unclear()).then_some(index)
}

/// `across_tenants = "reason"`; an empty reason is reported.
fn parse_across_tenants(opts: &Opts<'_>) -> Option<TokenStream> {
    let reason = opts.string("across_tenants")?;
    if reason.value().trim().is_empty() {
        opts.cx.push(diag::tenant_reason(&reason, opts.owner));
    }
    opts.get("across_tenants").map(|opt| opt.tokens.clone())
}

/// The tokens as a message repeats them.
fn shown(tokens: &[TokenTree]) -> String {
    tokens
        .iter()
        .cloned()
        .collect::<TokenStream>()
        .to_string()
        .replace(" . ", ".")
}

/// Parses a key: `host`, `+host`, `-time`, `address.city`, `text(title)`, `wildcard`.
fn parse_key(opts: &Opts<'_>, part: &[TokenTree]) -> Option<KeyAttr> {
    let tokens: TokenStream = part.iter().cloned().collect();
    let key = |path: Vec<Ident>, kind: KeyKind| {
        Some(KeyAttr {
            path,
            tokens: tokens.clone(),
            kind,
        })
    };
    let (sign, rest) = match part {
        [TokenTree::Punct(sign), rest @ ..] if matches!(sign.as_char(), '-' | '+') => {
            (Some(sign.as_char()), rest)
        }
        _ => (None, part),
    };
    let descending = sign == Some('-');
    match rest {
        // A field of that name is `r#wildcard`.
        [TokenTree::Ident(word)] if sign.is_none() && word == "wildcard" => {
            return key(Vec::new(), KeyKind::Wildcard);
        }
        [TokenTree::Ident(word), TokenTree::Group(group)]
            if sign.is_none() && group.delimiter() == Delimiter::Parenthesis =>
        {
            let Some((_, kind)) = KINDS.iter().find(|(known, _)| word == known) else {
                let known: Vec<&str> = KINDS.iter().map(|(word, _)| *word).collect();
                opts.cx
                    .push(diag::bad_word(word, "keys", opts.attr, opts.owner, &known));
                return None;
            };
            let inner: Vec<TokenTree> = group.stream().into_iter().collect();
            if let Some((path, [])) = path(&inner) {
                return key(path, *kind);
            }
        }
        _ => {
            if let Some((path, [])) = path(rest) {
                return key(
                    path,
                    if descending {
                        KeyKind::Desc
                    } else {
                        KeyKind::Asc
                    },
                );
            }
        }
    }
    opts.cx.push(diag::idx_key_form(
        &tokens,
        &shown(part),
        opts.owner,
        repaired(part),
    ));
    None
}

/// The key that was probably meant: `"address.city"`, `time = -1`, `time: -1`.
fn repaired(part: &[TokenTree]) -> Option<String> {
    if let [TokenTree::Literal(literal)] = part {
        let text = syn::parse2::<LitStr>(literal.to_token_stream())
            .ok()?
            .value();
        let fields = !text.is_empty()
            && text
                .split('.')
                .all(|part| syn::parse_str::<Ident>(part).is_ok());
        return fields.then_some(text);
    }
    let (path, rest) = path(part)?;
    let name = path.iter().map(unraw).collect::<Vec<_>>().join(".");
    match rest {
        [TokenTree::Punct(sign), value @ ..] if matches!(sign.as_char(), '=' | ':') => {
            match shown(value).replace(' ', "").as_str() {
                "1" => Some(name),
                "-1" => Some(format!("-{name}")),
                kind => KINDS
                    .iter()
                    .find(|(word, _)| *word == kind.trim_matches('"'))
                    .map(|(word, _)| format!("{word}({name})")),
            }
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests;
