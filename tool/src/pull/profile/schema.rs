//! The `$jsonSchema` that the documents of a profile meet: the server finds those that have something else.

use bson::{Bson, Document, doc};

use super::{Fields, Kind, Values};

/// Strings with at most this many values may be an enum: another value matters.
const FEW: usize = 12;
/// Names that are told apart; documents with more are maps.
const NAMES: usize = 200;

/// The schema of documents with these fields, of these types, and no others.
pub(crate) fn schema_of(fields: &Fields) -> Document {
    let mut schema = doc! { "bsonType": "object" };
    schema.extend(object(fields));
    schema
}

fn object(fields: &Fields) -> Document {
    let usable = |name: &str| !name.is_empty() && !name.contains('.') && !name.starts_with('$');
    // The fields of a map are data, and those without a usable name are kept together.
    let open = fields.rest.is_some()
        || fields.named.len() > NAMES
        || fields.named.keys().any(|name| !usable(name));
    if open {
        return Document::new();
    }
    let (mut properties, mut required) = (Document::new(), Vec::new());
    for (name, (_, values)) in &fields.named {
        properties.insert(&**name, value(values));
        if values.count == fields.documents {
            required.push(name.to_string());
        }
    }
    let mut schema = doc! { "properties": properties, "additionalProperties": false };
    // The server refuses an empty list.
    if !required.is_empty() {
        schema.insert("required", required);
    }
    schema
}

fn value(values: &Values) -> Document {
    let mut schema = Document::new();
    let mut types: Vec<&str> = Vec::new();
    for kind in values.kinds.keys() {
        types.push(match kind {
            // The server names no type of these alone.
            Kind::Other => return schema,
            Kind::Uuid => Kind::Binary.name(),
            kind => kind.name(),
        });
    }
    if values.nulls > 0 {
        types.push("null");
    }
    types.dedup();
    schema.insert("bsonType", types);
    let text = &values.text;
    if values.only_kind() == Some(Kind::String) && text.others == 0 && text.distinct.len() <= FEW {
        let few = text.distinct.keys().map(|text| Bson::from(&**text));
        let null = (values.nulls > 0).then_some(Bson::Null);
        schema.insert("enum", few.chain(null).collect::<Vec<_>>());
    }
    if let Some(fields) = &values.fields {
        schema.extend(object(fields));
    }
    match &values.items {
        Some(items) if items.count > 0 => _ = schema.insert("items", value(items)),
        Some(_) => _ = schema.insert("maxItems", 0),
        None => {}
    }
    schema
}
