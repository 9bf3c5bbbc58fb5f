//! Structs as `_id`s and as references. The server compares documents by their keys and by the order of the keys. So a struct that
//! another program stores in another order is another value: no filter, index or reference of this program finds it, and a save of the
//! document would insert a second one. So it is refused, like any value of another type.

use bson::RawDocument;
use bson::raw::RawBsonRef;

use super::text_ids::add_rows;
use crate::bson_util::path::join;
use crate::codec::CodecError;
use crate::schema::lookup::same;
use crate::schema::rows::{FieldRow, Kind, Shape};

/// True if structs are compared as a whole in documents of this shape: as the field `id`, or as references.
pub(crate) const fn has_compared(shape: Option<&'static Shape>, id: &str) -> bool {
    let Some(shape) = shape else {
        return false;
    };
    let mut n = 0;
    while n < shape.fields.len() {
        let row = &shape.fields[n];
        let is_compared = same(row.name, id) || is_reference(row);
        if (is_compared && row.shape.is_some()) || has_compared(row.shape, id_inside(row)) {
            return true;
        }
        n += 1;
    }
    false
}

/// True if the field itself holds the key by which it refers.
const fn is_reference(row: &FieldRow) -> bool {
    match row.relation {
        Some(relation) => !relation.entry && !relation.members,
        None => false,
    }
}

/// The stored name of what the documents in a field refer by; empty where they are no entries.
const fn id_inside(row: &FieldRow) -> &'static str {
    match row.relation {
        Some(relation) if relation.entry || relation.members => relation.entry_id,
        _ => "",
    }
}

/// Refuses a document that holds a compared struct in another form than the program stores.
pub(crate) fn check(raw: &RawDocument, shape: &'static Shape) -> Result<(), CodecError> {
    let Some((path, shape)) = in_document(raw, shape, "_id") else {
        return Ok(());
    };
    let names: Vec<String> = shape
        .fields
        .iter()
        .map(|row| format!("`{}`", row.name))
        .collect();
    let why = format!(
        "other keys, or another order of them, than `{}` has ({}): for the server it is another value",
        shape.name,
        names.join(", ")
    );
    Err(CodecError::name(&path, &why))
}

/// The path of the first struct in another form, and its shape.
type Differing = Option<(String, &'static Shape)>;

fn in_document(raw: &RawDocument, shape: &'static Shape, id: &str) -> Differing {
    let mut elements = raw.iter().map_while(Result::ok);
    elements.find_map(|(key, value)| {
        let mut rows = Vec::new();
        add_rows(shape, key.as_str(), &mut rows);
        // Variants of an enum may store values of different types under one name.
        let [row] = rows[..] else {
            return None;
        };
        let is_compared = key == id || is_reference(row);
        let (path, shape) = in_value(value, row, is_compared)?;
        Some((join(key.as_str(), &path), shape))
    })
}

fn in_value(value: RawBsonRef<'_>, row: &'static FieldRow, is_compared: bool) -> Differing {
    let shape = row.shape?;
    let inside = |document: &RawDocument| match is_compared {
        true => (!has_form(document, shape)).then(|| (String::new(), shape)),
        false => in_document(document, shape, id_inside(row)),
    };
    let below = |key: &str, found: Differing| found.map(|(path, shape)| (join(key, &path), shape));
    match value {
        RawBsonRef::Array(array) => {
            let elements = array.into_iter().map_while(Result::ok).enumerate();
            let mut elements = elements.map(|(n, value)| (n.to_string(), value));
            elements.find_map(|(n, value)| below(&n, in_value(value, row, is_compared)))
        }
        RawBsonRef::Document(map) if row.kind == Kind::Map => {
            let mut entries = map.iter().map_while(Result::ok);
            entries.find_map(|(key, value)| below(key.as_str(), inside(value.as_document()?)))
        }
        RawBsonRef::Document(document) => inside(document),
        _ => None,
    }
}

/// True if the document has only keys of its struct, in the order of the struct.
fn has_form(document: &RawDocument, shape: &'static Shape) -> bool {
    // A flattened field stores keys that the table does not have.
    if shape.fields.iter().any(|row| row.name.is_empty()) {
        return true;
    }
    let mut rows = shape.fields.iter();
    let mut elements = document.iter().map_while(Result::ok);
    elements.all(|(key, value)| {
        let row = rows.find(|row| row.name == key.as_str());
        row.is_some_and(|row| match (value, row.shape) {
            (RawBsonRef::Document(inner), Some(shape)) if row.kind == Kind::Document => {
                has_form(inner, shape)
            }
            _ => true,
        })
    })
}
