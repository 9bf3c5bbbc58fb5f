//! Documents that do not fit their model. The server looks for them (`$jsonSchema`), so that only wrong ones are sent.

use std::collections::BTreeMap;

use bson::{Bson, Document, doc};
use futures::TryStreamExt;
use mongo_model::index::definitions;
use mongo_model::model::{Comparison, FieldRow, Fixed, Kind, ModelMeta, Shape};
use mongo_model::stored::is_own_field;
use mongo_model::validator::{conditions, json_schema};

use super::schema::{Violation, type_name, violations};
use super::unknown::{Fields, SCHEMA_VERSION};
use crate::connection::Connection;
use crate::failure::Result;
use crate::findings::{Example, Finding, Level, shown};
use crate::models::value_at;
use crate::output::count;
use crate::program::as_typed;
use crate::walk::id_of;

/// The defects of the documents of one collection.
#[derive(Debug)]
pub(crate) struct Documents {
    /// The filters of the documents that the models describe.
    described: Vec<Document>,
    schemas: Vec<Document>,
    comparisons: Vec<(&'static ModelMeta, &'static Comparison)>,
    /// Paths of dates by which documents expire.
    expiring: Vec<String>,
    /// Paths of binary, and how many bytes each may have.
    binary: Vec<(String, u64)>,
    version: Option<i32>,
    /// The stored name of the field that says which tenant a document belongs to.
    tenant: Option<&'static str>,
    fields: Fields,
    /// The model, as messages name it.
    model: String,
    examples: usize,
    found: BTreeMap<(&'static str, String, String), Finding>,
}

impl Documents {
    /// Prepares the checks for the models of one collection.
    pub(crate) fn new(models: &[&'static ModelMeta], examples: usize) -> Self {
        let definitions = models.iter().flat_map(|model| definitions(model));
        let expiring = definitions.filter(|index| index.expire_after.is_some());
        let mut binary = Vec::new();
        for model in models {
            bounded_binary(model.shape, "", &mut binary);
        }
        Documents {
            described: models.iter().map(|model| conditions(model)).collect(),
            schemas: models.iter().map(|model| json_schema(model)).collect(),
            comparisons: match models {
                [model] => model
                    .stored_comparisons()
                    .map(|one| (*model, one))
                    .collect(),
                _ => Vec::new(),
            },
            expiring: expiring
                .filter_map(|index| Some(index.keys.first()?.0.clone()))
                .collect(),
            binary,
            // Models of one collection that disagree about versions are not compared by them.
            version: match models {
                [model] => model.schema.map(|schema| schema.version),
                _ => None,
            },
            tenant: models.iter().find_map(|model| tenant_field(model)),
            fields: Fields::new(models),
            model: match models {
                [model] => model.name.to_owned(),
                _ => "the models".to_owned(),
            },
            examples,
            found: BTreeMap::new(),
        }
    }

    /// Looks at the documents that the stages of `scope` let through.
    pub(crate) async fn examine(
        &mut self,
        connection: &Connection,
        collection: &str,
        scope: Vec<Document>,
    ) -> Result<()> {
        let collection = connection.db.collection::<Document>(collection);
        self.count_unknown(&collection, scope.clone()).await?;
        let mut wrong = doc! { "$or": self.conditions() };
        if let Some(version) = self.version {
            self.count_older(&collection, scope.clone(), version)
                .await?;
            // A document of an older version is another schema's; `migrate` brings it to this one.
            wrong = doc! { "$and": [{ SCHEMA_VERSION: { "$gte": version } }, wrong] };
        }
        let mut pipeline = scope;
        pipeline.push(doc! { "$match": wrong });
        let mut wrong = collection.aggregate(pipeline).await?;
        while let Some(document) = wrong.try_next().await? {
            self.explain(document);
        }
        Ok(())
    }

    /// The reasons why these documents are wrong, a line each: `5 has `stars` with more than the model allows: at most 5 (has 9)`.
    pub(crate) async fn reasons(
        mut self,
        connection: &Connection,
        collection: &str,
        ids: &[Bson],
    ) -> Result<Vec<String>> {
        let collection = connection.db.collection::<Document>(collection);
        let mut some = collection.find(doc! { "_id": { "$in": ids } }).await?;
        while let Some(document) = some.try_next().await? {
            self.explain(document);
        }
        let lines = self.found.values().flat_map(|finding| {
            let reason = one_document(&finding.message);
            let examples = finding.examples.iter();
            examples.map(move |one| format!("{} {reason} ({})", shown(&one.id), one.text))
        });
        Ok(lines.collect())
    }

    /// Documents of older versions are counted, and some of them read.
    async fn count_older(
        &mut self,
        collection: &mongodb::Collection<Document>,
        mut scope: Vec<Document>,
        version: i32,
    ) -> Result<()> {
        scope.push(doc! { "$match": { SCHEMA_VERSION: { "$not": { "$gte": version } } } });
        let mut count = scope.clone();
        count.push(doc! { "$count": "documents" });
        let counted = collection.aggregate(count).await?.try_next().await?;
        let counted = counted.and_then(|counted| as_i64(counted.get("documents")?));
        let Some(counted) = counted.and_then(|counted| u64::try_from(counted).ok()) else {
            return Ok(());
        };
        let limit = i64::try_from(self.examples.max(1)).unwrap_or(i64::MAX);
        scope.push(doc! { "$limit": limit });
        scope.push(doc! { "$project": { SCHEMA_VERSION: 1 } });
        let some: Vec<Document> = collection.aggregate(scope).await?.try_collect().await?;
        let message = format!("have an older schema version than the model's ({version})");
        for document in some {
            let stored = document.get(SCHEMA_VERSION);
            let stored = stored.map_or_else(|| "1, having none".to_owned(), shown);
            let text = format!("has version {stored}");
            let id = id_of(&document);
            self.add("older_schema", SCHEMA_VERSION, &message, &id, text);
        }
        let key = ("older_schema", SCHEMA_VERSION.to_owned(), message);
        if let Some(finding) = self.found.get_mut(&key) {
            finding.level = Level::Note;
            let fix = "`mongo-model migrate` brings documents to the present schema version";
            finding.fix = Some(as_typed(fix));
            // Documents that were read are counted already.
            finding.count += counted.saturating_sub(counted.min(self.examples.max(1) as u64));
        }
        Ok(())
    }

    /// Documents with fields that no model has are counted, and one of them is read.
    async fn count_unknown(
        &mut self,
        collection: &mongodb::Collection<Document>,
        mut scope: Vec<Document>,
    ) -> Result<()> {
        if let Some(version) = self.version {
            // An older document has the fields of its version.
            scope.push(doc! { "$match": { SCHEMA_VERSION: { "$gte": version } } });
        }
        scope.extend(self.fields.stages());
        let mut unknown = collection.aggregate(scope).await?;
        while let Some(group) = unknown.try_next().await? {
            let Some(path) = group.get_str("_id").ok().filter(|path| !is_own_field(path)) else {
                continue;
            };
            let message = format!(
                "have `{path}`, which {} does not have: a `save` removes it",
                self.model
            );
            let id = group.get("id").cloned().unwrap_or(Bson::Null);
            self.add("unknown_field", path, &message, &id, "has it".to_owned());
            let key = ("unknown_field", path.to_owned(), message);
            if let Some(finding) = self.found.get_mut(&key) {
                finding.level = Level::Note;
                let counted = group.get("count").and_then(as_i64);
                let counted = counted.and_then(|counted| u64::try_from(counted).ok());
                // The document that was read is counted already.
                finding.count += counted.unwrap_or(1).saturating_sub(1);
            }
        }
        Ok(())
    }

    /// The findings, each kind and place once.
    pub(crate) fn into_findings(self) -> Vec<Finding> {
        let counted = |mut finding: Finding| {
            finding.message = format!(
                "{} {}",
                count(finding.count, "document"),
                singular(&finding)
            );
            finding
        };
        self.found.into_values().map(counted).collect()
    }

    fn conditions(&self) -> Vec<Document> {
        let mut wrong = vec![doc! { "$nor": self.described.clone() }];
        for path in &self.expiring {
            wrong
                .push(doc! { path: { "$exists": true, "$ne": null, "$not": { "$type": "date" } } });
        }
        for (path, max) in &self.binary {
            let field = format!("${path}");
            let bytes =
                doc! { "$cond": [{ "$eq": [{ "$type": &field }, "binData"] }, &field, null] };
            let max = i64::try_from(*max).unwrap_or(i64::MAX);
            wrong.push(doc! { "$expr": { "$gt": [{ "$binarySize": bytes }, max] } });
        }
        if let Some(version) = self.version {
            wrong.push(doc! { SCHEMA_VERSION: { "$gt": version } });
        }
        wrong
    }

    fn explain(&mut self, document: Document) {
        let id = id_of(&document);
        if let Some(version) = self.version
            && let Some(stored) = document.get(SCHEMA_VERSION).and_then(as_i64)
            && stored > i64::from(version)
        {
            let message = format!("have a schema version newer than the model's ({version})");
            let text = format!("has version {stored}");
            return self.add("newer_schema", SCHEMA_VERSION, &message, &id, text);
        }
        let value = Bson::Document(document);
        // With several models, use the one that the document fits best.
        let fits = self.schemas.iter().map(|schema| violations(&value, schema));
        let best: Vec<Violation> = fits.min_by_key(Vec::len).unwrap_or_default();
        let mut explained = !best.is_empty();
        for Violation {
            kind,
            path,
            rule,
            have,
        } in best
        {
            // Another finding below reports that the document never expires.
            if kind == "type" && have != "null" && self.expiring.contains(&path) {
                continue;
            }
            if kind == "required" && self.tenant == Some(path.as_str()) {
                self.add_without_tenant(&path, &id);
                continue;
            }
            let message = match kind {
                "required" => format!("have no `{path}`"),
                "type" => format!("have `{path}` of another type than {rule}"),
                "tag" => format!("have `{path}` that is not {rule}"),
                _ if rule.starts_with("at most") => {
                    format!("have `{path}` with more than the model allows: {rule}")
                }
                _ => format!("have `{path}` that is not {rule}"),
            };
            let text = match kind {
                "required" => "lacks it".to_owned(),
                _ => format!("has {have}"),
            };
            self.add(kind, &path, &message, &id, text);
        }
        let Bson::Document(document) = &value else {
            return;
        };
        for (model, comparison) in self.comparisons.clone() {
            if !comparison.is_met_by(model, document) {
                explained = true;
                let message = format!("do not meet `{comparison}`");
                let fields = comparison
                    .fields()
                    .filter_map(|name| Some(format!("{name}: {}", shown(document.get(name)?))));
                let text = format!("has {}", fields.collect::<Vec<_>>().join(", "));
                let first = comparison.fields().next().unwrap_or_default();
                self.add("check", first, &message, &id, text);
            }
        }
        for path in self.expiring.clone() {
            let stored = value_at(document, &path)
                .filter(|value| !matches!(value, Bson::Null | Bson::DateTime(_)));
            if let Some(stored) = stored {
                explained = true;
                let message = format!("never expire: `{path}` is not a date");
                self.add(
                    "ttl",
                    &path,
                    &message,
                    &id,
                    format!("has {}", type_name(&stored)),
                );
            }
        }
        for (path, max) in self.binary.clone() {
            if let Some(Bson::Binary(binary)) = value_at(document, &path)
                && binary.bytes.len() as u64 > max
            {
                explained = true;
                let message =
                    format!("have `{path}` with more than the model allows: at most {max} bytes");
                self.add(
                    "length",
                    &path,
                    &message,
                    &id,
                    format!("has {} bytes", binary.bytes.len()),
                );
            }
        }
        if !explained {
            self.add(
                "schema",
                "",
                "do not fit the `$jsonSchema` of their model",
                &id,
                shown(&value),
            );
        }
    }

    fn add_without_tenant(&mut self, path: &str, id: &Bson) {
        let message = format!("have no `{path}`, the tenant: only calls across tenants reach them");
        self.add("no_tenant", path, &message, id, "lacks it".to_owned());
        let key = ("no_tenant", path.to_owned(), message);
        if let Some(finding) = self.found.get_mut(&key) {
            finding.fix = Some(format!(
                "fill `{path}` of all documents, by a migration or by the driver, before a program confines its calls to it"
            ));
        }
    }

    fn add(&mut self, kind: &'static str, path: &str, message: &str, id: &Bson, text: String) {
        let key = (kind, path.to_owned(), message.to_owned());
        let finding = self.found.entry(key).or_insert_with(|| Finding {
            count: 0,
            ..Finding::problem(kind, path, message)
        });
        finding.count += 1;
        if finding.examples.len() < self.examples
            && finding.examples.last().is_none_or(|last| last.id != *id)
        {
            finding.examples.push(Example {
                id: id.clone(),
                text,
            });
        }
    }
}

fn tenant_field(model: &ModelMeta) -> Option<&'static str> {
    let mut rows = model.shape.fields.iter();
    let row = rows.find(|row| row.fixed == Some(Fixed::Tenant))?;
    Some(row.name)
}

/// The message, in the singular if it concerns one document.
fn singular(finding: &Finding) -> String {
    match finding.count {
        1 => one_document(&finding.message),
        _ => finding.message.clone(),
    }
}

/// A message about several documents as one about one.
fn one_document(message: &str) -> String {
    let verbs = [
        ("have ", "has "),
        ("never expire", "never expires"),
        ("do not ", "does not "),
    ];
    let verb = verbs
        .iter()
        .find_map(|(many, one)| Some((message.strip_prefix(many)?, one)));
    verb.map_or_else(|| message.to_owned(), |(rest, one)| format!("{one}{rest}"))
}

fn as_i64(value: &Bson) -> Option<i64> {
    match value {
        Bson::Int32(n) => Some(i64::from(*n)),
        Bson::Int64(n) => Some(*n),
        _ => None,
    }
}

/// Binary with a declared length outside arrays: `$jsonSchema` has no keyword for it.
fn bounded_binary(shape: &Shape, above: &str, out: &mut Vec<(String, u64)>) {
    for row in shape.fields {
        let path = match (above.is_empty(), row.name.is_empty()) {
            (true, _) => row.name.to_owned(),
            (_, true) => above.to_owned(),
            _ => format!("{above}.{}", row.name),
        };
        let FieldRow {
            kind,
            max_len,
            shape,
            ..
        } = *row;
        match (kind, shape) {
            (Kind::Binary, _) if max_len > 0 => out.push((path, max_len)),
            (Kind::Document, Some(inner)) => bounded_binary(inner, &path, out),
            _ => {}
        }
    }
}
