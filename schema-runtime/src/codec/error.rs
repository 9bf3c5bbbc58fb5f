//! Errors of values that could not be encoded or decoded.

mod inside;

use std::fmt;

use bson::spec::ElementType;
use bson::{RawBsonRef, RawDocument};
use serde_path_to_error::{Path, Segment};

use self::inside::Failing;
pub(in crate::codec) use self::inside::Says;
use crate::bson_util::depth::LEVELS;
use crate::bson_util::path::join;
use crate::bson_util::shorten::shorten;
use crate::codec::outdated::Outdated;

/// The error, and its path as far as serde knows it.
pub(super) type Failed = (Option<Path>, bson::error::Error);

/// The reason why a value could not be encoded or decoded, and its place: `parts.3.name: expected a string, found
/// int32`.
#[derive(Clone)]
#[non_exhaustive]
pub struct CodecError {
    inner: Box<Inner>,
}

#[derive(Clone)]
struct Inner {
    path: String,
    problem: Problem,
    source: bson::error::Error,
}

#[derive(Debug, Clone)]
enum Problem {
    /// A value of another type.
    Type {
        expected: String,
        found: &'static str,
    },
    /// An integer that the field's type does not hold.
    Outside {
        expected: String,
        found: &'static str,
    },
    /// The value is missing.
    Missing,
    /// The document has another version than the program.
    Outdated(Outdated),
    /// In serde's words.
    Other(String),
}

impl CodecError {
    /// The stored, dotted path of the field; empty if the error is about the document as a whole.
    #[must_use]
    pub fn path(&self) -> &str {
        &self.inner.path
    }

    /// The type that the field expects, if the stored value has another type, or is an integer that it does not hold: `a string`.
    #[must_use]
    pub fn expected(&self) -> Option<&str> {
        match &self.inner.problem {
            Problem::Type { expected, .. } | Problem::Outside { expected, .. } => Some(expected),
            _ => None,
        }
    }

    /// The error of `bson` or serde, whose text may repeat the value.
    #[must_use]
    pub fn cause(&self) -> &bson::error::Error {
        &self.inner.source
    }

