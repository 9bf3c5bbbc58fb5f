//! Documents that their own model cannot read, or that break its checks: other programs stored them, or a field or a check was declared
//! over existing data.

use std::collections::BTreeMap;
use std::fmt;

use bson::{Bson, Document, RawDocument};

use crate::bson_util::path::{join, overlap};
use crate::codec::CodecError;
use crate::codec::outdated::{FIELD, Outdated};
use crate::document::guard;
use crate::driver::{self, Database, FindArgs};
use crate::error::Result;
use crate::error::violation::Violation;
use crate::graph::edges::Edges;
use crate::schema::checks::CheckRule;
use crate::schema::model::ModelMeta;
use crate::schema::registry;
use crate::schema::registry::Registered;
use crate::schema::rows::{FieldRow, Kind};
use crate::tenant::Scope;

/// The number of documents that are read together.
const DOCUMENTS: u32 = 1_000;

/// Documents of one model that cannot be decoded, all because of one path.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Undecodable {
    /// The model.
    pub model: &'static str,
    /// The first stored path that is missing or holds a value of another type, without the places in arrays, and with `*` for the keys of
    /// maps: `parts.name`, `prices.*`.
    pub path: String,
    /// The number of documents.
    pub documents: u64,
    /// The decoder's message for the first of these documents.
    pub reason: String,
    /// The `_id`s of the first of these documents.
    pub ids: Vec<Bson>,
    /// The declaration or call that makes such documents readable, where there is one.
    pub remedy: Option<Remedy>,
}

/// A declaration or call that makes documents readable which cannot be decoded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Remedy {
    /// The field is a number or a list of children, or a copy: [`backfill`](crate::backfill) stores it, and `#[serde(default)]` reads
    /// documents without it.
    Backfill,
    /// The field is missing: `#[serde(default)]` reads documents without it.
    Default,
    /// The document is of another version of the schema: [`migrate`](crate::MongoModel::migrate), or `unversioned = ..`.
    Migrate,
}

impl fmt::Display for Undecodable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let documents = match self.documents {
            1 => "1 document".to_owned(),
            n => format!("{n} documents"),
        };
        write!(f, "{}: {documents} cannot be decoded", self.model)?;
        if let Some(id) = self.ids.first() {
            write!(f, ", the first is {id}")?;
        }
        write!(f, ": {}", self.reason)?;
        match self.remedy {
            Some(Remedy::Backfill) => f.write_str(
                "; run backfill, and `#[serde(default)]` on the field reads documents without it until then",
            ),
            Some(Remedy::Default) => {
                f.write_str("; `#[serde(default)]` on the field reads documents without it")
            }
            Some(Remedy::Migrate) => f.write_str("; see `schema_version` and `migrate`"),
            None => Ok(()),
        }
    }
}

/// Documents of one model that break a rule of one field: `#[check(..)]`.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct InvalidDocuments {
    /// The model.
    pub model: &'static str,
    /// The stored path without the places in arrays, and with `*` for the keys of maps: `lines.qty`, `scores.*`.
    pub path: String,
    /// The rule.
    pub rule: CheckRule,
    /// The number of documents.
    pub documents: u64,
    /// The `_id`s of the first of these documents.
    pub ids: Vec<Bson>,
}

impl fmt::Display for InvalidDocuments {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let InvalidDocuments {
            model, path, rule, ..
        } = self;
        write!(f, "{model}: {path} {rule}: ")?;
        match self.documents {
            1 => write!(f, "1 document breaks the rule")?,
            n => write!(f, "{n} documents break the rule")?,
        }
        match self.ids.first() {
            Some(id) => write!(f, ", the first is {id}"),
            None => Ok(()),
        }
    }
}

/// The documents of all models that cannot be read, and those that break a rule.
#[derive(Debug, Default)]
pub(crate) struct Wrong {
    pub(crate) undecodable: Vec<Undecodable>,
    pub(crate) invalid: Vec<InvalidDocuments>,
}

