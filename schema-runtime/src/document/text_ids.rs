//! Text in fields of ObjectIds. Serde reads 24 hexadecimal digits as an ObjectId, but no filter, index or reference finds them: so a
//! document that holds them is refused, like any value of another type.

use bson::RawDocument;
use bson::raw::RawBsonRef;

use crate::bson_util::path::join;
use crate::codec::CodecError;
use crate::schema::rows::{FieldRow, Kind, Shape};

/// Refuses a document that holds text where its model has an ObjectId.
pub(crate) fn check(raw: &RawDocument, shape: &'static Shape) -> Result<(), CodecError> {
    match in_document(raw, shape) {
        Some(path) => Err(CodecError::other_type(path, "an ObjectId", "string")),
        None => Ok(()),
    }
}

/// The path of the first text that stands for an ObjectId.
fn in_document(raw: &RawDocument, shape: &'static Shape) -> Option<String> {
    let mut elements = raw.iter().map_while(Result::ok);
    elements.find_map(|(key, value)| {
        let mut rows = Vec::new();
        add_rows(shape, key.as_str(), &mut rows);
        // Variants of an enum may store values of different types under one name.
        let [row] = rows[..] else {
            return None;
        };
        in_value(value, row).map(|below| join(key.as_str(), &below))
    })
}

/// The rows of the fields that are stored under this name.
pub(super) fn add_rows(shape: &'static Shape, name: &str, rows: &mut Vec<&'static FieldRow>) {
    for row in shape.fields {
        match row.shape {
            Some(inner) if row.name.is_empty() => add_rows(inner, name, rows),
            _ if row.name == name => rows.push(row),
            _ => {}
        }
    }
}

/// The path inside the value of a field; empty for the value itself.
fn in_value(value: RawBsonRef<'_>, row: &'static FieldRow) -> Option<String> {
    let below = |key: &str, value| in_value(value, row).map(|path| join(key, &path));
    match (value, row.shape) {
        (RawBsonRef::String(_), None) if row.facts.elem_kind == Kind::ObjectId => {
            Some(String::new())
        }
        (RawBsonRef::Array(array), _) => {
            let elements = array.into_iter().map_while(Result::ok).enumerate();
            let mut elements = elements.map(|(n, value)| (n.to_string(), value));
            elements.find_map(|(key, value)| below(&key, value))
        }
        (RawBsonRef::Document(map), None) if row.kind == Kind::Map => {
            let mut entries = map.iter().map_while(Result::ok);
            entries.find_map(|(key, value)| below(key.as_str(), value))
        }
        (RawBsonRef::Document(document), Some(shape)) if row.kind != Kind::Map => {
            in_document(document, shape)
        }
        (RawBsonRef::Document(map), Some(shape)) => {
            let mut entries = map.iter().map_while(Result::ok);
            entries.find_map(|(key, value)| {
                let path = in_document(value.as_document()?, shape)?;
                Some(join(key.as_str(), &path))
            })
        }
        _ => None,
    }
}
