//! Rules about values: those of the collection's validator are attributes, and those that the data suggests are proposed beside the field.

use bson::{Bson, Document};

use super::{Builder, Place, attribute};
use crate::output::count;
use crate::pull::model::{Field, Ty};
use crate::pull::profile::{Values, confidence};

/// Fewer values suggest no rule.
const ENOUGH: u64 = 30;
/// Ends of scales: stars, marks, per cent.
const ENDS: [f64; 4] = [5.0, 6.0, 10.0, 100.0];
/// The attributes of fields whose values are of other documents.
const DERIVED: [&str; 8] = [
    "parent", "refs", "denorm", "count", "sum", "min", "max", "recent",
];

impl Builder<'_> {
    /// Adds the rules about the values of a field, and proposes others.
    pub(super) fn check(&mut self, here: &Place, values: &Values, field: &mut Field) {
        let is_derived = |text: &str| {
            DERIVED
                .iter()
                .any(|name| text.starts_with(&format!("#[{name}(")))
        };
        if field.attributes.iter().any(|own| is_derived(&own.text)) {
            return;
        }
        let schema = self.data.sources[here.source].schema_at(&here.path);
        let declared = schema.map_or_else(Vec::new, |schema| declared(schema, field.ty.required()));
        let (kept, broken): (Vec<_>, Vec<_>) =
            declared.into_iter().partition(|rule| rule.is_met(values));
        for rule in broken {
            let message = format!(
                "the validator wants `{}`, and stored values break that: correct them, then declare it with `#[check(..)]`",
                rule.text()
            );
            self.review(here, "broken_validator", message);
        }
        if !kept.is_empty() {
            let rules: Vec<String> = kept.iter().map(Rule::text).collect();
            let text = format!("#[check({})]", rules.join(", "));
            let evidence = "the collection's validator says so".to_owned();
            field.attributes.push(attribute(text, Some(evidence)));
            return;
        }
        let Some(rule) = proposed(values, field.ty.required()) else {
            return;
        };
        let all = values.present();
        let message = format!(
            "all {} meet `#[check({})]`: declare it if it is a rule",
            count(all, "value"),
            rule.text()
        );
        field.comments.push(message.clone());
        self.found(here, "check", message, confidence(all, all));
    }
}

/// A rule that the macro knows.
#[derive(Debug, Clone, PartialEq)]
enum Rule {
    /// An integer, with the ends that it has.
    Integers(Option<i64>, Option<i64>),
    /// A float, with the ends that it has; true if the last one is outside.
    Floats(Option<f64>, Option<f64>, bool),
    /// Characters.
    Length(Option<i64>, Option<i64>),
    OneOf(Vec<String>),
    Email,
    Url,
}

impl Rule {
    /// The rule in an attribute.
    fn text(&self) -> String {
        let end = |end: Option<i64>| end.map_or_else(String::new, |end| end.to_string());
        match self {
            Rule::Integers(least, None) => format!("range = {}..", end(*least)),
            Rule::Integers(least, most) => format!("range = {}..={}", end(*least), end(*most)),
            Rule::Floats(least, most, is_open) => {
                let text =
                    |end: &Option<f64>| end.map_or_else(String::new, |end| format!("{end:?}"));
                let equal = if most.is_some() && !is_open { "=" } else { "" };
                format!("range = {}..{equal}{}", text(least), text(most))
            }
            Rule::Length(least, most) if least == most => format!("len = {}", end(*least)),
            Rule::Length(least, None) => format!("len = {}..", end(*least)),
            Rule::Length(least, most) => format!("len = {}..={}", end(*least), end(*most)),
            Rule::OneOf(values) => {
                let values: Vec<String> = values.iter().map(|value| format!("{value:?}")).collect();
                format!("one_of({})", values.join(", "))
            }
            Rule::Email => "email".to_owned(),
            Rule::Url => "url".to_owned(),
        }
    }

    /// True if the values that were read meet it.
    fn is_met(&self, values: &Values) -> bool {
        let (numbers, text) = (&values.numbers, &values.text);
        #[expect(clippy::cast_precision_loss, reason = "a bound of a rule")]
        let within = |least: Option<i64>, most: Option<i64>, (low, high): (f64, f64)| {
            least.is_none_or(|least| least as f64 <= low)
                && most.is_none_or(|most| high <= most as f64)
        };
        #[expect(clippy::cast_precision_loss, reason = "a length")]
        let lengths = (text.shortest as f64, text.longest as f64);
        match self {
            Rule::Integers(least, most) => {
                numbers.ends.is_none_or(|ends| within(*least, *most, ends))
            }
            Rule::Floats(least, most, is_open) => numbers.ends.is_none_or(|(low, high)| {
                let is_below = |most: f64| if *is_open { high < most } else { high <= most };
                least.is_none_or(|least| least <= low) && most.is_none_or(is_below)
            }),
            Rule::Length(least, most) => text.count == 0 || within(*least, *most, lengths),
            Rule::OneOf(all) => {
                text.others == 0
                    && text
                        .distinct
                        .keys()
                        .all(|value| all.iter().any(|one| **one == **value))
            }
            Rule::Email => text.emails == text.count,
            Rule::Url => text.urls == text.count,
        }
    }
}

