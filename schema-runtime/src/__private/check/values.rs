//! `#[check(..)]` on fields whose type it fits.

use crate::__private::text::{refuse, say};
use crate::schema::checks::{Check, CheckRule, Limit, Part};
use crate::schema::lookup::same;
use crate::schema::rows::{FieldRow, Kind};
use crate::schema::value::Cardinality;

/// Each rule says something about values of the field's type.
#[track_caller]
pub(super) const fn checks(row: &FieldRow, owner: &'static str) {
    let mut n = 0;
    while n < row.checks.len() {
        let check = row.checks[n];
        let is_array = matches!(row.facts.card, Cardinality::Array);
        let is_map = matches!(row.facts.card, Cardinality::Map);
        let kind = match check.part {
            Part::Each if !is_array && !is_map => no_elements(owner),
            Part::Keys if !is_map => no_keys(owner),
            Part::Each => row.facts.elem_kind,
            Part::Keys => Kind::String,
            Part::Whole => row.kind,
        };
        let is_whole_array = is_array && matches!(check.part, Part::Whole);
        if !fits(check, kind, is_whole_array, row) {
            no_meaning(check, kind, row, owner);
        }
        if let (Some((least, greatest)), Kind::Int) = (row.facts.range, kind)
            && !is_met_within(check.rule, least, greatest)
        {
            outside_of_type(check, (least, greatest), owner);
        }
        n += 1;
    }
}

/// True if an integer between these meets the rule.
const fn is_met_within(rule: CheckRule, least: i64, greatest: i64) -> bool {
    match rule {
        CheckRule::Range {
            min,
            max,
            exclusive,
        } => {
            let begins = match min {
                Some(Limit::Int(min)) => min <= greatest,
                _ => true,
            };
            begins
                && match max {
                    Some(Limit::Int(max)) if exclusive => max > least,
                    Some(Limit::Int(max)) => max >= least,
                    _ => true,
                }
        }
        CheckRule::OneOfInt(values) => {
            let mut n = 0;
            while n < values.len() && (values[n] < least || values[n] > greatest) {
                n += 1;
            }
            n < values.len()
        }
        _ => true,
    }
}

const fn fits(check: Check, kind: Kind, is_array: bool, row: &FieldRow) -> bool {
    // An enum is stored as one of its tags.
    let is_key = matches!(check.part, Part::Keys);
    let is_text = matches!(kind, Kind::String) && (is_key || row.facts.tags.is_empty());
    match check.rule {
        CheckRule::Len { .. } | CheckRule::NotEmpty => is_text || is_array,
        CheckRule::Range { min, max, .. } => match kind {
            Kind::Int => is_whole(min) && is_whole(max),
            Kind::Double | Kind::Decimal => true,
            _ => false,
        },
        CheckRule::Finite => matches!(kind, Kind::Double | Kind::Decimal),
        CheckRule::OneOf(_) | CheckRule::Pattern(_) | CheckRule::Email | CheckRule::Url => is_text,
        CheckRule::OneOfInt(_) => matches!(kind, Kind::Int),
        // Paths lead into documents, arrays and maps, and an operator would change a part that no function has judged.
        CheckRule::With(_) => {
            !is_key && !matches!(kind, Kind::Document | Kind::Array | Kind::Map | Kind::Any)
        }
        CheckRule::Compare(_) | CheckRule::OtherDocument => false,
    }
}

const fn is_whole(limit: Option<Limit>) -> bool {
    !matches!(limit, Some(Limit::Float(_)))
}

#[track_caller]
const fn no_elements(owner: &'static str) -> Kind {
    refuse!(
        "`each` in `#[check(..)]` on `{owner}` has no meaning: the field is not an array, set or map [CHECK_TYPE]\n\
         help: a rule about the value itself: `#[check(len = 3..=80)]`";
        owner
    );
}

#[track_caller]
const fn no_keys(owner: &'static str) -> Kind {
    refuse!(
        "`keys` in `#[check(..)]` on `{owner}` has no meaning: the field is not a map [CHECK_TYPE]\n\
         help: a rule about each element of an array: `#[check(each(len = 3..=80))]`";
        owner
    );
}

#[track_caller]
const fn outside_of_type(check: Check, (least, greatest): (i64, i64), owner: &'static str) {
    refuse!(
        "no value of `{owner}` meets `{name}` [CHECK_EMPTY]\n\
         help: a number that the type holds, or a wider type\n\
         note: the type holds {least} to {greatest}";
        owner, name = check.rule.name(), least: Signed, greatest: Signed
    );
}

