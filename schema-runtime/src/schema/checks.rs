//! Rules about the values of fields: `#[check(..)]`.

use std::borrow::Cow;
use std::fmt;

use bson::{RawBsonRef, RawDocument};

use crate::bson_util::exact::Exact;
use crate::schema::comparison::Comparison;

/// A rule about a field.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct Check {
    /// The rule.
    pub rule: CheckRule,
    /// The part of the value that has to meet the rule.
    pub part: Part,
    /// The writes and documents in which the rule holds.
    pub scope: Scope,
}

/// The part of a field's value that a rule is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// The value itself.
    Whole,
    /// `each(..)`, `values(..)`: each element of an array, each value of a map.
    Each,
    /// `keys(..)`: each key of a map.
    Keys,
}

/// The writes and documents in which a rule holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    /// In every write, on the server and in stored documents.
    Always,
    /// `on = write`: in writes of this library. Stored documents may break it.
    Write,
    /// In documents of `strict` models.
    Strict,
}

impl Check {
    /// A rule about the value itself.
    #[must_use]
    pub const fn new(rule: CheckRule) -> Self {
        let (part, scope) = (Part::Whole, Scope::Always);
        Check { rule, part, scope }
    }

    /// The rule about a part of the value.
    #[must_use]
    pub const fn of(mut self, part: Part) -> Self {
        self.part = part;
        self
    }

    /// The rule in writes alone.
    #[must_use]
    pub const fn on_write(mut self) -> Self {
        self.scope = Scope::Write;
        self
    }

    /// The rule in documents of strict models alone.
    #[must_use]
    pub const fn in_strict(mut self) -> Self {
        self.scope = Scope::Strict;
        self
    }

    /// True if the rule is about each element of an array or map.
    pub(crate) const fn is_of_each(&self) -> bool {
        matches!(self.part, Part::Each)
    }
}

/// The rules that are applied: `strict` adds those of strict models, `write` those of writes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Rules {
    pub(crate) strict: bool,
    pub(crate) write: bool,
}

impl Rules {
    pub(crate) const fn include(self, check: &Check) -> bool {
        match check.scope {
            Scope::Always => true,
            Scope::Write => self.write,
            Scope::Strict => self.strict,
        }
    }
}

