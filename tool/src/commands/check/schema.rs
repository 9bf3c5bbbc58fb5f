//! The defects of a document that does not fit the `$jsonSchema` of its model. The server finds such documents.

use std::cmp::Ordering;

use bson::spec::ElementType;
use bson::{Bson, Document};
use mongo_model::validator::compare_numbers;
use regex_lite::Regex;

/// A defect of a document.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Violation {
    /// `type`, `required`, `bound`, `length`, `tag` or `check`.
    pub(crate) kind: &'static str,
    /// The stored path without array indexes: `cart[].qty`.
    pub(crate) path: String,
    /// The rule of the model, the same for all documents: `an array of at most 20`.
    pub(crate) rule: String,
    /// A description of the stored value.
    pub(crate) have: String,
}

/// Everything in `value` that `schema` does not allow. Knows the keywords that mongo-model writes.
pub(crate) fn violations(value: &Bson, schema: &Document) -> Vec<Violation> {
    let mut out = Vec::new();
    judge(value, schema, "", &mut out);
    out
}

fn judge(value: &Bson, schema: &Document, path: &str, out: &mut Vec<Violation>) {
    let mut found = |kind, rule: String, have: String| {
        out.push(Violation {
            kind,
            path: path.to_owned(),
            rule,
            have,
        });
    };
    let types = type_names(schema);
    let fits = types.is_empty() || types.iter().any(|name| is_type(value, name));
    if !fits {
        return found("type", types.join(" or "), type_name(value).to_owned());
    }
    if let Ok(tags) = schema.get_array("enum")
        && !tags.contains(value)
    {
        let tags: Vec<String> = tags.iter().map(ToString::to_string).collect();
        return found(
            "tag",
            format!("one of {}", tags.join(", ")),
            value.to_string(),
        );
    }
    match value {
        Bson::String(text) => {
            let length = text.chars().count() as u64;
            let have = format!("{length} characters");
            if let Some(max) = bound(schema, "maxLength").filter(|max| length > *max) {
                found("length", format!("at most {max} characters"), have.clone());
            } else if let Some(min) = bound(schema, "minLength").filter(|min| length < *min) {
                found("length", format!("at least {min} characters"), have.clone());
            }
            for pattern in patterns(schema) {
                // The end of a text as the library writes it for the server.
                let regex = Regex::new(&pattern.replace(r"(?![\s\S])", r"\z"));
                if regex.is_ok_and(|regex| !regex.is_match(text)) {
                    found("check", format!("matching {pattern}"), have.clone());
                }
            }
        }
        Bson::Array(items) => {
            let length = items.len() as u64;
            if let Some(max) = bound(schema, "maxItems").filter(|max| length > *max) {
                found(
                    "bound",
                    format!("at most {max} elements"),
                    format!("{length} elements"),
                );
            }
            if let Some(min) = bound(schema, "minItems").filter(|min| length < *min) {
                found(
                    "bound",
                    format!("at least {min} elements"),
                    format!("{length} elements"),
                );
            }
            if let Ok(each) = schema.get_document("items") {
                let path = format!("{path}[]");
                items.iter().for_each(|item| judge(item, each, &path, out));
            }
        }
        Bson::Document(document) => object(document, schema, path, out),
        _ => {
            if let Some(rule) = out_of_range(value, schema) {
                found("check", rule, value.to_string());
            }
        }
    }
}

/// The range in which a number is not.
fn out_of_range(value: &Bson, schema: &Document) -> Option<String> {
    let (min, max) = (schema.get("minimum"), schema.get("maximum"));
    let exclusive = schema.get_bool("exclusiveMaximum").unwrap_or(false);
    let is_number = matches!(
        value,
        Bson::Int32(_) | Bson::Int64(_) | Bson::Double(_) | Bson::Decimal128(_)
    );
    let below = min.filter(|min| !compare_numbers(value, min).is_some_and(Ordering::is_ge));
    let above = max.filter(|max| match compare_numbers(value, max) {
        Some(Ordering::Equal) => exclusive,
        order => order != Some(Ordering::Less),
    });
    match (below, above) {
        _ if !is_number => None,
        (None, None) => None,
        (Some(min), _) => Some(format!("at least {min}")),
        (_, Some(max)) if exclusive => Some(format!("less than {max}")),
        (_, Some(max)) => Some(format!("at most {max}")),
    }
}

fn object(document: &Document, schema: &Document, path: &str, out: &mut Vec<Violation>) {
    let at = |name: &str| match path.is_empty() {
        true => name.to_owned(),
        false => format!("{path}.{name}"),
    };
    let length = document.len() as u64;
    if let Some(max) = bound(schema, "maxProperties").filter(|max| length > *max) {
        out.push(Violation {
            kind: "bound",
            path: path.to_owned(),
            rule: format!("at most {max} entries"),
            have: format!("{length} entries"),
        });
    }
    let required = schema.get_array("required").into_iter().flatten();
    for name in required.filter_map(Bson::as_str) {
        if !document.contains_key(name) {
            out.push(Violation {
                kind: "required",
                path: at(name),
                rule: "a value".to_owned(),
                have: "nothing".to_owned(),
            });
        }
    }
    let properties = schema.get_document("properties").ok();
    let others = schema.get_document("additionalProperties").ok();
    for (name, value) in document {
        let declared = properties.and_then(|properties| properties.get_document(name).ok());
        if let Some(schema) = declared {
            judge(value, schema, &at(name), out);
        } else if let Some(each) = others {
            judge(value, each, &at("*"), out);
        }
    }
}

