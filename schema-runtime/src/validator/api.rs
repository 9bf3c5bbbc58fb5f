//! The JSON Schema of the structs that `new`, `view` and `patch` generate: what the validator says of a field, in the types of their JSON.

use std::fmt;
use std::marker::PhantomData;

use bson::{Bson, Document, doc};

use super::schema::{CHARACTERS, END, field, holds_decimals};
use crate::schema::checks::Rules;
use crate::schema::model::ModelMeta;
use crate::schema::rows::{FieldRow, Kind};
use crate::schema::value::{Value, row, row_unknown};

/// A struct of a web API: `new(.., deserialize)`, `view` and `patch` generate such ones.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no struct of a web API",
    label = "no `view`, `patch` or `new(.., deserialize)` generates it"
)]
pub trait ApiStruct {
    /// The name of the struct: `NewIssue`.
    const NAME: &'static str;

    /// The fields of the struct.
    #[doc(hidden)]
    fn describe() -> ApiFields;
}

/// The JSON Schema (2020-12, as OpenAPI 3.1 takes it) of a struct of a web API: the types of its JSON, the fields that a request needs, and
/// the rules about values that `#[check(..)]` and the bounds declare. Rules of functions (`with = ..`) are in no schema.
///
/// ```
/// use mongo_model::{Id, MongoModel, validator};
/// use serde::{Deserialize, Serialize};
///
/// #[derive(Debug, Serialize, Deserialize, MongoModel)]
/// #[model(collection = "rooms", new(NewRoom, deserialize))]
/// pub struct Room {
///     #[serde(rename = "_id")]
///     pub id: Id<Room>,
///     #[check(range = 1..=40)]
///     pub seats: i64,
/// }
///
/// let schema = validator::api_schema::<NewRoom>();
/// let expected = r#"{"title":"NewRoom","type":"object","required":["seats"],"properties":{"seats":{"type":"integer","minimum":1,"maximum":40}},"additionalProperties":false}"#;
/// assert_eq!(serde_json::to_string(&schema).unwrap(), expected);
/// ```
#[must_use]
pub fn api_schema<T: ApiStruct>() -> Document {
    let fields = T::describe();
    let mut schema = doc! { "title": T::NAME, "type": "object" };
    // An empty list says nothing.
    if !fields.required.is_empty() {
        schema.insert("required", fields.required);
    }
    schema.insert("properties", fields.properties);
    if fields.is_request {
        schema.insert("additionalProperties", false);
    }
    schema
}

/// The fields of a struct of a web API.
#[doc(hidden)]
#[derive(Debug)]
pub struct ApiFields {
    rows: &'static [FieldRow],
    rules: Rules,
    is_request: bool,
    required: Vec<&'static str>,
    properties: Document,
}

impl ApiFields {
    /// A request or an answer about documents of a model.
    #[must_use]
    pub fn of_model(meta: &'static ModelMeta, is_request: bool) -> Self {
        ApiFields {
            rows: meta.shape.fields,
            rules: meta.rules(is_request),
            is_request,
            required: Vec::new(),
            properties: Document::new(),
        }
    }

    /// A request about embedded documents with these fields.
    #[must_use]
    pub fn of_embedded(rows: &'static [FieldRow]) -> Self {
        let (strict, write) = (false, true);
        ApiFields {
            rows,
            rules: Rules { strict, write },
            is_request: true,
            required: Vec::new(),
            properties: Document::new(),
        }
    }

    /// The row of the field with this stored name.
    #[must_use]
    pub fn row(&self, stored: &'static str) -> FieldRow {
        let row = self.rows.iter().find(|row| row.name == stored);
        row.copied()
            .unwrap_or(row_unknown(stored, stored, Kind::Any))
    }

    /// Adds a field that may be absent.
    pub fn take(&mut self, name: &'static str, row: FieldRow) {
        self.properties
            .insert(name, as_json(&field(&row, self.rules)));
    }

    /// Adds a field that is there unless it is optional.
    pub fn need(&mut self, name: &'static str, row: FieldRow) {
        if !row.nullable || row.with {
            self.required.push(name);
        }
        self.take(name, row);
    }

    /// Adds a field that is always there.
    pub fn put(&mut self, name: &'static str, row: FieldRow) {
        self.required.push(name);
        self.take(name, row);
    }

    /// Adds the quotient of an average, which is always there.
    pub fn put_average(&mut self, name: &'static str, row: FieldRow) {
        let sum = row.shape.and_then(|shape| shape.fields.first());
        let is_decimal = sum.is_some_and(|sum| sum.kind == Kind::Decimal);
        let number = if is_decimal { "decimal" } else { "double" };
        self.value(name, as_json(&doc! { "bsonType": [number, "null"] }));
    }

