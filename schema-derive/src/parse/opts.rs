//! The one grammar of all attributes: `name(positional, flag, key = value, key(..))`.
//!
//! An attribute is split into options first; each attribute's own file then reads those that it has. Everything that is wrong
//! with the writing itself (unknown, twice, missing, wrong kind of value) is reported here, in one way for all.

mod lists;

use std::cell::Cell;
use std::ops::RangeInclusive;

use proc_macro2::{Delimiter, Ident, TokenStream, TokenTree};
use quote::ToTokens;
use syn::ext::IdentExt;

use super::attributes::{OptionList, form_on};
use crate::ctxt::Ctxt;
use crate::diag;
use crate::syntax::{Bound, Sort};

/// A day in milliseconds.
const DAY: u64 = 86_400_000;

/// The longest expiry of an index, in milliseconds.
const EXPIRY_MAX: u64 = 2_147_483_647_000;

/// The longest time that the server takes as the limit of a command, in milliseconds.
const TIME_LIMIT_MAX: u64 = 2_147_483_647;

/// The options of one attribute.
#[derive(Debug)]
pub(crate) struct Opts<'a> {
    pub(crate) cx: &'a Ctxt,
    /// `embed`, `refs`, ...
    pub(crate) attr: &'static str,
    /// The name of the field or item in messages.
    pub(crate) owner: &'a str,
    /// The attribute without `#[]`, for spans.
    pub(crate) site: TokenStream,
    pub(crate) items: Vec<Opt>,
    /// True once an unknown option was reported: it may be a misspelled form of a missing one.
    unknown: Cell<bool>,
}

#[derive(Debug, Clone)]
pub(crate) struct Opt {
    /// None for a positional argument (a path that is not a single lower-case word).
    pub(crate) key: Option<Ident>,
    pub(crate) body: OptBody,
    pub(crate) tokens: TokenStream,
}

#[derive(Debug, Clone)]
pub(crate) enum OptBody {
    Flag,
    Value(TokenStream),
    List(TokenStream),
}

impl<'a> Opts<'a> {
    /// Splits `tokens`. `positional` is how many leading arguments are types or paths rather than options.
    pub(crate) fn split(
        cx: &'a Ctxt,
        attr: &'static str,
        owner: &'a str,
        site: TokenStream,
        tokens: TokenStream,
        positional: usize,
    ) -> Self {
        let mut opts = Opts {
            cx,
            attr,
            owner,
            site,
            items: Vec::new(),
            unknown: Cell::new(false),
        };
        for (n, part) in split_commas(tokens).into_iter().enumerate() {
            let all: TokenStream = part.iter().cloned().collect();
            let opt = match part.as_slice() {
                _ if n < positional && !is_assignment(&part) => Opt {
                    key: None,
                    body: OptBody::Flag,
                    tokens: all,
                },
                [TokenTree::Ident(key)] => Opt {
                    key: Some(key.clone()),
                    body: OptBody::Flag,
                    tokens: all,
                },
                [TokenTree::Ident(key), TokenTree::Punct(eq), rest @ ..]
                    if eq.as_char() == '=' && !rest.is_empty() =>
                {
                    Opt {
                        key: Some(key.clone()),
                        body: OptBody::Value(rest.iter().cloned().collect()),
                        tokens: all,
                    }
                }
                [TokenTree::Ident(key), TokenTree::Group(group)]
                    if group.delimiter() == Delimiter::Parenthesis =>
                {
                    Opt {
                        key: Some(key.clone()),
                        body: OptBody::List(group.stream()),
                        tokens: all,
                    }
                }
                _ => {
                    opts.unknown.set(true);
                    cx.push(diag::bad_shape(
                        &all,
                        &format!(
                            "has an option that is not `key`, `key = value` or `key(..)`: `{}`",
                            text(&all)
                        ),
                        attr,
                        owner,
                        &form_on(attr, owner),
                    ));
                    continue;
                }
            };
            opts.items.push(opt);
        }
        opts
    }