/// A function of the program that judges a value: `with = names::is_free`.
#[derive(Clone, Copy)]
pub struct Judge {
    /// The function, as it is written.
    pub name: &'static str,
    /// The reason why the function refuses the stored value; `None` if it accepts it, or if the value cannot be read.
    pub refusal: fn(RawBsonRef<'_>) -> Option<&'static str>,
}

/// The judge of a whole document: a function of the program, `#[model(check(with = is_open))]`, or the rules of a crate,
/// `check(garde)`.
#[derive(Debug, Clone, Copy)]
pub struct DocumentJudge {
    /// The function or the crate, as it is written.
    pub name: &'static str,
    /// The reasons why the judge refuses a stored document; none if it accepts it, or if the document cannot be read.
    pub refusals: fn(&RawDocument) -> Vec<Refusal>,
    /// `on = write`: stored documents are not judged.
    pub on_write: bool,
}

/// The reason why a whole document is refused.
#[derive(Debug)]
pub struct Refusal {
    /// The Rust names of the fields and the places in arrays that lead to the value; empty for the document itself.
    pub path: Vec<String>,
    /// The text of the reason.
    pub reason: Cow<'static, str>,
}

impl fmt::Debug for Judge {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

/// Two functions with the same name are equal.
impl PartialEq for Judge {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

/// A rule about a value. A null and an absent value meet every rule.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum CheckRule {
    /// `len = 3..=80`: the characters of a string, the elements of an array. So are the bounds `max` of an array or map, and `max_len` of a
    /// string or binary, whose length is in bytes.
    Len {
        /// The least length.
        min: u64,
        /// The greatest length; `u64::MAX` where there is none.
        max: u64,
    },
    /// `range = 0..=100`: a number. NaN is in no range.
    Range {
        /// The least value.
        min: Option<Limit>,
        /// The greatest value.
        max: Option<Limit>,
        /// True if `max` itself is too large: `0..100`.
        exclusive: bool,
    },
    /// `not_empty`: a string with a character that is no white space, an array with an element.
    NotEmpty,
    /// `finite`: a float or decimal that is neither NaN nor infinite.
    Finite,
    /// `one_of("a", "b")`
    OneOf(&'static [&'static str]),
    /// `one_of(1, 2)`
    OneOfInt(&'static [i64]),
    /// `pattern = "^[a-z]+$"`: a regular expression that a string matches. `$` is its end, also where it ends with a line break.
    Pattern(&'static str),
    /// `email`: a string that HTML's `<input type="email">` takes.
    Email,
    /// `url`: a string that is an address of the web, `http` or `https`, without white space and user.
    Url,
    /// `#[model(check(start < end))]`: a comparison of fields of the model.
    Compare(&'static Comparison),
    /// `with = names::is_free`: a function of the program accepts it. The server does not know the rule.
    With(Judge),
    /// A checked reference to one document of its own collection, which is optional: it does not lead to the document itself. No attribute
    /// names the rule.
    OtherDocument,
}

/// The pattern of the HTML standard for `<input type="email">`.
pub(crate) const EMAIL: &str = r"^[a-zA-Z0-9.!#$%&'*+/=?^_`{|}~-]+@[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?(?:\.[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?)*$";

/// A host, perhaps with a port, and what follows it.
pub(crate) const URL: &str = r"^https?://[^\s/?#@]+(?:[/?#]\S*)?$";

/// An end of a range.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum Limit {
    /// A whole number.
    Int(i64),
    /// A float that is finite.
    Float(f64),
}

impl Limit {
    /// The limit of a float.
    #[must_use]
    #[allow(clippy::cast_precision_loss)] // The derive refuses larger numbers.
    pub(crate) const fn float(self) -> f64 {
        match self {
            Limit::Int(n) => n as f64,
            Limit::Float(n) => n,
        }
    }

    /// The limit of a decimal: the derive has no number of more digits than its float shows.
    pub(crate) fn decimal(self) -> Exact {
        match self {
            Limit::Int(n) => n.into(),
            Limit::Float(n) => Exact::shortest(n),
        }
    }
}

impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Limit::Int(n) => n.fmt(f),
            // The limit of a field of type `f32`, whose number has fewer digits.
            #[allow(clippy::cast_possible_truncation, clippy::float_cmp)]
            Limit::Float(n) if f64::from(*n as f32) == *n => (*n as f32).fmt(f),
            Limit::Float(n) => n.fmt(f),
        }
    }
}

