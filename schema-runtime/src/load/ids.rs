//! Where the ids of a reference are in what is stored.

use bson::{Bson, RawBsonRef, RawDocument};
use serde::Serialize;

use crate::codec;
use crate::error::{Error, Result};
use crate::model::{FieldRow, Holds, RelationRow};

/// Which field a load is about: for messages, and for how the ids lie in it.
#[derive(Debug, Clone)]
pub(crate) struct Place {
    /// The model that refers.
    pub(crate) model: &'static str,
    /// The stored path of the reference.
    pub(crate) field: String,
    /// The stored name of the target's field that the ids are values of.
    pub(crate) key: &'static str,
}

impl Place {
    pub(super) fn new(model: &'static str, field: String, relation: Option<&RelationRow>) -> Self {
        let key = relation.and_then(|relation| {
            let field = relation.key?;
            let rows = (relation.target)().shape.fields;
            rows.iter()
                .find(|row| row.rust == field)
                .map(|row| row.name)
        });
        Place {
            model,
            field,
            key: key.unwrap_or("_id"),
        }
    }

    pub(super) fn encode_error(&self, source: codec::CodecError) -> Error {
        Error::Encode {
            model: self.model,
            field: self.field.clone(),
            source: Box::new(source),
        }
    }
}

/// The ids in one field, in stored order.
pub(super) fn of_field<T: Serialize>(
    place: &Place,
    row: &FieldRow,
    field: &T,
) -> Result<Vec<Bson>> {
    let value = codec::encode_value(field).map_err(|source| place.encode_error(source))?;
    let mut ids = Vec::new();
    if let Some(relation) = row.relation {
        in_value(value, relation.entry, relation.holds, &mut ids);
    }
    Ok(ids)
}

/// Of an array each element, of an entry its `id`, of a map its keys or values, of null none.
fn in_value(value: Bson, entry: bool, holds: Holds, out: &mut Vec<Bson>) {
    match (value, holds) {
        (Bson::Null, _) => {}
        (Bson::Array(elements), _) => {
            for element in elements {
                in_value(element, entry, holds, out);
            }
        }
        (Bson::Document(mut document), _) if entry => {
            out.extend(document.remove("id").filter(|id| *id != Bson::Null));
        }
        (Bson::Document(map), Holds::MapKeys) => {
            out.extend(map.into_iter().map(|(key, _)| Bson::String(key)));
        }
        (Bson::Document(map), Holds::MapValues) => {
            for (_, value) in map {
                in_value(value, false, Holds::Ids, out);
            }
        }
        (id, _) => out.push(id),
    }
}

/// The ids at a dotted path of an encoded document, through the arrays on the way.
pub(super) fn at_path(document: &RawDocument, path: &[&str], holds: Holds, out: &mut Vec<Bson>) {
    let Some((step, rest)) = path.split_first() else {
        return;
    };
    // A document that its own encoder wrote is well formed.
    if let Some(value) = document.get(*step).ok().flatten() {
        below(value, rest, holds, out);
    }
}

fn below(value: RawBsonRef<'_>, rest: &[&str], holds: Holds, out: &mut Vec<Bson>) {
    match value {
        RawBsonRef::Array(elements) => elements
            .into_iter()
            .flatten()
            .for_each(|element| below(element, rest, holds, out)),
        RawBsonRef::Document(inner) if !rest.is_empty() => at_path(inner, rest, holds, out),
        RawBsonRef::Null => {}
        RawBsonRef::Document(map) if holds == Holds::MapKeys => {
            let keys = map.into_iter().flatten();
            out.extend(keys.map(|(key, _)| Bson::String(key.as_str().to_owned())));
        }
        RawBsonRef::Document(map) if holds == Holds::MapValues => {
            let values = map.into_iter().flatten().map(|(_, value)| value);
            values.for_each(|value| below(value, &[], Holds::Ids, out));
        }
        id if rest.is_empty() => out.extend(Bson::try_from(id)),
        _ => {}
    }
}