    /// Reports every option that the attribute does not have, that is given twice, or that is reserved.
    pub(crate) fn check_names(&mut self, list: &OptionList) {
        let mut seen: Vec<String> = Vec::new();
        let mut kept = Vec::new();
        for opt in std::mem::take(&mut self.items) {
            let Some(key) = &opt.key else {
                kept.push(opt);
                continue;
            };
            let word = key.unraw().to_string();
            if !list.contains(&word) {
                self.unknown.set(true);
                let usable = list.usable();
                self.cx
                    .push(diag::unknown_option(key, self.attr, self.owner, &usable));
            } else if seen.contains(&word) && !list.is_repeatable(&word) {
                self.cx
                    .push(diag::duplicate_option(key, &word, self.attr, self.owner));
            } else {
                seen.push(word);
                kept.push(opt);
            }
        }
        self.items = kept;
        for name in list.planned() {
            if let Some(opt) = self.get(name) {
                let option = format!("option `{name}`");
                self.cx
                    .push(diag::not_yet(&opt.tokens, &option, self.owner));
            }
        }
    }

    /// Takes the first option out, if it is a word without a value.
    pub(crate) fn take_first_flag(&mut self) -> Option<Ident> {
        let first = self.items.first()?;
        let word = first.key.clone();
        let word = word.filter(|_| matches!(first.body, OptBody::Flag))?;
        self.items.remove(0);
        Some(word)
    }

    /// Takes out the options that belong elsewhere. `instead` gives what to do with one, and `None` for one that may stay.
    pub(crate) fn remove_misplaced(&mut self, instead: impl Fn(&str) -> Option<&'static str>) {
        let (cx, owner) = (self.cx, self.owner);
        self.items.retain(|opt| {
            let word = opt.key.as_ref().map(|key| key.unraw().to_string());
            let word = word.unwrap_or_default();
            let Some(instead) = instead(&word) else {
                return true;
            };
            cx.push(diag::option_misplaced(&opt.key, &word, owner, instead));
            false
        });
    }

    /// The option `key`, if it is there.
    pub(crate) fn get(&self, key: &str) -> Option<&Opt> {
        self.items.iter().find(|opt| opt.is(key))
    }

    /// All options `key`.
    pub(crate) fn all<'b>(&'b self, key: &'b str) -> impl Iterator<Item = &'b Opt> {
        self.items.iter().filter(move |opt| opt.is(key))
    }

    /// The first positional argument as a path; reports it when it is missing or not a path.
    pub(crate) fn target(&self, form: &str) -> Option<syn::Path> {
        let Some(opt) = self.items.first().filter(|opt| opt.key.is_none()) else {
            if !self.unknown.get() {
                self.cx.push(diag::missing_target(
                    &self.site, self.attr, self.owner, form,
                ));
            }
            return None;
        };
        let path = syn::parse2(opt.tokens.clone()).ok();
        if path.is_none() {
            self.cx
                .push(diag::bad_target(&opt.tokens, self.attr, self.owner, form));
        }
        path
    }

    /// Reports a missing option, unless a misspelt one may stand for it.
    pub(crate) fn missing(&self, option: &str, form: &str) {
        if !self.unknown.get() {
            self.cx.push(diag::missing_option(
                &self.site, option, self.attr, self.owner, form,
            ));
        }
    }

    /// True if an option was left out because it is unknown or unreadable.
    pub(crate) fn unclear(&self) -> bool {
        self.unknown.get()
    }

    /// Reports a value that the option cannot take.
    pub(super) fn bad(&self, opt: &Opt, wants: &str, form: &str) {
        let tokens = match &opt.body {
            OptBody::Value(value) => value.clone(),
            _ => opt.tokens.clone(),
        };
        self.bad_part(tokens, opt, wants, form);
    }

