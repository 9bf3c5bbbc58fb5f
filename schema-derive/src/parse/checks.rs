//! `#[check(..)]`: rules about the values of a field.

use proc_macro2::{TokenStream, TokenTree};
use syn::{Lit, LitStr};

use super::attributes::{CHECK, EACH, KEYS};
use super::opts::{Opt, OptBody, Opts, split_commas};
use crate::diag;
use crate::syntax::{CheckAttr, End, Part, ValueCheck, ValueRule};

/// `check(len = 3..=80, each(not_empty))`
pub(super) fn parse_check(mut opts: Opts<'_>) -> CheckAttr {
    opts.check_names(&CHECK);
    let is_false =
        |opt: &Opt| matches!(&opt.body, OptBody::Value(value) if value.to_string() == "false");
    let finite = opts
        .items
        .iter()
        .position(|opt| opt.is("finite") && is_false(opt));
    let not_finite = finite.map(|place| opts.items.remove(place)).is_some();
    let mut checks = rules(&opts, Part::Whole);
    let parts = [
        ("each", "rules about the elements", Part::Each),
        ("values", "rules about the values", Part::Each),
        ("keys", "rules about the keys", Part::Keys),
    ];
    for (name, wants, part) in parts {
        for opt in opts.all(name) {
            let OptBody::List(list) = &opt.body else {
                opts.bad(opt, wants, &format!("{name}(len = 3..=80)"));
                continue;
            };
            let (site, list) = (opt.tokens.clone(), list.clone());
            let mut inside = Opts::split(opts.cx, "check", opts.owner, site, list, 0);
            inside.check_names(if part == Part::Keys { &KEYS } else { &EACH });
            if inside.items.is_empty() && !inside.unclear() {
                opts.bad(opt, wants, &format!("{name}(len = 3..=80)"));
            }
            checks.extend(rules(&inside, part));
        }
    }
    let on = opts.get("on");
    let is_write =
        |opt: &&Opt| matches!(&opt.body, OptBody::Value(value) if value.to_string() == "write");
    if let Some(other) = on.filter(|opt| !is_write(opt)) {
        opts.bad(other, "`write`", "on = write");
    }
    if let (Some(on), 1, false) = (on, opts.items.len(), opts.unclear()) {
        let (form, problem) = ("#[check(len = 3..=80, on = write)]", "has `on` and no rule");
        let diag = diag::bad_shape(&on.tokens, problem, "check", opts.owner, form);
        opts.cx.push(diag);
    }
    for check in &mut checks {
        check.on_write = on.is_some();
    }
    CheckAttr {
        checks,
        not_finite,
        site: opts.site,
    }
}

fn rules(opts: &Opts<'_>, part: Part) -> Vec<ValueCheck> {
    let mut checks = Vec::new();
    for opt in &opts.items {
        let Some(key) = &opt.key else {
            opts.bad(opt, "a rule", "len = 3..=80");
            continue;
        };
        let rule = match key.to_string().as_str() {
            "len" => length(opts, opt),
            "range" => range(opts, opt),
            "not_empty" => opts.flag("not_empty").map(|_| ValueRule::NotEmpty),
            "email" => opts.flag("email").map(|_| ValueRule::Email),
            "url" => opts.flag("url").map(|_| ValueRule::Url),
            "finite" => opts.flag("finite").map(|_| ValueRule::Finite),
            "one_of" => one_of(opts, opt),
            "with" => opts.path("with").map(ValueRule::With),
            "pattern" => {
                let pattern = opts.string("pattern");
                pattern.map(|pattern| ValueRule::Pattern(pattern.value()))
            }
            _ => continue,
        };
        checks.extend(rule.map(|rule| ValueCheck {
            rule,
            part,
            on_write: false,
            name: key.clone(),
            tokens: opt.tokens.clone(),
        }));
    }
    checks
}

/// `len = 3..=80`, `len = 3..`, `len = ..=80`, `len = 5`
fn length(opts: &Opts<'_>, opt: &Opt) -> Option<ValueRule> {
    let length = |end: Option<End>, none: u64| match end {
        Some(End::Int(n)) => u64::try_from(n).ok(),
        Some(End::Float(_)) => None,
        None => Some(none),
    };
    let read = || {
        let (min, max, exclusive) = ends(opt)?;
        let (min, max) = (length(min, 0)?, length(max, u64::MAX)?);
        let max = if exclusive { max.checked_sub(1)? } else { max };
        Some(ValueRule::Len { min, max })
    };
    let rule = read();
    if rule.is_none() {
        opts.bad(opt, "a range of lengths", "len = 3..=80");
    }
    rule
}

