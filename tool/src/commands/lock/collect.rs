//! The facts of the linked models, from their tables.

use std::collections::{BTreeMap, BTreeSet};

use bson::Bson;
use mongo_model::index::{Definition, Source, VectorDefinition, definitions, vector_definitions};
use mongo_model::model::{FieldRow, Fixed, Kind, ModelMeta, Shape};
use mongo_model::stored::is_own_field;

use super::facts::{Fact, Facts};
use super::fields::{OTHERS, fact_of, name_of, one_of};
use crate::commands::check::keys_of;
use crate::failure::{Failure, Result};

/// The facts of these models.
pub(crate) fn facts_of(models: &[&ModelMeta]) -> Result<Facts> {
    let mut out = Facts::new();
    for model in models {
        let name = name_of(model);
        if out.contains_key(&name) {
            return Err(Failure::new(format!(
                "two models of the collection `{}` are called `{}`",
                model.collection, model.name
            ))
            .help("rename one of them: a lock tells models of a collection apart by their names"));
        }
        out.insert(name, model_facts(model));
    }
    Ok(out)
}

fn model_facts(model: &ModelMeta) -> BTreeMap<String, Fact> {
    let mut out = vec![("$model".to_owned(), kinds(model))];
    if let Some(schema) = model.schema {
        let mut parts = vec![format!("version {}", schema.version)];
        parts.extend(schema.unversioned.map(|n| format!("unversioned {n}")));
        if schema.migrate.is_some() {
            parts.push("migrates".to_owned());
        }
        out.push(("$schema".to_owned(), Fact(parts)));
    }
    let scope = |on_write| {
        let scope = if on_write { "on write" } else { "always" };
        Fact(vec![scope.to_owned()])
    };
    for comparison in model.comparisons {
        out.push((format!("$check {comparison}"), scope(comparison.on_write)));
    }
    for judge in model.judges {
        out.push((format!("$check with {}", judge.name), scope(judge.on_write)));
    }
    // Those of the library's own fields follow from references, copies and numbers.
    let is_own = |index: &Definition| index.keys.iter().any(|(path, _)| is_own_field(path));
    for index in definitions(model).iter().filter(|index| !is_own(index)) {
        let name = index.name.clone().unwrap_or_else(|| index.default_name());
        out.push((format!("$index {name}"), index_fact(index)));
    }
    let vectors = vector_definitions(model).into_iter();
    out.extend(vectors.map(|index| (format!("$index {}", index.name), vector_fact(&index))));
    add_fields(model.shape, "", &mut out);
    distinct(out)
}

/// `plain`, or what the model is beside that.
fn kinds(model: &ModelMeta) -> Fact {
    let fields = model.shape.fields;
    let mut out = Vec::new();
    if let Some((tag, _)) = fields.iter().find_map(|row| row.variant) {
        out.push(format!("enum by {tag}"));
    }
    if model.queue.is_some() {
        out.push("queue".to_owned());
    }
    if model.bucket.is_some() {
        out.push("bucket".to_owned());
    }
    if fields.iter().any(|row| row.period.is_some()) {
        out.push("period".to_owned());
    }
    if out.is_empty() {
        out.push("plain".to_owned());
    }
    for row in fields {
        match row.fixed {
            Some(Fixed::Deleted) => out.push("soft delete".to_owned()),
            Some(Fixed::Tenant) => out.push(format!("tenant {}", row.name)),
            _ => {}
        }
    }
    if model.strict {
        out.push("strict".to_owned());
    }
    if model.history.is_some() {
        out.push("history".to_owned());
    }
    if let Some(events) = model.events {
        out.push("events".to_owned());
        out.extend(events.readers.iter().map(|name| format!("reader {name}")));
    }
    if let Some(shared) = model.shares {
        out.push(format!("shares with {}", name_of(shared())));
    }
    if let Some(key) = model.shard_key {
        let tenant = fields.iter().find(|row| row.fixed == Some(Fixed::Tenant));
        let tenant = tenant.filter(|_| key.by_tenant);
        let tenant = tenant.map_or(String::new(), |row| format!("{} then ", row.name));
        let id = if key.hashed { "hashed _id" } else { "_id" };
        out.push(format!("shard key {tenant}{id}"));
    }
    // The order of the fields does not matter.
    out.sort_unstable();
    Fact(out)
}

/// The keys, then each option.
fn index_fact(index: &Definition) -> Fact {
    let mut out = vec![keys_of(index)];
    let spec = index.spec();
    for (option, value) in spec.iter().filter(|(option, _)| *option != "key") {
        out.push(match value {
            Bson::Boolean(true) => option.clone(),
            value => format!("{option} {value}"),
        });
    }
    if index.source == Source::Automatic {
        out.push("automatic".to_owned());
    }
    Fact(out)
}

/// The field, then what a search depends on.
fn vector_fact(index: &VectorDefinition) -> Fact {
    let mut out = vec![
        format!("{{ {}: vector }}", index.path),
        format!("dimensions {}", index.dimensions),
        format!("similarity {}", index.similarity.name()),
    ];
    out.extend(index.filter.iter().map(|path| format!("filter {path}")));
    Fact(out)
}

/// The fields of a document, by their paths: `parts[].id`, `scores{}`, `(kind=book).pages`.
fn add_fields(shape: &Shape, above: &str, out: &mut Vec<(String, Fact)>) {
    for row in shape.fields {
        let path = format!("{above}{}", row.name);
        let below = match (row.variant, row.name, row.kind) {
            (Some((tag, value)), ..) => format!("{above}({tag}={value})."),
            (None, "", _) => above.to_owned(),
            (None, _, Kind::Array) => format!("{path}[]."),
            (None, _, Kind::Map) => format!("{path}{{}}."),
            _ => format!("{path}."),
        };
        match (row.name, row.shape) {
            ("", None) => out.push((format!("{above}*"), fact_of(row, shape))),
            ("", Some(_)) => {}
            _ if row.variant.is_some() => {}
            _ => out.push((
                path,
                tag_fact(row, shape).unwrap_or_else(|| fact_of(row, shape)),
            )),
        }
        if let Some(inner) = row.shape {
            add_fields(inner, &below, out);
        }
    }
}

/// The fact about a field that is the tag of a model's variants.
fn tag_fact(row: &FieldRow, shape: &Shape) -> Option<Fact> {
    let variants = shape.fields.iter().filter_map(|row| row.variant);
    let values = variants.filter(|(tag, _)| *tag == row.name);
    let mut values: Vec<&str> = values.map(|(_, value)| value).collect();
    if values.is_empty() {
        return None;
    }
    values.sort_unstable();
    let mut out = vec!["tag".to_owned(), one_of(&values)];
    if row.kind == Kind::Any {
        out.push(OTHERS.to_owned());
    }
    Some(Fact(out))
}

/// The facts by name. Variants of an embedded enum may have fields of one name: those that differ are numbered, in the order of what they say.
fn distinct(all: Vec<(String, Fact)>) -> BTreeMap<String, Fact> {
    let mut by_name: BTreeMap<String, BTreeSet<Fact>> = BTreeMap::new();
    for (name, fact) in all {
        by_name.entry(name).or_default().insert(fact);
    }
    let numbered = by_name.into_iter().flat_map(|(name, facts)| {
        let facts = facts.into_iter().enumerate();
        facts.map(move |(n, fact)| match n {
            0 => (name.clone(), fact),
            n => (format!("{name} ({})", n + 1), fact),
        })
    });
    numbered.collect()
}