impl CheckRule {
    /// The name of the rule in the attribute: `len`.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        match self {
            CheckRule::Len { .. } => "len",
            CheckRule::Range { .. } => "range",
            CheckRule::NotEmpty => "not_empty",
            CheckRule::Finite => "finite",
            CheckRule::OneOf(_) | CheckRule::OneOfInt(_) => "one_of",
            CheckRule::Pattern(_) => "pattern",
            CheckRule::Email => "email",
            CheckRule::Url => "url",
            CheckRule::Compare(_) => "check",
            CheckRule::With(_) => "with",
            CheckRule::OtherDocument => "other_document",
        }
    }

    /// The regular expression that a string has to match.
    pub(crate) const fn pattern(&self) -> Option<&'static str> {
        match self {
            CheckRule::Pattern(pattern) => Some(pattern),
            CheckRule::Email => Some(EMAIL),
            CheckRule::Url => Some(URL),
            _ => None,
        }
    }

    /// The least number of elements of an array.
    pub(crate) const fn least(&self) -> u64 {
        match self {
            CheckRule::Len { min, .. } => *min,
            CheckRule::NotEmpty => 1,
            _ => 0,
        }
    }

    /// The least and the greatest integer that meet the rule; `None` where it limits none.
    pub(crate) fn integers(&self) -> Option<(Option<i64>, Option<i64>)> {
        let whole = |limit| match limit {
            Limit::Int(n) => Some(n),
            Limit::Float(_) => None,
        };
        match *self {
            CheckRule::Range {
                min,
                max,
                exclusive,
            } => {
                let max = max.and_then(whole);
                let max = max.map(|n| n.saturating_sub(i64::from(exclusive)));
                Some((min.and_then(whole), max))
            }
            _ => None,
        }
    }

    /// The ends of the floats that meet the rule, and true if the last end does not meet it.
    pub(crate) fn floats(&self) -> Option<(f64, f64, bool)> {
        match *self {
            CheckRule::Range {
                min,
                max,
                exclusive,
            } => Some((
                min.map_or(f64::NEG_INFINITY, Limit::float),
                max.map_or(f64::INFINITY, Limit::float),
                exclusive && max.is_some(),
            )),
            CheckRule::Finite => Some((f64::MIN, f64::MAX, false)),
            _ => None,
        }
    }

    /// The ends of the decimals that meet the rule, and true if the last end does not meet it. A result beyond them all is none.
    #[cfg(feature = "driver")]
    pub(crate) fn decimals(&self) -> Option<(Exact, Exact, bool)> {
        let (least, greatest) = (Exact::MAX.negated(), Exact::MAX);
        match *self {
            CheckRule::Range {
                min,
                max,
                exclusive,
            } => Some((
                min.map_or(least, Limit::decimal),
                max.map_or(greatest, Limit::decimal),
                exclusive && max.is_some(),
            )),
            CheckRule::Finite => Some((least, greatest, false)),
            _ => None,
        }
    }
}

/// `3 to 80`, `at least 3`
fn span(min: Option<&dyn fmt::Display>, max: Option<&dyn fmt::Display>) -> String {
    match (min, max) {
        (Some(min), Some(max)) => format!("{min} to {max}"),
        (Some(min), None) => format!("at least {min}"),
        (None, Some(max)) => format!("at most {max}"),
        (None, None) => "any".to_owned(),
    }
}

/// `must be 0 to 100`: the requirement on a value, which messages put behind the name of the field.
impl fmt::Display for CheckRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CheckRule::Len { min, max } if min == max => write!(f, "must have a length of {min}"),
            CheckRule::Len { min, max } => {
                let min = (*min > 0).then_some(min as &dyn fmt::Display);
                let max = (*max < u64::MAX).then_some(max as &dyn fmt::Display);
                write!(f, "must have a length of {}", span(min, max))
            }
            CheckRule::Range {
                min,
                max: Some(max),
                exclusive: true,
            } => match min {
                Some(min) => write!(f, "must be at least {min} and less than {max}"),
                None => write!(f, "must be less than {max}"),
            },
            CheckRule::Range { min, max, .. } => {
                let min = min.as_ref().map(|min| min as &dyn fmt::Display);
                let max = max.as_ref().map(|max| max as &dyn fmt::Display);
                write!(f, "must be {}", span(min, max))
            }
            CheckRule::NotEmpty => f.write_str("must not be empty"),
            CheckRule::Finite => f.write_str("must be a finite number"),
            CheckRule::Pattern(pattern) => write!(f, "must match `{pattern}`"),
            CheckRule::Email => f.write_str("must be an e-mail address"),
            CheckRule::Url => {
                f.write_str("must be an address that begins with http:// or https://")
            }
            CheckRule::Compare(comparison) => write!(f, "must meet `{comparison}`"),
            CheckRule::With(judge) => write!(f, "must be accepted by `{}`", judge.name),
            CheckRule::OtherDocument => f.write_str("must not be the document itself"),
            CheckRule::OneOf(values) => write!(f, "must be one of {}", values.join(", ")),
            CheckRule::OneOfInt(values) => {
                let values: Vec<String> = values.iter().map(ToString::to_string).collect();
                write!(f, "must be one of {}", values.join(", "))
            }
        }
    }
}