/// `range = 0..=100`, `range = 0.0..1.0`, `range = 0..`
fn range(opts: &Opts<'_>, opt: &Opt) -> Option<ValueRule> {
    let rule = ends(opt).map(|(min, max, exclusive)| ValueRule::Range {
        min,
        max,
        exclusive,
    });
    if rule.is_none() {
        let is_long = |token| {
            let text = TokenTree::to_string(&token);
            text.contains('.') && text.chars().filter(char::is_ascii_digit).count() > 15
        };
        let wants = match opt.tokens.clone().into_iter().any(is_long) {
            true => "numbers that have at most 15 digits where they have a point",
            false => "a range of numbers",
        };
        opts.bad(opt, wants, "range = 0..=100");
    }
    rule
}

/// `one_of("a", "b")`, `one_of(1, 2)`
fn one_of(opts: &Opts<'_>, opt: &Opt) -> Option<ValueRule> {
    let read = || {
        let OptBody::List(list) = &opt.body else {
            return None;
        };
        let parts = split_commas(list.clone());
        let texts = parts.iter().map(|part| {
            let [TokenTree::Literal(one)] = part.as_slice() else {
                return None;
            };
            syn::parse2::<LitStr>(TokenTree::from(one.clone()).into()).ok()
        });
        if let Some(texts) = texts.collect::<Option<Vec<_>>>() {
            let texts: Vec<String> = texts.iter().map(LitStr::value).collect();
            return (!texts.is_empty()).then_some(ValueRule::OneOf(texts));
        }
        let numbers = parts.iter().map(|part| match end(part) {
            Some(End::Int(n)) => Some(n),
            _ => None,
        });
        numbers.collect::<Option<Vec<_>>>().map(ValueRule::OneOfInt)
    };
    let rule = read();
    let has_duplicate = match &rule {
        Some(ValueRule::OneOf(texts)) => has_duplicate(texts),
        Some(ValueRule::OneOfInt(numbers)) => has_duplicate(numbers),
        _ => false,
    };
    let wants = match &rule {
        None => "texts or whole numbers",
        Some(_) if has_duplicate => "each value once",
        Some(_) => return rule,
    };
    opts.bad(opt, wants, "one_of(\"new\", \"paid\")");
    None
}

/// The server refuses a schema that lists a value twice.
fn has_duplicate<T: PartialEq>(values: &[T]) -> bool {
    (1..values.len()).any(|n| values[..n].contains(&values[n]))
}

/// The ends of a range, and true if the last is not a part of it.
fn ends(opt: &Opt) -> Option<(Option<End>, Option<End>, bool)> {
    let OptBody::Value(value) = &opt.body else {
        return None;
    };
    let tokens: Vec<TokenTree> = value.clone().into_iter().collect();
    let is_dot = |token: &TokenTree| matches!(token, TokenTree::Punct(dot) if dot.as_char() == '.');
    let Some(dots) = tokens.iter().position(is_dot) else {
        let only = end(&tokens)?;
        return Some((Some(only), Some(only), false));
    };
    let (min, rest) = tokens.split_at(dots);
    let [_, second, rest @ ..] = rest else {
        return None;
    };
    let (closed, max) = match rest {
        [TokenTree::Punct(equals), max @ ..] if equals.as_char() == '=' => (true, max),
        max => (false, max),
    };
    let read = |tokens: &[TokenTree]| match tokens {
        [] => Some(None),
        tokens => end(tokens).map(Some),
    };
    let (min, max) = (read(min)?, read(max)?);
    let some = is_dot(second) && (min.is_some() || max.is_some()) && (max.is_some() || !closed);
    some.then_some((min, max, !closed && max.is_some()))
}

/// The digits of a number without the zeros around them, and the power of ten of the first one.
fn significant(number: &str) -> (String, i64) {
    let (mantissa, exponent) = number.split_once(['e', 'E']).unwrap_or((number, "0"));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = format!("{whole}{fraction}");
    let zeros = digits.len() - digits.trim_start_matches('0').len();
    let digits = digits.trim_matches('0').to_owned();
    let first = whole.len().cast_signed() - zeros.cast_signed();
    let exponent = exponent.parse::<i64>().unwrap_or(0);
    match digits.is_empty() {
        true => (digits, 0),
        false => (digits, exponent + first as i64),
    }
}

/// A number, which may be negative.
pub(super) fn end(tokens: &[TokenTree]) -> Option<End> {
    let (negative, literal) = match tokens {
        [literal] => (false, literal),
        [TokenTree::Punct(minus), literal] if minus.as_char() == '-' => (true, literal),
        _ => return None,
    };
    match syn::parse2::<Lit>(TokenStream::from(literal.clone())).ok()? {
        Lit::Int(lit) if lit.suffix().is_empty() => {
            let n = lit.base10_parse::<i128>().ok()?;
            let n = if negative { -n } else { n };
            i64::try_from(n).ok().map(End::Int)
        }
        Lit::Float(lit) if lit.suffix().is_empty() => {
            let n = lit.base10_parse::<f64>().ok().filter(|n| n.is_finite())?;
            // A decimal is compared with the number as it is written, which the float has to show.
            let is_shown = significant(lit.base10_digits()) == significant(&format!("{n:e}"));
            is_shown.then_some(End::Float(if negative { -n } else { n }))
        }
        _ => None,
    }
}
