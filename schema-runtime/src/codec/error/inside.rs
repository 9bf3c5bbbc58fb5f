//! Finds the element that serde fails on where serde's error has no path: serde buffers some values to look for a tag, and reads
//! the buffer without a path.
//!
//! Serde reads a document's elements in order, so the culprit is the last element of the shortest prefix of the document that
//! fails in the same way.

use bson::raw::{CString, RawArrayBuf, RawBson, RawDocumentBuf};
use bson::{RawBsonRef, RawDocument};

use super::ReadOrder;

/// Reads a document and returns the error text; `None` if it can be read.
pub(in crate::codec) type Says<'a> = &'a dyn Fn(&RawDocument) -> Option<String>;

/// The number of documents that are searched for a missing field.
const TRIES: usize = 64;

type Elements = Vec<(String, RawBson)>;

/// A document whose reading fails.
pub(super) struct Failing<'a> {
    document: &'a RawDocument,
    /// Returns the error text for a document that cannot be read.
    says: Says<'a>,
    /// The error text for this document.
    text: String,
    /// The order in which serde reads the model's fields.
    order: Option<&'static dyn ReadOrder>,
}

impl<'a> Failing<'a> {
    pub(super) fn new(
        document: &'a RawDocument,
        says: Says<'a>,
        order: Option<&'static dyn ReadOrder>,
    ) -> Option<Self> {
        let text = says(document)?;
        Some(Failing {
            document,
            says,
            text,
            order,
        })
    }

    /// The path of the culprit, which is at `path` or inside of it.
    pub(super) fn below(&self, mut path: Vec<String>) -> Vec<String> {
        while let Some(step) = self.step(&path) {
            path.push(step);
        }
        path
    }

    /// The path of the document without this field, which is at `path` or inside of it.
    pub(super) fn lacking(&self, field: &str, path: Vec<String>) -> Vec<String> {
        let mut all = vec![path.clone()];
        let mut next = 0;
        while let Some(at) = all.get(next).cloned() {
            next += 1;
            let Some(mut elements) = self.elements(&at) else {
                continue;
            };
            let room = TRIES - all.len().min(TRIES);
            let inner = elements
                .iter()
                .filter(|(_, value)| matches!(value, RawBson::Document(_) | RawBson::Array(_)));
            all.extend(
                inner
                    .take(room)
                    .map(|(key, _)| [&at[..], std::slice::from_ref(key)].concat()),
            );
            let has = elements.iter().any(|(key, _)| key == field);
            elements.push((field.to_owned(), RawBson::Null));
            if !has && !self.in_array(&at) && !self.fails_the_same(&at, &elements) {
                return at;
            }
        }
        path
    }

    /// The next step of the path, if the culprit is further inside.
    fn step(&self, path: &[String]) -> Option<String> {
        let mut elements = self.elements(path)?;
        let none = self.said(path, &[]);
        if none.as_ref() == Some(&self.text) || !self.fails_the_same(path, &elements) {
            return None;
        }
        // A tag is read before all the others, wherever it stands.
        let tag = none.as_deref().and_then(missing);
        if let Some(at) = elements.iter().position(|(key, _)| Some(&**key) == tag) {
            elements[..=at].rotate_right(1);
        }
        self.sort_as_read(path, &mut elements);
        let (mut fine, mut fails) = (0, elements.len());
        while fine + 1 < fails {
            let middle = fine + (fails - fine) / 2;
            if self.fails_the_same(path, &elements[..middle]) {
                fails = middle;
            } else {
                fine = middle;
            }
        }
        (fails > 0).then(|| elements.swap_remove(fails - 1).0)
    }

    /// Puts flattened fields behind all others, as serde reads them. Fields that are not in the order may be read in another order: then
    /// the elements stay as they are.
    fn sort_as_read(&self, path: &[String], elements: &mut Elements) {
        let Some(rank) = self.order.and_then(|order| order.ranks_at(path)) else {
            return;
        };
        let mut sorted = elements.clone();
        sorted.sort_by_key(|(key, _)| rank(key));
        if self.fails_the_same(path, &sorted) {
            *elements = sorted;
        }
    }

    fn fails_the_same(&self, path: &[String], elements: &[(String, RawBson)]) -> bool {
        self.said(path, elements).as_ref() == Some(&self.text)
    }

    /// The error text for the document with these elements at the path.
    fn said(&self, path: &[String], elements: &[(String, RawBson)]) -> Option<String> {
        let instead = joined(self.in_array(path), elements)?;
        match replaced(RawBsonRef::Document(self.document), path, instead)? {
            RawBson::Document(whole) => (self.says)(&whole),
            _ => None,
        }
    }

    fn in_array(&self, path: &[String]) -> bool {
        matches!(
            super::value_at(self.document, path),
            Some(RawBsonRef::Array(_))
        )
    }

    fn elements(&self, path: &[String]) -> Option<Elements> {
        elements(super::value_at(self.document, path)?)
    }
}

/// True if serde wrote this text, which is then about one value. A type's own `Deserialize` may complain about several.
pub(super) fn of_a_value(text: &str) -> bool {
    const SERDE: [&str; 6] = [
        "invalid ",
        "unknown ",
        "duplicate ",
        "expected ",
        "expecting ",
        "missing ",
    ];
    SERDE.iter().any(|start| text.starts_with(start))
}

/// The missing field that the error text names.
pub(super) fn missing(text: &str) -> Option<&str> {
    text.strip_prefix("missing field `")?.strip_suffix('`')
}

/// The elements of a document or of an array.
fn elements(value: RawBsonRef<'_>) -> Option<Elements> {
    let mut out = Vec::new();
    match value {
        RawBsonRef::Document(document) => {
            for element in document {
                let (key, value) = element.ok()?;
                out.push((key.as_str().to_owned(), value.into()));
            }
        }
        RawBsonRef::Array(array) => {
            for (n, value) in array.into_iter().enumerate() {
                out.push((n.to_string(), value.ok()?.into()));
            }
        }
        _ => return None,
    }
    Some(out)
}

fn joined(array: bool, elements: &[(String, RawBson)]) -> Option<RawBson> {
    if array {
        let mut out = RawArrayBuf::new();
        for (_, value) in elements {
            out.push(value.clone());
        }
        return Some(RawBson::Array(out));
    }
    let mut out = RawDocumentBuf::new();
    for (key, value) in elements {
        out.append(CString::try_from(key.clone()).ok()?, value.clone());
    }
    Some(RawBson::Document(out))
}

/// `outer` with another value at the path.
fn replaced(outer: RawBsonRef<'_>, path: &[String], instead: RawBson) -> Option<RawBson> {
    let Some((step, rest)) = path.split_first() else {
        return Some(instead);
    };
    let array = matches!(outer, RawBsonRef::Array(_));
    let mut elements = elements(outer)?;
    let (_, place) = elements.iter_mut().find(|(key, _)| key == step)?;
    *place = replaced(place.as_raw_bson_ref(), rest, instead)?;
    joined(array, &elements)
}