/// Reads every document of these models, decodes it and looks at its values.
pub(crate) async fn wrong_documents(
    db: &Database,
    models: Option<&[&'static ModelMeta]>,
    scope: &Scope,
    samples: usize,
) -> Result<Wrong> {
    let mut out = Wrong::default();
    for registered in registry::registered() {
        let meta = registered.0();
        let chosen = models.is_none_or(|models| models.iter().any(|one| one.name == meta.name));
        if chosen {
            let among = scope.restrict(meta.collection, Document::new());
            of_model(db, meta, &registered, (among, samples), &mut out).await?;
        }
    }
    Ok(out)
}

async fn of_model(
    db: &Database,
    meta: &'static ModelMeta,
    registered: &Registered,
    (among, samples): (Document, usize),
    out: &mut Wrong,
) -> Result<()> {
    let args = FindArgs {
        batch_size: Some(DOCUMENTS),
        ..FindArgs::default()
    };
    let mut rows = driver::open(db, meta.collection, among, args, None).await?;
    let mut found: BTreeMap<String, Undecodable> = BTreeMap::new();
    let mut invalid: Vec<InvalidDocuments> = Vec::new();
    let read = |raw: &RawDocument| {
        let id = || raw.get("_id").ok().flatten().map(Bson::try_from);
        let refused = registered.1(raw, None).err();
        let broken = violations(meta, raw);
        let is_wrong = refused.is_some() || !broken.is_empty();
        Ok(is_wrong.then(|| (id().and_then(std::result::Result::ok), refused, broken)))
    };
    while let Some(row) = rows.next(read).await? {
        let Some((id, refused, broken)) = row else {
            continue;
        };
        add_invalid(meta, &mut invalid, (id.as_ref(), samples), broken);
        let Some(error) = refused else { continue };
        let (path, row) = schema_path(meta.shape.fields, error.path());
        let one = found.entry(path.clone()).or_insert_with(|| Undecodable {
            model: meta.name,
            remedy: remedy(meta, (&path, row), &error),
            path,
            documents: 0,
            reason: error.to_string(),
            ids: Vec::new(),
        });
        one.documents += 1;
        if one.ids.len() < samples {
            one.ids.extend(id);
        }
    }
    out.undecodable.extend(found.into_values());
    out.invalid.extend(invalid);
    Ok(())
}

/// The rules that a document breaks once it is of the present version of its schema: that of an older one is migrated, as a read does it. One
/// that cannot be migrated is undecodable.
fn violations(meta: &'static ModelMeta, raw: &RawDocument) -> Vec<Violation> {
    match meta.schema.map(|schema| schema.current(raw)) {
        None => guard::violations(meta, raw),
        Some(Ok(current)) => guard::violations(meta, &current),
        Some(Err(_)) => Vec::new(),
    }
}

/// Counts a document once for each path and rule that it breaks.
fn add_invalid(
    meta: &ModelMeta,
    invalid: &mut Vec<InvalidDocuments>,
    (id, samples): (Option<&Bson>, usize),
    broken: Vec<Violation>,
) {
    let mut counted: Vec<(String, CheckRule)> = Vec::new();
    for one in broken {
        let key = (schema_path(meta.shape.fields, &one.path).0, one.rule);
        if counted.contains(&key) {
            continue;
        }
        let alike = invalid
            .iter_mut()
            .find(|known| (&known.path, known.rule) == (&key.0, key.1));
        let place = match alike {
            Some(known) => known,
            None => {
                invalid.push(InvalidDocuments {
                    model: meta.name,
                    path: key.0.clone(),
                    rule: key.1,
                    documents: 0,
                    ids: Vec::new(),
                });
                let last = invalid.len() - 1;
                &mut invalid[last]
            }
        };
        place.documents += 1;
        if place.ids.len() < samples {
            place.ids.extend(id.cloned());
        }
        counted.push(key);
    }
}

/// The path without the places in arrays, and with `*` for the keys of maps, so that documents with the same mistake are counted together; and
/// the row of the field at its end.
fn schema_path(fields: &'static [FieldRow], path: &str) -> (String, Option<&'static FieldRow>) {
    let (mut fields, mut row, mut out) = (Some(fields), None::<&FieldRow>, String::new());
    let mut is_key = false;
    for step in path.split('.') {
        let named = fields.and_then(|fields| field_row(fields, step));
        if is_key {
            out = join(&out, "*");
        } else if named.is_some() || step.parse::<usize>().is_err() {
            out = join(&out, step);
            row = named;
            fields = row.and_then(|row| row.shape).map(|shape| shape.fields);
        }
        // A map of maps has keys below its keys.
        let has_keys = |row: &FieldRow| match is_key {
            true => row.facts.elem_kind == Kind::Map,
            false => row.kind == Kind::Map,
        };
        is_key = row.is_some_and(has_keys);
    }
    (out, row)
}

/// The row of a stored name, which may be inside a flattened field.
fn field_row(fields: &'static [FieldRow], name: &str) -> Option<&'static FieldRow> {
    fields.iter().find_map(|row| match row.shape {
        Some(inner) if row.name.is_empty() => field_row(inner.fields, name),
        _ => (row.name == name).then_some(row),
    })
}

fn remedy(
    meta: &'static ModelMeta,
    (path, row): (&str, Option<&FieldRow>),
    error: &CodecError,
) -> Option<Remedy> {
    if path == FIELD {
        // Only a newer program reads a document that a newer program has stored.
        let is_newer = matches!(error.as_outdated(), Some(Outdated::Newer { .. }));
        return (!is_newer).then_some(Remedy::Migrate);
    }
    if !error.is_missing() {
        return None;
    }
    let written =
        row.is_some_and(|row| row.derived.is_some() || row.copy.is_some_and(|copy| !copy.snapshot));
    let links = Edges::get().links().iter();
    let mut kept = links.filter(|link| link.host.collection == meta.collection);
    let listed = kept.any(|link| overlap(link.visible(), path));
    Some(if written || listed {
        Remedy::Backfill
    } else {
        Remedy::Default
    })
}
