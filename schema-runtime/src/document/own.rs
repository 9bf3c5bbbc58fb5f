//! Fields of the library's own. A map that is `#[serde(flatten)]`ed takes every field that the struct does not name; it neither
//! shows nor stores those in which the library keeps the state of copies: `_dn` in a model's document, `_r` and `_r_<name>`
//! beside a reference; and, of a model that has one, the version of its schema.

use std::collections::HashSet;

use bson::RawDocument;
use bson::raw::{RawArrayBuf, RawBson, RawBsonRef, RawDocumentBuf};

use crate::codec::CodecError;
use crate::schema::rows::{FieldRow, Kind, Shape};
use crate::schema::stored;

/// True if a document of this shape has a flattened map, at any depth.
pub(crate) const fn in_maps(shape: Option<&'static Shape>) -> bool {
    let Some(shape) = shape else {
        return false;
    };
    let mut n = 0;
    while n < shape.fields.len() {
        let row = &shape.fields[n];
        if is_map(row) || in_maps(row.shape) {
            return true;
        }
        n += 1;
    }
    false
}

/// True if the row is a flattened field that takes any key.
const fn is_map(row: &FieldRow) -> bool {
    row.name.is_empty() && (row.shape.is_none() || !matches!(row.kind, Kind::Document))
}

/// Refuses a document that a program fills from outside and that names a field of the library's own, or one field twice: of two,
/// the reader decides which one counts.
pub(crate) fn check_names(
    raw: &RawDocument,
    shape: Option<&'static Shape>,
    versioned: bool,
) -> Result<(), CodecError> {
    let mut level = Level::default();
    if let Some(shape) = shape {
        level.add(shape);
    }
    let mut names = HashSet::new();
    for element in raw.iter_elements() {
        let name = element?.key().as_str();
        if name == stored::OWN || name == stored::PARTS || level.owns(name, Some(versioned)) {
            return Err(CodecError::name(name, "a name that the library reserves"));
        }
        if !names.insert(name) {
            return Err(CodecError::name(name, "stored twice in one document"));
        }
    }
    Ok(())
}

/// A model's document without the library's fields; `None` if it has none that a map would take. `versioned` says whether one of
/// them is the version of the schema.
pub(crate) fn without(
    raw: &RawDocument,
    shape: &'static Shape,
    versioned: bool,
) -> Option<RawDocumentBuf> {
    document(raw, shape, Some(versioned))
}

/// The fields at one level of a document, flattened fields included.
#[derive(Default)]
struct Level {
    map: bool,
    /// Stored names of references.
    references: Vec<&'static str>,
    /// Stored names of the fields that have maps somewhere inside, and what they hold.
    inside: Vec<(&'static str, &'static Shape)>,
}

impl Level {
    fn add(&mut self, shape: &'static Shape) {
        for row in shape.fields {
            match row.shape {
                _ if is_map(row) => self.map = true,
                Some(inner) if row.name.is_empty() => self.add(inner),
                // No copies are under a map's keys.
                Some(inner) if row.kind != Kind::Map && in_maps(Some(inner)) => {
                    self.inside.push((row.name, inner));
                }
                _ => {}
            }
            // The reference of an entry is inside the entry.
            if row.relation.is_some_and(|relation| !relation.entry) {
                self.references.push(row.name);
            }
        }
    }

    fn owns(&self, key: &str, root: Option<bool>) -> bool {
        if !self.map {
            return false;
        }
        match key {
            stored::OWN | stored::PARTS => root.is_some(),
            crate::codec::outdated::FIELD => root == Some(true),
            stored::COPY_REVISION => !self.references.is_empty(),
            _ => key
                .strip_prefix(stored::COPY_REVISION_PREFIX)
                .is_some_and(|name| self.references.contains(&name)),
        }
    }
}

/// Removes the library's fields. `root` is true if the document itself has a version; `None` for a document inside it.
fn document(
    raw: &RawDocument,
    shape: &'static Shape,
    root: Option<bool>,
) -> Option<RawDocumentBuf> {
    let mut level = Level::default();
    level.add(shape);
    let mut out = RawDocumentBuf::new();
    let mut changed = false;
    for element in raw {
        // Leave malformed elements to the reader, which refuses them.
        let (key, value) = element.ok()?;
        if level.owns(key.as_str(), root) {
            changed = true;
            continue;
        }
        let inside = level
            .inside
            .iter()
            .find(|(name, _)| *name == key.as_str())
            .and_then(|(_, shape)| self::value(value, shape));
        match inside {
            Some(value) => {
                changed = true;
                out.append(key, value);
            }
            None => out.append(key, value),
        }
    }
    changed.then_some(out)
}

/// Removes the library's fields from the value of a field. `None` if there are none.
fn value(value: RawBsonRef<'_>, shape: &'static Shape) -> Option<RawBson> {
    match value {
        RawBsonRef::Document(raw) => document(raw, shape, None).map(RawBson::Document),
        RawBsonRef::Array(raw) => {
            let mut out = RawArrayBuf::new();
            let mut changed = false;
            for element in raw {
                let element = element.ok()?;
                match self::value(element, shape) {
                    Some(element) => {
                        changed = true;
                        out.push(element);
                    }
                    None => out.push(element),
                }
            }
            changed.then_some(RawBson::Array(out))
        }
        _ => None,
    }
}
