//! Reads the fields of a request.

use std::fmt;
use std::marker::PhantomData;

use bson::oid::ObjectId;
use bson::{Binary, Bson, DateTime, Decimal128, Document, Uuid};
use serde::de::{Deserialize, DeserializeOwned, Deserializer, Error, MapAccess, Visitor};

use crate::codec::{CodecError, Decode, decode_value};
use crate::json::Text;
use crate::schema::rows::{FieldRow, Kind, Shape};
use crate::schema::value::row_unknown;

/// The fields that a request gives, by their names in JSON.
#[derive(Debug)]
pub struct Given {
    fields: Document,
    shape: &'static Shape,
}

impl Given {
    /// Reads the fields with these names.
    ///
    /// # Errors
    /// The deserializer's, and those for a field that has another name or is given twice.
    pub fn read<'de, D: Deserializer<'de>>(
        deserializer: D,
        struct_name: &'static str,
        names: &'static [&'static str],
        shape: &'static Shape,
    ) -> Result<Self, D::Error> {
        let fields = deserializer.deserialize_map(Fields { struct_name, names })?;
        Ok(Given { fields, shape })
    }

    /// The row of the field with this stored name.
    #[must_use]
    pub fn row(&self, stored: &'static str) -> FieldRow {
        let mut rows = self.shape.fields.iter();
        let row = rows.find(|row| row.name == stored).copied();
        row.unwrap_or(row_unknown(stored, stored, Kind::Any))
    }

    /// The value of a field, if the request gives it.
    ///
    /// # Errors
    /// The field does not hold the value.
    pub fn take<C: Decode<T>, T, E: Error>(
        &mut self,
        name: &str,
        row: FieldRow,
    ) -> Result<Option<T>, E> {
        let Some(value) = self.fields.remove(name) else {
            return Ok(None);
        };
        let value = decode::<C, T>(value, &row);
        value
            .map(Some)
            .map_err(|reason| E::custom(format_args!("`{name}`: {reason}")))
    }

    /// The patch of an embedded document, if the request gives it.
    ///
    /// # Errors
    /// The patch does not have these fields.
    pub fn part<T: DeserializeOwned, E: Error>(&mut self, name: &str) -> Result<Option<T>, E> {
        let Some(value) = self.fields.remove(name) else {
            return Ok(None);
        };
        let patch = decode_value(&value);
        patch
            .map(Some)
            .map_err(|reason| E::custom(format_args!("`{name}`: {reason}")))
    }

    /// The value of a field that the request has to give, unless it is optional.
    ///
    /// # Errors
    /// As [`take`](Self::take), and one for a missing field.
    pub fn need<C: Decode<T>, T, E: Error>(
        &mut self,
        name: &'static str,
        row: FieldRow,
    ) -> Result<T, E> {
        if let Some(value) = self.take::<C, T, E>(name, row)? {
            return Ok(value);
        }
        // Serde gives no value to an absent field with functions of its own either.
        let none = (row.nullable && !row.with).then(|| read::<C, T>(Bson::Null).ok());
        none.flatten().ok_or_else(|| E::missing_field(name))
    }
}

/// Reads the fields of a JSON object.
struct Fields {
    struct_name: &'static str,
    names: &'static [&'static str],
}

impl<'de> Visitor<'de> for Fields {
    type Value = Document;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the fields of a `{}`", self.struct_name)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Document, A::Error> {
        let mut fields = Document::new();
        while let Some(name) = map.next_key::<String>()? {
            if !self.names.contains(&name.as_str()) {
                return Err(A::Error::unknown_field(&name, self.names));
            }
            if fields.contains_key(&name) {
                return Err(A::Error::custom(format_args!("duplicate field `{name}`")));
            }
            fields.insert(name, map.next_value::<Bson>()?);
        }
        Ok(fields)
    }
}

/// The value of a field with this row.
fn decode<C: Decode<T>, T>(value: Bson, row: &FieldRow) -> Result<T, String> {
    let says = |error: CodecError| error.to_string();
    if !row.with {
        return read::<C, T>(stored(value, row, row.kind)?).map_err(says);
    }
    // Functions of its own determine its form: it is text, or what text can stand for.
    let Bson::String(text) = &value else {
        return read::<C, T>(value).map_err(says);
    };
    let forms = [Kind::Date, Kind::ObjectId, Kind::Decimal, Kind::Binary];
    let mut forms = forms.iter().filter_map(|kind| parse(text, *kind)?.ok());
    let form = forms.find_map(|form| read::<C, T>(form).ok());
    form.map_or_else(|| read::<C, T>(value).map_err(says), Ok)
}

/// The stored form of a value of this kind, of which JSON has the text.
fn stored(value: Bson, row: &FieldRow, kind: Kind) -> Result<Bson, String> {
    let each = |value| stored(value, row, row.facts.elem_kind);
    match (value, kind) {
        (Bson::String(text), kind) => match parse(&text, kind) {
            Some(value) => value,
            None => Ok(Bson::String(text)),
        },
        (Bson::Array(all), Kind::Array) => {
            let all: Result<Vec<_>, _> = all.into_iter().map(each).collect();
            Ok(Bson::Array(all?))
        }
        (Bson::Document(map), Kind::Map) => {
            let entries = map.into_iter().map(|(key, value)| Ok((key, each(value)?)));
            Ok(Bson::Document(entries.collect::<Result<_, String>>()?))
        }
        (Bson::Document(fields), Kind::Document) => {
            let fields = fields.into_iter().map(|(name, value)| {
                let row = row.shape.and_then(|shape| inner_row(shape, &name));
                let value = match row {
                    Some(row) => stored(value, row, row.kind)
                        .map_err(|reason| format!("{name}: {reason}"))?,
                    None => value,
                };
                Ok((name, value))
            });
            Ok(Bson::Document(fields.collect::<Result<_, String>>()?))
        }
        (value, _) => Ok(value),
    }
}

/// The row of the field with this name, which may be flattened.
fn inner_row(shape: &'static Shape, name: &str) -> Option<&'static FieldRow> {
    let mut rows = shape.fields.iter();
    rows.find_map(|row| match row.shape {
        Some(inner) if row.name.is_empty() => inner_row(inner, name),
        _ => (row.name == name).then_some(row),
    })
}

/// The value that this text stands for where values of this kind are stored; `None` where text is stored itself.
fn parse(text: &str, kind: Kind) -> Option<Result<Bson, String>> {
    Some(match kind {
        Kind::Date => DateTime::from_text(text).map(Bson::DateTime),
        Kind::ObjectId => ObjectId::from_text(text).map(Bson::ObjectId),
        Kind::Decimal => Decimal128::from_text(text).map(Bson::Decimal128),
        Kind::Binary => match Uuid::parse_str(text) {
            Ok(uuid) => Ok(Bson::Binary(Binary::from_uuid(uuid))),
            Err(_) => Err("expected a UUID".to_owned()),
        },
        _ => return None,
    })
}

/// A value in its stored form, read by the functions of its field.
fn read<C: Decode<T>, T>(value: Bson) -> Result<T, CodecError> {
    struct By<C, T>(T, PhantomData<C>);
    impl<'de, C: Decode<T>, T> Deserialize<'de> for By<C, T> {
        fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
            C::read(deserializer).map(|value| By(value, PhantomData))
        }
    }
    Ok(decode_value::<By<C, T>>(&value)?.0)
}