    /// Reports a part of a value that the option cannot take.
    pub(super) fn bad_part(&self, tokens: TokenStream, opt: &Opt, wants: &str, form: &str) {
        let key = opt
            .key
            .as_ref()
            .map(ToString::to_string)
            .unwrap_or_default();
        self.cx.push(diag::bad_value(
            &tokens, &key, self.attr, self.owner, wants, form,
        ));
    }

    fn value<T: syn::parse::Parse>(&self, opt: &Opt, wants: &str, form: &str) -> Option<T> {
        if let OptBody::Value(value) = &opt.body
            && let Ok(parsed) = syn::parse2(value.clone())
        {
            return Some(parsed);
        }
        self.bad(opt, wants, form);
        None
    }

    /// `key`, without a value.
    pub(crate) fn flag(&self, key: &str) -> Option<TokenStream> {
        let opt = self.get(key)?;
        if !matches!(opt.body, OptBody::Flag) {
            self.bad(opt, "no value", &format!("{}({key})", self.attr));
        }
        Some(opt.tokens.clone())
    }

    /// `key = 200`
    pub(crate) fn number(&self, key: &str) -> Option<Bound> {
        let opt = self.get(key)?;
        let form = format!("{key} = 200");
        let lit: syn::LitInt = self.value(opt, "a whole number", &form)?;
        match lit.base10_parse::<u64>() {
            Ok(value) if lit.suffix().is_empty() => Some(Bound {
                value,
                tokens: lit.to_token_stream(),
            }),
            _ => {
                self.bad(opt, "a whole number", &form);
                None
            }
        }
    }

    /// `key = "500ms"`; the value is in milliseconds.
    pub(crate) fn milliseconds(&self, key: &str) -> Option<Bound> {
        let wants = "a time of at most 24 days (units: `ms`, `s`, `m`, `h`, `d`, `w`)";
        self.time(key, wants, "500ms", 1..=TIME_LIMIT_MAX)
    }

    /// `key = "365d"`; the value is in seconds.
    pub(crate) fn days(&self, key: &str) -> Option<Bound> {
        let wants = "a time from a day to 68 years (units: `h`, `d`, `w`, `y`)";
        let mut time = self.time(key, wants, "365d", DAY..=EXPIRY_MAX)?;
        time.value /= 1_000;
        Some(time)
    }

    /// A time in `range`, in milliseconds.
    fn time(
        &self,
        key: &str,
        wants: &str,
        example: &str,
        range: RangeInclusive<u64>,
    ) -> Option<Bound> {
        let opt = self.get(key)?;
        let form = format!("{key} = \"{example}\"");
        let lit: syn::LitStr = self.value(opt, wants, &form)?;
        let Some(value) = parse_milliseconds(&lit.value()).filter(|time| range.contains(time))
        else {
            self.bad(opt, wants, &form);
            return None;
        };
        Some(Bound {
            value,
            tokens: lit.to_token_stream(),
        })
    }

    /// `key = "text"`
    pub(crate) fn string(&self, key: &str) -> Option<syn::LitStr> {
        let opt = self.get(key)?;
        self.value(opt, "a string", &format!("{key} = \"..\""))
    }

    /// `key = word`
    pub(crate) fn word(&self, key: &str) -> Option<Ident> {
        let opt = self.get(key)?;
        let example = match key {
            "on_delete" => "deny",
            "level" => "eventual",
            "missing" => "strict",
            _ => "name",
        };
        self.word_of(opt, &format!("{key} = {example}"))
    }

    /// The word that is the value of `opt`.
    pub(crate) fn word_of(&self, opt: &Opt, form: &str) -> Option<Ident> {
        self.value(opt, "a name", form)
    }

    /// `key = word` or `key = word.inside`
    pub(crate) fn dotted(&self, key: &str) -> Option<Vec<Ident>> {
        let opt = self.get(key)?;
        if let OptBody::Value(value) = &opt.body {
            let tokens: Vec<TokenTree> = value.clone().into_iter().collect();
            if let Some(path) = whole_path(&tokens) {
                return Some(path);
            }
        }
        self.bad(opt, "a name", &format!("{key} = name"));
        None
    }

