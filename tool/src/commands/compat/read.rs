//! A program of a model that is known as data: it reads a document, and saves it.

use bson::{Bson, Document};

use super::fields::Absence;
use super::table::{Field, Form, Holds, Kind, Table};
use crate::commands::check::{SCHEMA_VERSION, type_name};

/// The place of a value that is not read, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Refusal {
    pub(super) path: String,
    pub(super) why: String,
}

/// The document as a `save` stores it; `None` for a variant that the program does not know, and saves no document of.
pub(super) type Read = Result<Option<Document>, Refusal>;

fn refuse<T>(path: &str, why: impl Into<String>) -> Result<T, Refusal> {
    Err(Refusal {
        path: path.to_owned(),
        why: why.into(),
    })
}

/// Reads a document as a program of this model does, and saves it.
pub(super) fn read(table: &Table, document: &Document) -> Read {
    check_version(table, document)?;
    let mut tag = None;
    if let Some((name, all)) = &table.variants {
        let Some(Bson::String(value)) = document.get(name) else {
            return refuse(name, "there is no such tag");
        };
        if !all.contains_key(value) {
            let is_open = table.fields.get(name).is_some_and(|tag| tag.form.others);
            return if is_open {
                Ok(None)
            } else {
                refuse(name, "the variant is not known")
            };
        }
        tag = Some(value.as_str());
    }
    let mut out = read_fields(table, tag, document, "")?;
    if let Some(schema) = table.schema {
        out.insert(SCHEMA_VERSION, schema.version);
    }
    Ok(Some(out))
}

fn check_version(table: &Table, document: &Document) -> Result<(), Refusal> {
    let Some(schema) = table.schema else {
        return Ok(());
    };
    let first = schema.unversioned.or((schema.version == 1).then_some(1));
    let stored = match document.get(SCHEMA_VERSION) {
        Some(stored) => integer(stored),
        None => first.map(i128::from),
    };
    match stored {
        None => refuse(SCHEMA_VERSION, "the document has no version"),
        Some(stored) if stored > schema.version.into() => {
            refuse(SCHEMA_VERSION, "the version is newer")
        }
        Some(stored) if stored < schema.version.into() && !schema.migrates => {
            refuse(SCHEMA_VERSION, "the version is older")
        }
        Some(_) => Ok(()),
    }
}

fn read_fields(
    table: &Table,
    tag: Option<&str>,
    document: &Document,
    above: &str,
) -> Result<Document, Refusal> {
    let mut out = Document::new();
    let mut names = vec![SCHEMA_VERSION];
    for (name, field) in table.fields_of(tag) {
        let path = join(above, name);
        names.push(name);
        names.extend(field.aliases.iter().map(String::as_str));
        match find_value(field, name, document) {
            None if !field.may_be_absent && !table.is_tagged => {
                return refuse(&path, "it is missing");
            }
            None if field.absence == Absence::Null => {
                out.insert(name, Bson::Null);
            }
            None => {}
            Some(value) => {
                out.extend(read_value(field, value, &path)?.map(|value| (name.clone(), value)));
            }
        }
    }
    let rest = table.rest.as_ref().into_iter();
    for form in rest {
        for (name, value) in document.iter() {
            if !names.contains(&name.as_str()) {
                out.insert(name, read_one(form, value, &join(above, name))?);
            }
        }
    }
    Ok(out)
}

/// The value under the field's name or another one that it is read under.
pub(super) fn find_value<'d>(
    field: &Field,
    name: &str,
    document: &'d Document,
) -> Option<&'d Bson> {
    let aliases = field.aliases.iter().map(String::as_str);
    let mut names = aliases.chain([name]);
    names.find_map(|name| document.get(name))
}

/// The value as it is stored again; `None` where it is left out.
fn read_value(field: &Field, value: &Bson, path: &str) -> Result<Option<Bson>, Refusal> {
    let form = &field.form;
    if *value == Bson::Null && form.kind != Kind::Any {
        return match (field.absence, form.holds) {
            (Absence::Null, _) => Ok(Some(Bson::Null)),
            (Absence::LeftOut, _) | (Absence::Default, Holds::Array | Holds::Map) => Ok(None),
            _ => refuse(path, "it is null"),
        };
    }
    match (form.holds, value) {
        (Holds::One, value) => read_one(form, value, path),
        (Holds::Array, Bson::Array(values)) => {
            let values = values.iter().enumerate();
            let read = values.map(|(n, value)| read_one(form, value, &join(path, &n.to_string())));
            read.collect::<Result<_, _>>().map(Bson::Array)
        }
        (Holds::Map, Bson::Document(entries)) => {
            let read = entries
                .iter()
                .map(|(key, value)| Ok((key.clone(), read_one(form, value, &join(path, key))?)));
            read.collect::<Result<_, _>>().map(Bson::Document)
        }
        (_, value) => refuse(path, format!("it is {}", name_of(value))),
    }
    .map(Some)
}

fn read_one(form: &Form, value: &Bson, path: &str) -> Result<Bson, Refusal> {
    if form.null && *value == Bson::Null {
        return Ok(Bson::Null);
    }
    let is_read = match (form.kind, value) {
        (Kind::Any, _) => true,
        (Kind::String, Bson::String(text)) => {
            form.others || form.one_of.is_empty() || form.one_of.contains(text)
        }
        (Kind::Int(least, greatest), value) => {
            integer(value).is_some_and(|number| (least..=greatest).contains(&number))
        }
        (Kind::Document, Bson::Document(document)) => {
            let Some(inner) = &form.inner else {
                return Ok(value.clone());
            };
            return read_fields(inner, None, document, path).map(Bson::Document);
        }
        (Kind::Double, Bson::Double(_) | Bson::Int32(_) | Bson::Int64(_))
        | (Kind::Decimal, Bson::Decimal128(_))
        | (Kind::Bool, Bson::Boolean(_))
        | (Kind::Date, Bson::DateTime(_))
        | (Kind::ObjectId, Bson::ObjectId(_))
        | (Kind::Binary | Kind::Vector(_), Bson::Binary(_))
        | (Kind::Timestamp, Bson::Timestamp(_))
        | (Kind::Array, Bson::Array(_)) => true,
        _ => false,
    };
    if is_read {
        Ok(value.clone())
    } else {
        refuse(path, format!("it is {}", name_of(value)))
    }
}

fn integer(value: &Bson) -> Option<i128> {
    match value {
        Bson::Int32(number) => Some((*number).into()),
        Bson::Int64(number) => Some((*number).into()),
        _ => None,
    }
}

pub(super) fn join(above: &str, name: &str) -> String {
    if above.is_empty() {
        name.to_owned()
    } else {
        format!("{above}.{name}")
    }
}

/// The types of the values in a document: `{ _id: objectId, name: string, parts: [{ id: objectId }] }`.
pub(super) fn shape_of(document: &Document) -> String {
    let fields = document.iter();
    let fields: Vec<String> = fields
        .map(|(name, value)| format!("{name}: {}", name_of(value)))
        .collect();
    if fields.is_empty() {
        return "{}".to_owned();
    }
    format!("{{ {} }}", fields.join(", "))
}

fn name_of(value: &Bson) -> String {
    match value {
        Bson::Document(document) => shape_of(document),
        Bson::Array(values) => {
            let mut kinds: Vec<String> = values.iter().map(name_of).collect();
            kinds.sort_unstable();
            kinds.dedup();
            format!("[{}]", kinds.join(" or "))
        }
        value => type_name(value).to_owned(),
    }
}
