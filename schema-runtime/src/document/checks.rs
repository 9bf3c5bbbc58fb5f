//! Values judged by the rules of `#[check(..)]`.

use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::sync::{PoisonError, RwLock};

use bson::RawBsonRef;
use regex_lite::Regex;

use crate::bson_util::exact::Exact;
use crate::schema::checks::{CheckRule, Limit};

/// True if the value meets the rule, which is no function. A value of a type that the rule says nothing about meets it.
pub(super) fn meets(rule: &CheckRule, value: RawBsonRef<'_>) -> bool {
    match (rule, value) {
        (CheckRule::Len { min, max }, RawBsonRef::String(text)) => {
            let (bytes, all) = (text.len() as u64, *min..=*max);
            // A character has one to four bytes: most texts need no count.
            all.contains(&bytes) && all.contains(&bytes.div_ceil(4))
                || all.contains(&(text.chars().count() as u64))
        }
        (CheckRule::Len { min, max }, RawBsonRef::Array(array)) => {
            (*min..=*max).contains(&(array.into_iter().count() as u64))
        }
        (CheckRule::NotEmpty, RawBsonRef::String(text)) => !text.trim().is_empty(),
        (CheckRule::NotEmpty, RawBsonRef::Array(array)) => !array.is_empty(),
        (CheckRule::Finite, RawBsonRef::Double(n)) => n.is_finite(),
        (CheckRule::Finite, RawBsonRef::Decimal128(n)) => Exact::from(n).is_finite(),
        (CheckRule::Pattern(_) | CheckRule::Email | CheckRule::Url, RawBsonRef::String(text)) => {
            rule.pattern()
                .is_none_or(|pattern| matches_pattern(pattern, text))
        }
        (CheckRule::OneOf(values), RawBsonRef::String(text)) => values.contains(&text),
        (CheckRule::OneOfInt(values), RawBsonRef::Int32(n)) => values.contains(&i64::from(n)),
        (CheckRule::OneOfInt(values), RawBsonRef::Int64(n)) => values.contains(&n),
        (
            CheckRule::Range {
                min,
                max,
                exclusive,
            },
            RawBsonRef::Int32(_)
            | RawBsonRef::Int64(_)
            | RawBsonRef::Double(_)
            | RawBsonRef::Decimal128(_),
        ) => {
            let at_least = |limit| matches!(compare(value, limit), Some(order) if order.is_ge());
            let at_most = |limit| match compare(value, limit) {
                Some(Ordering::Less) => true,
                Some(Ordering::Equal) => !exclusive,
                _ => false,
            };
            min.is_none_or(at_least) && max.is_none_or(at_most)
        }
        _ => true,
    }
}

/// The compiled patterns of this program.
static PATTERNS: RwLock<BTreeMap<&'static str, Option<Regex>>> = RwLock::new(BTreeMap::new());

fn matches_pattern(pattern: &'static str, text: &str) -> bool {
    let judge = |regex: &Option<Regex>| regex.as_ref().is_some_and(|regex| regex.is_match(text));
    let known = PATTERNS.read().unwrap_or_else(PoisonError::into_inner);
    if let Some(regex) = known.get(pattern) {
        return judge(regex);
    }
    drop(known);
    let mut patterns = PATTERNS.write().unwrap_or_else(PoisonError::into_inner);
    // The derive has compiled it with the same engine.
    judge(
        patterns
            .entry(pattern)
            .or_insert_with(|| Regex::new(pattern).ok()),
    )
}

/// A number compared with a limit; `None` for NaN.
#[allow(clippy::cast_precision_loss)] // Integers are compared with floats only where another program has stored them in a float field.
fn compare(value: RawBsonRef<'_>, limit: Limit) -> Option<Ordering> {
    let whole = match value {
        RawBsonRef::Int32(n) => i64::from(n),
        RawBsonRef::Int64(n) => n,
        RawBsonRef::Double(n) => return n.partial_cmp(&limit.float()),
        RawBsonRef::Decimal128(n) => return Exact::from(n).partial_cmp(&limit.decimal()),
        _ => return None,
    };
    match limit {
        Limit::Int(limit) => Some(whole.cmp(&limit)),
        Limit::Float(limit) => (whole as f64).partial_cmp(&limit),
    }
}
