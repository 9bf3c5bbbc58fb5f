//! Violations of rules about values: the content of [`Error::Invalid`](super::Error::Invalid).

use std::borrow::Cow;
use std::fmt;

use serde::ser::SerializeStruct;

use super::Error;
use crate::schema::checks::{CheckRule, DocumentJudge, Judge, Refusal};
use crate::schema::comparison::Comparison;
use crate::schema::rows::FieldRow;

/// A value that breaks a rule of its field. It does not hold the value.
///
/// Serialised, for the form of a web page, it is `{"path": "name", "rule": "len", "message": "must have a length of 3 to 80"}`.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Violation {
    /// The stored path, with the places in arrays: `addresses.2.city`. Of an element to be pushed, the path of the array; of a
    /// comparison of fields, its first field; empty where a function has judged the whole document. A name that
    /// `#[garde(rename = ..)]` gives a field stays.
    pub path: String,
    /// The rule that it breaks. Its text says what the value has to be.
    pub rule: CheckRule,
    /// The words of the function of `with = ..`, or of the crate of `check(garde)`, in place of the rule's text.
    pub reason: Option<Cow<'static, str>>,
}

impl Violation {
    pub(crate) fn new(path: String, rule: CheckRule) -> Self {
        let reason = None;
        Violation { path, rule, reason }
    }

    /// An array, a map, a string or binary is over its bound.
    pub(crate) fn too_long(path: String, max: u64) -> Self {
        Violation::new(path, CheckRule::Len { min: 0, max })
    }

    /// A comparison that is not met stands at its first field.
    pub(crate) fn of_comparison(comparison: &'static Comparison) -> Self {
        let first = comparison.fields().next().unwrap_or_default();
        Violation::new(first.to_owned(), CheckRule::Compare(comparison))
    }

    /// A judge has refused the whole document, whose fields are these.
    pub(crate) fn of_document(judge: DocumentJudge, fields: &[FieldRow], refusal: Refusal) -> Self {
        let rule = CheckRule::With(Judge {
            name: judge.name,
            refusal: |_| None,
        });
        Violation {
            reason: Some(refusal.reason),
            ..Violation::new(stored_path(fields, &refusal.path), rule)
        }
    }

    /// The text that says what the value has to be.
    fn message(&self) -> String {
        let reason = self.reason.as_deref();
        reason.map_or_else(|| self.rule.to_string(), str::to_owned)
    }
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.path.as_str() {
            "" => f.write_str(&self.message()),
            path => write!(f, "{path} {}", self.message()),
        }
    }
}

impl serde::Serialize for Violation {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut fields = serializer.serialize_struct("Violation", 3)?;
        fields.serialize_field("path", &self.path)?;
        fields.serialize_field("rule", self.rule.name())?;
        fields.serialize_field("message", &self.message())?;
        fields.end()
    }
}

/// The stored path that these Rust names lead to. A name that no field has, as the place in an array, stays.
fn stored_path(fields: &[FieldRow], rust: &[String]) -> String {
    let mut fields = Some(fields);
    let names = rust.iter().filter_map(|name| {
        let row = fields?.iter().find(|row| row.rust == name);
        if let Some(row) = row {
            fields = row.shape.map(|shape| shape.fields);
        }
        // A flattened field has no name of its own.
        let name = row.map_or(name.as_str(), |row| row.name);
        (!name.is_empty()).then_some(name)
    });
    names.collect::<Vec<_>>().join(".")
}

impl Error {
    pub(crate) fn invalid(model: &'static str, violations: Vec<Violation>) -> Self {
        Error::Invalid {
            model,
            position: None,
            violations,
        }
    }

    /// The error of the document at this position among many.
    #[cfg(feature = "driver")]
    pub(crate) fn with_position(mut self, n: usize) -> Self {
        if let Error::Invalid { position, .. } = &mut self {
            *position = Some(n);
        }
        self
    }
}

/// Notes a mistake of a call. Of all, the first is reported, and of values that break a rule every one.
#[cfg(feature = "driver")]
pub(crate) fn note(first: &mut Option<Error>, error: Error) {
    match (first, error) {
        (
            Some(Error::Invalid { violations, .. }),
            Error::Invalid {
                violations: more, ..
            },
        ) => {
            violations.extend(more);
        }
        (Some(_), _) => {}
        (none, error) => *none = Some(error),
    }
}