/// The rules of a `$jsonSchema` about values of a type.
fn declared(schema: &Document, ty: &Ty) -> Vec<Rule> {
    let mut rules = Vec::new();
    match ty {
        Ty::I32 | Ty::I64 => {
            let least = end(schema, "minimum", "exclusiveMinimum", 1.0);
            let most = end(schema, "maximum", "exclusiveMaximum", -1.0);
            let (least, most) = (least.map(f64::ceil), most.map(f64::floor));
            #[expect(
                clippy::cast_possible_truncation,
                reason = "a whole number that an i64 holds, else its nearest"
            )]
            let whole = |end: Option<f64>| end.map(|end| end as i64);
            rules.push(Rule::Integers(whole(least), whole(most)));
        }
        Ty::F64 if !is_exclusive(schema, "exclusiveMinimum") => {
            let (least, most) = (float(schema, "minimum"), float(schema, "maximum"));
            rules.push(Rule::Floats(
                least,
                most,
                is_exclusive(schema, "exclusiveMaximum"),
            ));
        }
        Ty::String => {
            rules.push(Rule::Length(
                integer(schema, "minLength"),
                integer(schema, "maxLength"),
            ));
            let all = schema.get_array("enum").into_iter().flatten();
            // Null is the absence of a value.
            let all = all
                .filter(|value| **value != Bson::Null)
                .map(|value| value.as_str().map(str::to_owned));
            let all: Option<Vec<String>> = all.collect();
            rules.extend(all.filter(|all| !all.is_empty()).map(Rule::OneOf));
        }
        _ => {}
    }
    let is_empty = |rule: &Rule| {
        matches!(
            rule,
            Rule::Integers(None, None) | Rule::Floats(None, None, _) | Rule::Length(None, None)
        )
    };
    rules.retain(|rule| !is_empty(rule));
    rules
}

/// An end of a range of integers, moved by one where it is outside.
fn end(schema: &Document, name: &str, exclusive: &str, step: f64) -> Option<f64> {
    let end = float(schema, name)?;
    let is_outside = is_exclusive(schema, exclusive) && end.fract() == 0.0;
    Some(if is_outside { end + step } else { end })
}

/// True if the end of a range is outside: draft 4, which the server reads, has a flag for that.
fn is_exclusive(schema: &Document, name: &str) -> bool {
    schema.get_bool(name).unwrap_or(false)
}

fn float(schema: &Document, name: &str) -> Option<f64> {
    match schema.get(name)? {
        Bson::Int32(end) => Some(f64::from(*end)),
        #[expect(clippy::cast_precision_loss, reason = "a bound of a rule")]
        Bson::Int64(end) => Some(*end as f64),
        Bson::Double(end) if end.is_finite() => Some(*end),
        _ => None,
    }
}

fn integer(schema: &Document, name: &str) -> Option<i64> {
    #[expect(clippy::cast_possible_truncation, reason = "the length of a string")]
    float(schema, name).map(|end| end as i64)
}

/// The rule that all values suggest.
fn proposed(values: &Values, ty: &Ty) -> Option<Rule> {
    let (numbers, text) = (&values.numbers, &values.text);
    if values.present() < ENOUGH {
        return None;
    }
    // Few different strings are names of states.
    let is_varied = text.distinct.len() as u64 + text.others >= ENOUGH;
    match ty {
        Ty::String if text.emails == text.count => Some(Rule::Email),
        Ty::String if text.urls == text.count => Some(Rule::Url),
        Ty::String if text.shortest == text.longest && text.longest > 1 && is_varied => {
            let length = i64::try_from(text.longest).ok();
            Some(Rule::Length(length, length))
        }
        Ty::I32 | Ty::I64 => {
            let (low, high) = numbers.ends?;
            let is_scale = ENDS.contains(&high);
            #[expect(
                clippy::cast_possible_truncation,
                reason = "0 or 1, and the end of a scale"
            )]
            let ends = (low as i64, high as i64);
            match low {
                // Nothing but a rule ends at a round number on both sides.
                0.0 | 1.0 if is_scale => Some(Rule::Integers(Some(ends.0), Some(ends.1))),
                0.0 if high > 1.0 => Some(Rule::Integers(Some(ends.0), None)),
                _ => None,
            }
        }
        Ty::F64 => match numbers.ends? {
            (0.0, 1.0) => Some(Rule::Floats(Some(0.0), Some(1.0), false)),
            (0.0, high) if high > 1.0 => Some(Rule::Floats(Some(0.0), None, false)),
            _ => None,
        },
        _ => None,
    }
}