/// The patterns that a string has to match.
fn patterns(schema: &Document) -> impl Iterator<Item = &str> {
    let others = schema.get_array("allOf").into_iter().flatten();
    let others = others.filter_map(Bson::as_document);
    let schemas = std::iter::once(schema).chain(others);
    schemas.filter_map(|schema| schema.get_str("pattern").ok())
}

fn bound(schema: &Document, keyword: &str) -> Option<u64> {
    match schema.get(keyword)? {
        Bson::Int32(max) => u64::try_from(*max).ok(),
        Bson::Int64(max) => u64::try_from(*max).ok(),
        _ => None,
    }
}

fn type_names(schema: &Document) -> Vec<&str> {
    match schema.get("bsonType") {
        Some(Bson::String(name)) => vec![name],
        Some(Bson::Array(names)) => names.iter().filter_map(Bson::as_str).collect(),
        _ => Vec::new(),
    }
}

fn is_type(value: &Bson, name: &str) -> bool {
    type_name(value) == name
}

/// The name of a value's type, as `$type` knows it.
pub(crate) fn type_name(value: &Bson) -> &'static str {
    match value.element_type() {
        ElementType::Double => "double",
        ElementType::String => "string",
        ElementType::EmbeddedDocument => "object",
        ElementType::Array => "array",
        ElementType::Binary => "binData",
        ElementType::Undefined => "undefined",
        ElementType::ObjectId => "objectId",
        ElementType::Boolean => "bool",
        ElementType::DateTime => "date",
        ElementType::Null => "null",
        ElementType::RegularExpression => "regex",
        ElementType::DbPointer => "dbPointer",
        ElementType::JavaScriptCode => "javascript",
        ElementType::Symbol => "symbol",
        ElementType::JavaScriptCodeWithScope => "javascriptWithScope",
        ElementType::Int32 => "int",
        ElementType::Timestamp => "timestamp",
        ElementType::Int64 => "long",
        ElementType::Decimal128 => "decimal",
        ElementType::MinKey => "minKey",
        ElementType::MaxKey => "maxKey",
    }
}

#[cfg(test)]
mod tests {
    use bson::{bson, doc};

    use super::*;

    fn decimal(text: &str) -> bson::Decimal128 {
        text.parse().expect("a decimal")
    }

    #[test]
    fn violations_name_place_and_rule() {
        let schema = doc! {
            "bsonType": "object",
            "required": ["_id", "name"],
            "properties": {
                "kind": { "enum": ["a", "b"] },
                "note": { "bsonType": ["string", "null"], "maxLength": 3_i64 },
                "tags": { "bsonType": "array", "maxItems": 2_i64, "items": { "bsonType": "string" } },
                "code": { "minLength": 2_i64, "pattern": "^[a-z]+(?![\\s\\S])", "allOf": [{ "pattern": "b" }] },
                "n": { "minimum": 1_i64, "maximum": 1.5, "exclusiveMaximum": true },
                "price": { "bsonType": "decimal", "minimum": 0_i64, "maximum": decimal("0.3") },
                "counts": { "bsonType": "object", "additionalProperties": { "bsonType": ["int", "long"] } },
            },
        };
        let right = bson!({ "_id": 1, "name": 2, "kind": "a", "note": null, "code": "ab", "n": 1, "price": decimal("0.30"), "tags": [], "counts": { "x": 1 }, "more": 1 });
        assert_eq!(violations(&right, &schema), []);
        let wrong = bson!({ "_id": 1, "kind": "c", "note": "abcd", "code": "a1", "n": 1.5, "price": decimal("0.3000000000000000000000000000000001"), "tags": ["a", 1, "c"], "counts": { "x": "y" } });
        let found: Vec<String> = violations(&wrong, &schema)
            .into_iter()
            .map(|one| {
                format!(
                    "{} {}: {} is not {}",
                    one.kind, one.path, one.have, one.rule
                )
            })
            .collect();
        assert_eq!(
            found,
            [
                "required name: nothing is not a value",
                "tag kind: \"c\" is not one of \"a\", \"b\"",
                "length note: 4 characters is not at most 3 characters",
                "check code: 2 characters is not matching ^[a-z]+(?![\\s\\S])",
                "check code: 2 characters is not matching b",
                "check n: 1.5 is not less than 1.5",
                "check price: 0.3000000000000000000000000000000001 is not at most 0.3",
                "bound tags: 3 elements is not at most 2 elements",
                "type tags[]: int is not string",
                "type counts.*: string is not int or long",
            ]
        );
    }
}
