//! `schema`: what other programs see of the documents, as JSON Schema.

use bson::{Bson, Document};
use mongo_model::validator::json_schema;
use serde_json::{Map, Value, json};

use super::Verdict;
use crate::cli::{self, Dialect};
use crate::failure::Result;
use crate::models::Models;
use crate::output::write_out;

/// Runs the command. Its output is JSON with and without `--json`.
pub(crate) fn run(models: &Models, args: &cli::Schema) -> Result<Verdict> {
    let mut out = Map::new();
    for model in models.selected() {
        let schema = json_schema(model);
        let schema = match args.dialect {
            Dialect::Mongodb => serde_json::to_value(Bson::Document(schema)).unwrap_or_default(),
            Dialect::Json => standard(&schema, true),
        };
        out.insert(model.name.to_owned(), schema);
    }
    write_out(&format!("{:#}\n", Value::Object(out)));
    Ok(Verdict::Fine)
}

/// The schema in JSON Schema 2020-12, of documents in relaxed extended JSON.
fn standard(schema: &Document, top: bool) -> Value {
    let mut out = Map::new();
    if top {
        out.insert(
            "$schema".to_owned(),
            json!("https://json-schema.org/draft/2020-12/schema"),
        );
    }
    let types: Vec<&str> = match schema.get("bsonType") {
        Some(Bson::String(name)) => vec![name],
        Some(Bson::Array(names)) => names.iter().filter_map(Bson::as_str).collect(),
        _ => Vec::new(),
    };
    let mut forms: Vec<Value> = types.iter().map(|name| form(name)).collect();
    forms.dedup();
    match forms.len() {
        0 => {}
        1 => out.extend(forms.remove(0).as_object().cloned().unwrap_or_default()),
        _ => {
            out.insert("anyOf".to_owned(), forms.into());
        }
    }
    // The server has a flag beside `maximum`, the newer dialect a number of its own.
    let exclusive = schema.get_bool("exclusiveMaximum").unwrap_or(false);
    for (keyword, value) in schema {
        let keyword = match keyword.as_str() {
            "bsonType" | "exclusiveMaximum" => continue,
            "maximum" if exclusive => "exclusiveMaximum",
            keyword => keyword,
        };
        let value = match (keyword, value) {
            ("allOf", Bson::Array(all)) => {
                let all = all.iter().filter_map(Bson::as_document);
                all.map(|inner| standard(inner, false)).collect()
            }
            ("properties", Bson::Document(properties)) => {
                let each = properties.iter().filter_map(|(name, one)| {
                    Some((name.clone(), standard(one.as_document()?, false)))
                });
                Value::Object(each.collect())
            }
            ("items" | "additionalProperties", Bson::Document(inner)) => standard(inner, false),
            (_, Bson::Int64(n)) => json!(n),
            (_, value) => serde_json::to_value(value).unwrap_or_default(),
        };
        out.insert(keyword.to_owned(), value);
    }
    Value::Object(out)
}

/// The form of a BSON type's values in relaxed extended JSON.
fn form(name: &str) -> Value {
    let wrapped = |key: &str, inner: Value| json!({ "type": "object", "required": [key], "properties": { key: inner } });
    match name {
        "string" => json!({ "type": "string" }),
        "int" | "long" => json!({ "type": "integer" }),
        "double" => json!({ "type": "number" }),
        "bool" => json!({ "type": "boolean" }),
        "null" => json!({ "type": "null" }),
        "object" => json!({ "type": "object" }),
        "array" => json!({ "type": "array" }),
        "objectId" => wrapped(
            "$oid",
            json!({ "type": "string", "pattern": "^[0-9a-f]{24}$" }),
        ),
        "date" => wrapped("$date", json!({})),
        "decimal" => wrapped("$numberDecimal", json!({ "type": "string" })),
        "binData" => wrapped("$binary", json!({ "type": "object" })),
        "timestamp" => wrapped("$timestamp", json!({ "type": "object" })),
        _ => json!({}),
    }
}

#[cfg(test)]
mod tests {
    use bson::doc;
    use serde_json::json;

    use super::standard;

    #[test]
    fn an_exclusive_end_is_a_number_of_its_own() {
        let schema = doc! {
            "bsonType": "double", "minimum": 0.5, "maximum": 1.5, "exclusiveMaximum": true,
            "allOf": [{ "pattern": "a" }], "enum": [1_i64, 2_i64],
        };
        let expected = json!({
            "type": "number", "minimum": 0.5, "exclusiveMaximum": 1.5, "allOf": [{ "pattern": "a" }], "enum": [1, 2],
        });
        assert_eq!(standard(&schema, false), expected);
    }
}