#[track_caller]
const fn no_meaning(check: Check, kind: Kind, row: &FieldRow, owner: &'static str) {
    let name = check.rule.name();
    let mut text = say!(
        "`{name}` in `#[check(..)]` does not fit the type of `{owner}` [CHECK_TYPE]\n\
         help: ";
        name, owner
    );
    let is_whole = matches!(check.part, Part::Whole);
    text = match (check.rule, kind) {
        (CheckRule::With(_), _) => say!(
            text => "elements: `each(with = ..)`, values of a map: `values(with = ..)`\n\
             help: fields that belong together: `check(with = ..)` in the `#[model(..)]` of the model"
        ),
        (_, Kind::Array) if is_whole => {
            say!(text => "elements: `each({name}{form})`"; name, form = form(check.rule))
        }
        (_, Kind::Map) if is_whole => {
            text.push_str("values: `values(..)`, keys: `keys(..)`, entries: `#[embed(max = 20)]`")
        }
        (CheckRule::Finite, _) => text.push_str("remove it"),
        _ => text.push_str(fitting(kind, !row.facts.tags.is_empty())),
    };
    refuse!(
        text => "\n\
         note: {meant}";
        meant = meant(check.rule, kind)
    );
}

/// The value of a rule, as an example.
const fn form(rule: CheckRule) -> &'static str {
    match rule {
        CheckRule::Range { .. } => " = 0..=100",
        CheckRule::Pattern(_) => " = \"..\"",
        CheckRule::OneOf(_) | CheckRule::OneOfInt(_) => "(..)",
        _ => "",
    }
}

/// The rules of values of a kind.
const fn fitting(kind: Kind, is_enum: bool) -> &'static str {
    match kind {
        Kind::String if is_enum => "remove it: the variants of the enum are its values",
        Kind::String => "strings: `len = 3..=80`, `one_of(\"new\", \"paid\")`, `pattern = \"..\"`",
        Kind::Int => "whole numbers: `range = 0..=100`, `one_of(1, 2)`",
        Kind::Double => "floats: `range = 0.0..=1.0`, `finite`",
        Kind::Decimal => "decimals: `range = 0.01..=99.99`, `finite`",
        Kind::Binary => "bytes: `#[model(max_len = 1024)]`",
        Kind::Date => "dates: `check(start < end)` in the `#[model(..)]` of the model",
        Kind::Document => "rules about its fields stand in its own struct",
        _ => "remove it, or name a function of yours: `with = is_right`",
    }
}

/// The values that a rule is about.
const fn meant(rule: CheckRule, kind: Kind) -> &'static str {
    match rule {
        CheckRule::Len { .. } | CheckRule::NotEmpty => "strings and arrays have a length",
        CheckRule::Range { .. } if matches!(kind, Kind::Int) => "the field holds integers",
        CheckRule::Range { .. } => "integers, floats and decimals have a range",
        CheckRule::Finite => {
            "only floats (`f64`, `f32`) and decimals may be infinite, or no number"
        }
        CheckRule::Pattern(_) => "a pattern is one of strings",
        CheckRule::Email => "an e-mail address is a string",
        CheckRule::Url => "an address of the web is a string",
        CheckRule::OneOf(_) | CheckRule::OneOfInt(_) => {
            "texts are compared with strings, whole numbers with integers"
        }
        CheckRule::With(_) => "an operator changes a part of it, which the function would not see",
        CheckRule::Compare(_) | CheckRule::OtherDocument => "",
    }
}

/// True if both fields have the same checks.
pub(super) const fn same_checks(a: &[Check], b: &[Check]) -> bool {
    if a.len() != b.len() {
        return false;
    }
    let mut n = 0;
    while n < a.len() {
        if a[n].part as u8 != b[n].part as u8
            || a[n].scope as u8 != b[n].scope as u8
            || !same_rule(a[n].rule, b[n].rule)
        {
            return false;
        }
        n += 1;
    }
    true
}

const fn same_rule(a: CheckRule, b: CheckRule) -> bool {
    match (a, b) {
        (CheckRule::Len { min, max }, CheckRule::Len { min: m, max: n }) => min == m && max == n,
        (
            CheckRule::Range {
                min,
                max,
                exclusive,
            },
            CheckRule::Range {
                min: m,
                max: n,
                exclusive: e,
            },
        ) => same_limit(min, m) && same_limit(max, n) && exclusive == e,
        (CheckRule::Pattern(a), CheckRule::Pattern(b)) => same(a, b),
        (CheckRule::With(a), CheckRule::With(b)) => same(a.name, b.name),
        (CheckRule::NotEmpty, CheckRule::NotEmpty)
        | (CheckRule::Finite, CheckRule::Finite)
        | (CheckRule::Email, CheckRule::Email)
        | (CheckRule::Url, CheckRule::Url) => true,
        (CheckRule::OneOf(a), CheckRule::OneOf(b)) => {
            let mut n = 0;
            while n < a.len() && n < b.len() && same(a[n], b[n]) {
                n += 1;
            }
            n == a.len() && n == b.len()
        }
        (CheckRule::OneOfInt(a), CheckRule::OneOfInt(b)) => {
            let mut n = 0;
            while n < a.len() && n < b.len() && a[n] == b[n] {
                n += 1;
            }
            n == a.len() && n == b.len()
        }
        _ => false,
    }
}

const fn same_limit(a: Option<Limit>, b: Option<Limit>) -> bool {
    match (a, b) {
        (None, None) => true,
        (Some(Limit::Int(a)), Some(Limit::Int(b))) => a == b,
        (Some(Limit::Float(a)), Some(Limit::Float(b))) => a.to_bits() == b.to_bits(),
        _ => false,
    }
}