    /// The BSON type of the stored value, if the [`expected`](Self::expected) one does not hold it, by MongoDB's name:
    /// `int32`.
    #[must_use]
    pub fn found(&self) -> Option<&'static str> {
        match &self.inner.problem {
            Problem::Type { found, .. } | Problem::Outside { found, .. } => Some(found),
            _ => None,
        }
    }

    /// True if the field is missing from the document.
    #[must_use]
    pub fn is_missing(&self) -> bool {
        matches!(self.inner.problem, Problem::Missing)
    }

    /// A document that cannot be brought to the present version of its schema.
    pub(crate) fn outdated(outdated: Outdated) -> Self {
        let source = <bson::error::Error as serde::de::Error>::custom("another schema version");
        let problem = Problem::Outdated(outdated);
        let path = crate::codec::outdated::FIELD.to_owned();
        let inner = Box::new(Inner {
            path,
            problem,
            source,
        });
        CodecError { inner }
    }

    /// A document of another variant than the one that was requested.
    #[doc(hidden)]
    #[must_use]
    pub fn variant(expected: &'static str) -> Self {
        let text = format!("the document is no `{expected}`");
        <bson::error::Error as serde::de::Error>::custom(text).into()
    }

    /// The error of a value that was read by itself, as an error of the field at `path`.
    pub(crate) fn in_field(mut self, path: &str) -> Self {
        self.inner.path = join(path, &self.inner.path);
        self
    }

    /// The version mismatch, if the document's version is the error.
    pub(crate) fn as_outdated(&self) -> Option<&Outdated> {
        match &self.inner.problem {
            Problem::Outdated(outdated) => Some(outdated),
            _ => None,
        }
    }

    /// A value of another type than that of the field at `path`.
    pub(crate) fn other_type(path: String, expected: &str, found: &'static str) -> Self {
        let source = <bson::error::Error as serde::de::Error>::custom("another type");
        let mut error = CodecError::at(vec![path], source);
        error.inner.problem = Problem::Type {
            expected: expected.to_owned(),
            found,
        };
        error
    }

    /// A document that may not have a field of this name.
    pub(crate) fn name(field: &str, why: &str) -> Self {
        let source = <bson::error::Error as serde::de::Error>::custom(why);
        CodecError::at(vec![field.to_owned()], source)
    }

    /// A document that is nested deeper than a stored document may be.
    pub(super) fn too_deep(field: &str) -> Self {
        CodecError::name(field, &format!("nested deeper than {LEVELS} levels"))
    }

    pub(super) fn at(mut steps: Vec<String>, mut source: bson::error::Error) -> Self {
        let text = text(&source);
        // The causes of an error are printed as well.
        if let Some(message) = &mut source.message {
            *message = shorten(message);
        }
        let problem = match inside::missing(&text) {
            Some(field) => {
                steps.push(field.to_owned());
                Problem::Missing
            }
            None => Problem::Other(shorten(&without_value(text))),
        };
        // A map's keys are data, too.
        let steps: Vec<String> = steps.iter().map(|step| shorten(step)).collect();
        CodecError {
            inner: Box::new(Inner {
                path: steps.join("."),
                problem,
                source,
            }),
        }
    }

    /// Puts the type of the stored value beside what serde expected.
    fn found_to_be(mut self, found: Option<&'static str>) -> Self {
        let (Problem::Other(text), Some(found)) = (&self.inner.problem, found) else {
            return self;
        };
        if let Some(expected) = text.strip_prefix("invalid value: integer, expected ")
            && found.starts_with("int")
        {
            let expected = expected.to_owned();
            self.inner.problem = Problem::Outside { expected, found };
            return self;
        }
        let expected = text
            .strip_prefix("invalid type: ")
            .and_then(|rest| rest.rsplit_once(", expected "))
            .map(|(_, expected)| expected)
            .or_else(|| text.strip_prefix("expecting "))
            .or_else(|| text.strip_prefix("expected "))
            .map(|expected| {
                // `bson` names its types with the verb that serde puts before them as well.
                let expected = expected.strip_prefix("expecting ").unwrap_or(expected);
                let end = [" but got", ", got", ", instead"];
                let end = end.iter().filter_map(|end| expected.find(end)).min();
                in_words(&expected[..end.unwrap_or(expected.len())])
            });
        if let Some(expected) = expected {
            self.inner.problem = Problem::Type {
                expected: expected.to_owned(),
                found,
            };
        }
        self
    }
}

impl fmt::Display for CodecError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.inner.path.is_empty() {
            write!(f, "{}: ", self.inner.path)?;
        }
        match &self.inner.problem {
            Problem::Type { expected, found } => write!(f, "expected {expected}, found {found}"),
            Problem::Outside { expected, found } => {
                write!(
                    f,
                    "expected {expected}, found an {found} that it does not hold"
                )
            }
            Problem::Missing => f.write_str("missing"),
            Problem::Outdated(outdated) => outdated.fmt(f),
            Problem::Other(text) => f.write_str(text),
        }
    }
}

impl fmt::Debug for CodecError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CodecError")
            .field("path", &self.inner.path)
            .field("problem", &self.inner.problem)
            .finish_non_exhaustive()
    }
}

// The error of `bson` is no `source`: its text repeats the value.
impl std::error::Error for CodecError {}

impl From<bson::error::Error> for CodecError {
    fn from(source: bson::error::Error) -> Self {
        CodecError::at(Vec::new(), source)
    }
}

/// The turn of the element of this name when serde reads the document: the group that it is in; a tag comes first in its group.
pub(crate) type Rank = Box<dyn Fn(&str) -> (usize, bool)>;

