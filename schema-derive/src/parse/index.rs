//! `#[index(..)]` on a field and `index(keys(..), ..)` in `#[model(..)]`.

use proc_macro2::{Delimiter, Ident, TokenStream, TokenTree};
use quote::ToTokens;
use syn::ext::IdentExt;
use syn::{Lit, LitInt, LitStr};

use super::opts::{Opt, OptBody, Opts, split_commas};
use crate::diag;
use crate::names::unraw;
use crate::syntax::{
    Bound, CollationAttr, ConditionAttr, ConditionOp, IndexAttr, KeyAttr, KeyKind, PartialAttr,
    TextAttr,
};

/// The kinds that a key can have besides ascending, as words.
const KINDS: &[(&str, KeyKind)] = &[
    ("desc", KeyKind::Desc),
    ("text", KeyKind::Text),
    ("hashed", KeyKind::Hashed),
    ("geo", KeyKind::Geo),
    ("wildcard", KeyKind::Wildcard),
];
const ON_FIELD: &[&str] = &[
    "unique",
    "desc",
    "text",
    "hashed",
    "geo",
    "wildcard",
    "expire_after",
    "sparse",
    "partial",
    "collation",
    "default_language",
    "language_override",
    "name",
];
const ON_ITEM: &[&str] = &[
    "keys",
    "unique",
    "expire_after",
    "sparse",
    "partial",
    "collation",
    "weights",
    "default_language",
    "language_override",
    "name",
];
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
/// What `$type` accepts.
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
const KEYS_FORM: &str = "index(keys(host, -time, address.city))";
const WEIGHT_MAX: u64 = 99_999;

/// `#[index]`, `#[index(unique, ..)]`. None if something about it was reported.
pub(crate) fn on_field(mut opts: Opts<'_>) -> Option<IndexAttr> {
    let before = opts.cx.reported();
    for word in ["keys", "weights"] {
        if let Some(opt) = opts.get(word) {
            opts.cx
                .push(diag::idx_of_many(&opt.tokens, word, opts.owner));
            return None;
        }
    }
    opts.known(ON_FIELD, &[]);
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
    options(&opts, before, None, own)
}

/// `index(keys(a, -b), ..)`. None if something about it was reported.
pub(crate) fn on_item(mut opts: Opts<'_>) -> Option<IndexAttr> {
    let before = opts.cx.reported();
    for (word, _) in KINDS {
        if let Some(opt) = opts.get(word) {
            opts.cx
                .push(diag::idx_kind_of_key(&opt.tokens, word, opts.owner));
            return None;
        }
    }
    opts.known(ON_ITEM, &[]);
    let keys = match opts.get("keys") {
        Some(Opt {
            body: OptBody::List(list),
            ..
        }) if !list.is_empty() => split_commas(list.clone())
            .iter()
            .filter_map(|part| key(&opts, part))
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
    options(&opts, before, Some(keys), KeyKind::Asc)
}

/// What both forms share; without `keys` it stands on a field.
fn options(
    opts: &Opts<'_>,
    before: usize,
    keys: Option<Vec<KeyAttr>>,
    own: KeyKind,
) -> Option<IndexAttr> {
    let text_only = ["weights", "default_language", "language_override"];
    let text = TextAttr {
        weights: weights(opts),
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
        expire_after: expire_after(opts),
        partial: partial(opts, "partial", keys.is_none()),
        collation: collation(opts),
        name: opts.string("name"),
        text,
        keys: keys.unwrap_or_default(),
        site: opts.site.clone(),
    };
    // A rule that looks at half an index would report what the user did write.
    (opts.cx.reported() == before && !opts.unclear()).then_some(index)
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

/// `a.b.c` at the start of `tokens`, and what follows it.
pub(super) fn path(tokens: &[TokenTree]) -> Option<(Vec<Ident>, &[TokenTree])> {
    let [TokenTree::Ident(first), rest @ ..] = tokens else {
        return None;
    };
    let (mut path, mut rest) = (vec![first.clone()], rest);
    while let [TokenTree::Punct(dot), TokenTree::Ident(next), after @ ..] = rest {
        if dot.as_char() != '.' {
            break;
        }
        path.push(next.clone());
        rest = after;
    }
    Some((path, rest))
}

/// One of `host`, `-time`, `address.city`, `text(title)`, `wildcard`.
fn key(opts: &Opts<'_>, part: &[TokenTree]) -> Option<KeyAttr> {
    let tokens: TokenStream = part.iter().cloned().collect();
    let key = |path: Vec<Ident>, kind: KeyKind| {
        Some(KeyAttr {
            path,
            tokens: tokens.clone(),
            kind,
        })
    };
    let (descending, rest) = match part {
        [TokenTree::Punct(minus), rest @ ..] if minus.as_char() == '-' => (true, rest),
        _ => (false, part),
    };
    match rest {
        // A field of that name is `r#wildcard`.
        [TokenTree::Ident(word)] if !descending && word == "wildcard" => {
            return key(Vec::new(), KeyKind::Wildcard);
        }
        [TokenTree::Ident(word), TokenTree::Group(group)]
            if !descending && group.delimiter() == Delimiter::Parenthesis =>
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

/// `weights(title = 10, body.text = 2)`
fn weights(opts: &Opts<'_>) -> Vec<(Vec<Ident>, u32)> {
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
fn expire_after(opts: &Opts<'_>) -> Option<Bound> {
    let opt = opts.get("expire_after")?;
    if let OptBody::Value(value) = &opt.body {
        let seconds = match syn::parse2::<Lit>(value.clone()) {
            Ok(Lit::Str(lit)) => seconds(&lit.value()),
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
    let wants = "a time (units: `s`, `m`, `h`, `d`, `w`), or seconds as a whole number";
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

fn seconds(text: &str) -> Option<u64> {
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    let unit = match &text[digits.len()..] {
        "s" => 1,
        "m" => 60,
        "h" => 3_600,
        "d" => 86_400,
        "w" => 604_800,
        _ => return None,
    };
    Some(
        digits
            .parse::<u64>()
            .unwrap_or(u64::MAX)
            .saturating_mul(unit),
    )
}

/// `partial(exists)` on a field, `partial(active = true, total(gt = 5), email(exists))` on the item; `option` is its name.
pub(super) fn partial(opts: &Opts<'_>, option: &str, on_field: bool) -> Option<PartialAttr> {
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

/// `collation(locale = "en", strength = 2, case_level = true, numeric_ordering = true)`
fn collation(opts: &Opts<'_>) -> Option<CollationAttr> {
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
    inner.known(
        &["locale", "strength", "case_level", "numeric_ordering"],
        &[],
    );
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
fn is_locale(text: &str) -> bool {
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

#[cfg(test)]
mod tests;
