//! The server's duplicate key error (code 11000) as [`Error::Duplicate`], matched to the index that a model declares.

use bson::{Bson, Document, RawDocument};
use mongodb::error::{ErrorKind, WriteFailure};

use super::collect::definitions;
use crate::bson_util::path::at;
use crate::error::{Error, HiddenValue};
use crate::index_spec::definition::Definition;
use crate::schema::model::ModelMeta;
use crate::schema::registry;
use crate::schema::tenant::tenant_field;

/// The server's code of a key that another document has.
const CODE: i32 = 11000;

/// Converts a duplicate key error of a write of `meta` into [`Error::Duplicate`]; returns other errors unchanged. `documents` are the
/// ones that were to be inserted: the driver drops the server's reply to an insert of many, so their values are read from them.
pub(crate) fn typed(meta: &'static ModelMeta, error: Error, documents: &[&RawDocument]) -> Error {
    let driver = match &error {
        Error::Driver(driver) => driver,
        // A copy that was written in the transaction of its source.
        Error::Refused { code, message, .. } if *code == CODE => {
            return Key::read(meta, message, None).into_error(None, None);
        }
        _ => return error,
    };
    let (message, position) = match &*driver.kind {
        ErrorKind::Command(command) if command.code == CODE => (&command.message, None),
        ErrorKind::Write(WriteFailure::WriteError(write)) if write.code == CODE => {
            (&write.message, None)
        }
        ErrorKind::InsertMany(many) => {
            let first = many.write_errors.as_ref().and_then(|all| all.first());
            match first.filter(|first| first.code == CODE) {
                Some(first) => (&first.message, Some(first.index)),
                None => return error,
            }
        }
        _ => return error,
    };
    let reply = driver.server_response().and_then(|reply| {
        let reply = Document::try_from(reply.as_ref()).ok()?;
        let errors = reply.get_array("writeErrors").ok();
        let inner = errors.and_then(|errors| errors.first()?.as_document().cloned());
        Some(inner.unwrap_or(reply))
    });
    let document = match position {
        Some(n) => documents.get(n),
        None => documents.first().filter(|_| documents.len() == 1),
    };
    let document = document.and_then(|raw| Document::try_from(*raw).ok());
    Key::read(meta, message, reply.as_ref()).into_error(document.as_ref(), position)
}

/// A key that another document has.
#[derive(Debug, PartialEq)]
struct Key {
    model: &'static str,
    index: String,
    fields: Vec<String>,
    /// The value of each field, as far as the server's reply contains it.
    values: Option<Document>,
    /// True if the server compares the key by a collation, and reports it in an unreadable form.
    collated: bool,
}

impl Key {
    fn read(meta: &'static ModelMeta, message: &str, reply: Option<&Document>) -> Self {
        let rest = message
            .split_once(" collection: ")
            .map_or("", |(_, rest)| rest);
        // The name of a database contains no dot.
        let rest = rest.split_once('.').map_or("", |(_, rest)| rest);
        let of = |meta: &'static ModelMeta| {
            let rest = rest.strip_prefix(meta.collection)?;
            Some((meta, rest.strip_prefix(" index: ")?))
        };
        let others = || registry::models().into_iter().find_map(of);
        let (meta, rest) = of(meta).or_else(others).unwrap_or((meta, ""));
        let (name, shown) = rest.split_once(" dup key: ").unwrap_or((rest, ""));
        let (name, collated) = match name.split_once(" collation: ") {
            Some((name, _)) => (name, true),
            None => (name, false),
        };
        let document = |key| reply.and_then(|reply| reply.get_document(key).ok());
        let mut fields: Vec<String> = match document("keyPattern") {
            Some(pattern) => pattern.keys().cloned().collect(),
            None => declared(meta, name).unwrap_or_else(|| shown_fields(shown)),
        };
        // The other document is of the same tenant.
        let tenant = tenant_field(meta);
        fields.retain(|field| Some(field.as_str()) != tenant);
        Key {
            model: meta.name,
            index: name.to_owned(),
            fields,
            values: document("keyValue").cloned(),
            collated,
        }
    }

    fn into_error(self, document: Option<&Document>, position: Option<usize>) -> Error {
        let own = |field: &str| document.and_then(|document| at(document, field)).cloned();
        let replied = |field: &str| self.values.as_ref()?.get(field).cloned();
        let value = |field: &String| {
            let value = match self.collated {
                true => own(field).or_else(|| replied(field)),
                false => replied(field).or_else(|| own(field)),
            };
            value.unwrap_or(Bson::Null)
        };
        let value = match &*self.fields {
            [one] => value(one),
            many => {
                let values = many.iter().map(|field| (field.clone(), value(field)));
                Bson::Document(values.collect())
            }
        };
        Error::Duplicate {
            model: self.model,
            index: self.index,
            fields: self.fields,
            value: HiddenValue::new(value),
            position,
        }
    }
}

/// The stored paths of the index with this name.
fn declared(meta: &ModelMeta, name: &str) -> Option<Vec<String>> {
    if name == "_id_" {
        return Some(vec!["_id".to_owned()]);
    }
    let is_named = |one: &Definition| match &one.name {
        Some(own) => own == name,
        None => one.default_name() == name,
    };
    let found = definitions(meta).into_iter().find(is_named)?;
    Some(found.keys.into_iter().map(|(path, _)| path).collect())
}

/// The names in a key as the server's message shows it: `{ email: "a, b: c", at.x: 1 }`. An index may have another name in the database
/// than it is declared with.
fn shown_fields(shown: &str) -> Vec<String> {
    let (mut fields, mut name) = (Vec::new(), String::new());
    let (mut depth, mut quoted, mut escaped, mut is_name) = (0_u32, false, false, false);
    for c in shown.chars() {
        if quoted {
            quoted = c != '"' || escaped;
            escaped = c == '\\' && !escaped;
            continue;
        }
        match c {
            '"' => quoted = true,
            '{' | '[' | '(' => {
                depth += 1;
                is_name = depth == 1;
            }
            '}' | ']' | ')' => depth = depth.saturating_sub(1),
            ',' if depth == 1 => is_name = true,
            ':' if depth == 1 && is_name => {
                fields.push(std::mem::take(&mut name).trim().to_owned());
                is_name = false;
            }
            c if is_name => name.push(c),
            _ => {}
        }
    }
    fields
}

#[cfg(test)]
mod tests {
    use super::shown_fields;

    #[test]
    fn the_fields_of_a_shown_key() {
        assert_eq!(shown_fields(r#"{ email: "a" }"#), ["email"]);
        assert_eq!(
            shown_fields(r#"{ a.b: { c: 1, d: [ 2, 3 ] }, e: "x\", f: \\", g: ObjectId('65') }"#),
            ["a.b", "e", "g"]
        );
        assert!(shown_fields("").is_empty());
    }
}