/// The order in which serde reads documents of a model.
pub(crate) trait ReadOrder {
    /// The turn of each element of the document at `path`; `None` where serde reads the elements as they stand.
    fn ranks_at(&'static self, path: &[String]) -> Option<Rank>;
}

/// The error for a document that serde cannot read, with the path of the culprit. `says` returns the error text for other
/// documents of the model that is read in this order.
#[cold]
pub(super) fn located(
    document: &RawDocument,
    (path, source): Failed,
    says: Option<(Says<'_>, Option<&'static dyn ReadOrder>)>,
) -> CodecError {
    let Some(path) = path else {
        return source.into();
    };
    // Without a tag, a variant is the name of an element.
    let named = |path: &[String], variant: &str| match value_at(document, path) {
        Some(RawBsonRef::Document(document)) => matches!(document.get(variant), Ok(Some(_))),
        _ => false,
    };
    let path = steps(&path, named);
    let path = match says.and_then(|(says, order)| Failing::new(document, says, order)) {
        Some(failing) => match inside::missing(&text(&source)) {
            Some(field) => failing.lacking(field, path),
            None if inside::of_a_value(&text(&source)) => failing.below(path),
            None => path,
        },
        None => path,
    };
    let found = value_at(document, &path).map(|value| type_name(value.element_type()));
    CodecError::at(path, source).found_to_be(found)
}

/// Serde's words without the value: `invalid value: string, expected an address`.
fn without_value(text: String) -> String {
    let is_about_value = ["invalid value: ", "invalid type: "]
        .iter()
        .any(|start| text.starts_with(start));
    let Some((found, expected)) = text.rsplit_once(", expected ").filter(|_| is_about_value) else {
        return text;
    };
    let value = found.find(['"', '`']).unwrap_or(found.len());
    format!("{}, expected {expected}", found[..value].trim_end())
}

/// The error's own message, without the prefix that names the kind of error.
pub(super) fn text(source: &bson::error::Error) -> String {
    source.message.clone().unwrap_or_else(|| source.to_string())
}

/// The stored names on the way; `named` returns true if a variant is one of them.
pub(super) fn steps(path: &Path, named: impl Fn(&[String], &str) -> bool) -> Vec<String> {
    let mut steps = Vec::new();
    for step in path {
        match step {
            Segment::Seq { index } => steps.push(index.to_string()),
            Segment::Map { key } => {
                // The inside of a date or of an id, as serde sees it.
                if key.starts_with('$') {
                    break;
                }
                // The frame of a value that is no document has no name.
                if !key.is_empty() {
                    steps.push(key.clone());
                }
            }
            Segment::Enum { variant } if named(&steps, variant) => steps.push(variant.clone()),
            Segment::Enum { .. } | Segment::Unknown => {}
        }
    }
    steps
}

/// The value at a path.
fn value_at<'a>(document: &'a RawDocument, path: &[String]) -> Option<RawBsonRef<'a>> {
    let mut value = RawBsonRef::Document(document);
    for step in path {
        value = match value {
            RawBsonRef::Document(document) => document.get(step).ok()??,
            RawBsonRef::Array(array) => array.get(step.parse().ok()?).ok()??,
            _ => return None,
        };
    }
    Some(value)
}

/// BSON's own types as BSON's deserializers call them, in words.
fn in_words(expected: &str) -> &str {
    match expected {
        "an ObjectId" | "map containing extended-JSON formatted ObjectId" => "an ObjectId",
        "DateTime" => "a date",
        "Decimal128" => "a decimal",
        "Binary" => "binary",
        "Timestamp" => "a timestamp",
        other => other,
    }
}

/// A type by the name that `$type` knows it by; integers by their width.
pub(crate) fn type_name(kind: ElementType) -> &'static str {
    match kind {
        ElementType::Double => "double",
        ElementType::String => "string",
        ElementType::EmbeddedDocument => "document",
        ElementType::Array => "array",
        ElementType::Binary => "binary",
        ElementType::Undefined => "undefined",
        ElementType::ObjectId => "objectId",
        ElementType::Boolean => "bool",
        ElementType::DateTime => "date",
        ElementType::Null => "null",
        ElementType::RegularExpression => "regex",
        ElementType::DbPointer => "dbPointer",
        ElementType::JavaScriptCode | ElementType::JavaScriptCodeWithScope => "javascript",
        ElementType::Symbol => "symbol",
        ElementType::Int32 => "int32",
        ElementType::Timestamp => "timestamp",
        ElementType::Int64 => "int64",
        ElementType::Decimal128 => "decimal",
        ElementType::MinKey => "minKey",
        ElementType::MaxKey => "maxKey",
    }
}