    /// `key = some::path`
    pub(crate) fn path(&self, key: &str) -> Option<syn::Path> {
        let opt = self.get(key)?;
        let example = match key {
            "crate" => "::mongo_model",
            "migrate" => "one_name",
            "undo" => "join_name",
            "with" => "is_free",
            _ => "Part",
        };
        self.value(opt, "a path", &format!("{key} = {example}"))
    }

    /// `key = true`
    pub(crate) fn boolean(&self, key: &str) -> Option<bool> {
        let opt = self.get(key)?;
        self.value::<syn::LitBool>(opt, "`true` or `false`", &format!("{key} = true"))
            .map(|lit| lit.value)
    }

    /// `key = -field`
    pub(crate) fn sort(&self, key: &str) -> Option<Sort> {
        let opt = self.get(key)?;
        let OptBody::Value(value) = &opt.body else {
            self.bad(opt, "a field, with `-` for descending", "sort = -time");
            return None;
        };
        let mut tokens: Vec<TokenTree> = value.clone().into_iter().collect();
        let descending = matches!(tokens.first(), Some(TokenTree::Punct(p)) if p.as_char() == '-');
        if descending {
            tokens.remove(0);
        }
        match tokens.as_slice() {
            [TokenTree::Ident(field)] => Some(Sort {
                field: field.clone(),
                descending,
            }),
            _ => {
                self.bad(opt, "a field, with `-` for descending", "sort = -time");
                None
            }
        }
    }
}

impl Opt {
    pub(crate) fn is(&self, word: &str) -> bool {
        self.key.as_ref().is_some_and(|key| key.unraw() == word)
    }
}

/// `a.b.c`, and nothing behind it.
fn whole_path(tokens: &[TokenTree]) -> Option<Vec<Ident>> {
    let (path, rest) = path(tokens)?;
    rest.is_empty().then_some(path)
}

/// `a.b.c` at the start of `tokens`, and what follows it.
pub(crate) fn path(tokens: &[TokenTree]) -> Option<(Vec<Ident>, &[TokenTree])> {
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

/// Splits at top-level commas; commas inside `<..>` belong to a type. A trailing comma is allowed.
pub(crate) fn split_commas(tokens: TokenStream) -> Vec<Vec<TokenTree>> {
    let mut parts = vec![Vec::new()];
    let mut depth = 0_usize;
    let mut last = ' ';
    for token in tokens {
        if let TokenTree::Punct(punct) = &token {
            let c = punct.as_char();
            match c {
                '<' => depth += 1,
                '>' if last != '-' && last != '=' => depth = depth.saturating_sub(1),
                ',' if depth == 0 => {
                    parts.push(Vec::new());
                    last = c;
                    continue;
                }
                _ => {}
            }
            last = c;
        } else {
            last = ' ';
        }
        if let Some(part) = parts.last_mut() {
            part.push(token);
        }
    }
    parts.retain(|part| !part.is_empty());
    parts
}

fn is_assignment(part: &[TokenTree]) -> bool {
    matches!(part, [TokenTree::Ident(_), TokenTree::Punct(eq), ..] if eq.as_char() == '=')
}

/// `500ms`, `30d`, `1y`
pub(super) fn parse_milliseconds(text: &str) -> Option<u64> {
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    let unit = match &text[digits.len()..] {
        "ms" => 1,
        "s" => 1_000,
        "m" => 60_000,
        "h" => 3_600_000,
        "d" => DAY,
        "w" => 7 * DAY,
        "y" => 365 * DAY,
        _ => return None,
    };
    Some(
        digits
            .parse::<u64>()
            .unwrap_or(u64::MAX)
            .saturating_mul(unit),
    )
}

fn text(tokens: &TokenStream) -> String {
    tokens.to_string().replace(" . ", ".").replace(" : ", ": ")
}