    /// Adds an embedded document that is changed by its fields.
    pub fn part<T: ApiStruct>(&mut self, name: &'static str, is_optional: bool) {
        let mut schema = api_schema::<T>();
        if is_optional {
            schema.insert("type", ["object", "null"].map(Bson::from).to_vec());
        }
        self.properties.insert(name, schema);
    }

    /// Adds a value beside the fields.
    pub fn value(&mut self, name: &'static str, schema: Document) {
        self.required.push(name);
        self.properties.insert(name, schema);
    }
}

/// A type of a value beside the fields of a model, whose schema is known if it is a struct of a web API or can be stored.
#[doc(hidden)]
pub struct ApiValue<T>(PhantomData<fn() -> T>);

impl<T> fmt::Debug for ApiValue<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ApiValue")
    }
}

impl<T> ApiValue<T> {
    /// The type.
    pub const NEW: ApiValue<T> = ApiValue(PhantomData);
}

impl<T: ApiStruct> ApiValue<T> {
    /// The schema of a struct of a web API.
    #[must_use]
    pub fn schema(&self) -> Document {
        api_schema::<T>()
    }
}

/// The schema of a type that can be stored.
#[doc(hidden)]
pub trait ApiByValue {
    /// The schema.
    fn schema(&self) -> Document;
}

impl<T: Value> ApiByValue for ApiValue<T> {
    fn schema(&self) -> Document {
        let (strict, write) = (false, false);
        as_json(&field(&row::<T>("", ""), Rules { strict, write }))
    }
}

/// The schema of any other type.
#[doc(hidden)]
pub trait ApiOpaque {
    /// The schema, which says nothing.
    fn schema(&self) -> Document;
}

impl<T> ApiOpaque for &ApiValue<T> {
    fn schema(&self) -> Document {
        Document::new()
    }
}

/// The schema of a stored value, in the words and the types of JSON.
fn as_json(stored: &Document) -> Document {
    let mut schema = Document::new();
    for (key, value) in stored {
        match (key.as_str(), value) {
            ("bsonType", Bson::String(name)) => add_types(&mut schema, &[name.as_str()]),
            ("bsonType", Bson::Array(names)) => {
                let names: Vec<&str> = names.iter().filter_map(Bson::as_str).collect();
                add_types(&mut schema, &names);
            }
            ("properties" | "patternProperties", Bson::Document(all)) => {
                let all = all.iter().map(|(name, inner)| {
                    let name = name.strip_prefix(CHARACTERS).unwrap_or(name);
                    (name.replace(END, "$"), inner_as_json(inner))
                });
                schema.insert(key, all.collect::<Document>());
            }
            ("items" | "additionalProperties", inner) => {
                schema.insert(key, inner_as_json(inner));
            }
            ("allOf", Bson::Array(all)) => {
                let all: Vec<Bson> = all.iter().map(inner_as_json).collect();
                schema.insert(key, all);
            }
            ("pattern", Bson::String(pattern)) => {
                schema.insert(key, pattern.replace(END, "$"));
            }
            // A decimal is text, and text has no order of numbers.
            ("minimum" | "maximum" | "exclusiveMaximum", _) if holds_decimals(stored) => {}
            // A number, where older schemas have a flag beside `maximum`.
            ("exclusiveMaximum", _) => {}
            ("maximum", limit) if stored.contains_key("exclusiveMaximum") => {
                schema.insert("exclusiveMaximum", limit);
            }
            // Every number of JSON is finite.
            ("minimum" | "maximum", Bson::Double(end)) if end.abs() == f64::MAX => {}
            (key, value) => {
                schema.insert(key, value);
            }
        }
    }
    schema
}

fn inner_as_json(inner: &Bson) -> Bson {
    match inner {
        Bson::Document(inner) => as_json(inner).into(),
        inner => inner.clone(),
    }
}

/// The types of JSON for these of BSON.
fn add_types(schema: &mut Document, names: &[&str]) {
    let mut types: Vec<&str> = Vec::new();
    for name in names {
        let name = match *name {
            "double" => "number",
            "int" | "long" if names.contains(&"double") => continue,
            "int" | "long" => "integer",
            "bool" => "boolean",
            "string" | "decimal" | "date" | "objectId" => "string",
            "array" | "object" | "null" => name,
            // The JSON of such a value has several forms.
            _ => return,
        };
        if !types.contains(&name) {
            types.push(name);
        }
    }
    match types.as_slice() {
        [one] => schema.insert("type", *one),
        many => schema.insert("type", many.to_vec()),
    };
    if names.contains(&"date") {
        schema.insert("format", "date-time");
    }
    if names.contains(&"objectId") {
        schema.insert("pattern", "^[0-9a-f]{24}$");
    }
}
