//! Real documents, read by the linked models: those of a random sample, by a `$sample` that a secondary may answer.

use std::collections::BTreeMap;

use bson::{RawDocumentBuf, doc};
use futures::TryStreamExt;
use mongodb::options::{ReadPreference, SelectionCriteria};
use serde::Serialize;

use super::linked::{find_reason, quietly};
use super::read::Refusal;
use super::table::{Holds, Table};
use crate::commands::check::SCHEMA_VERSION;
use crate::commands::lock::facts::Facts;
use crate::commands::lock::name_of;
use crate::connection::Connection;
use crate::failure::Result;
use crate::interrupt::or_stop;
use crate::models::Models;

/// The documents of a collection that were read.
#[derive(Debug, Serialize)]
pub(super) struct Sampled {
    pub(super) collection: String,
    pub(super) models: Vec<&'static str>,
    pub(super) documents: usize,
    pub(super) refused: Vec<Refused>,
}

/// Documents that are not read, for one reason.
#[derive(Debug, Serialize)]
pub(super) struct Refused {
    pub(super) path: String,
    pub(super) why: String,
    pub(super) documents: usize,
}

/// Reads random documents of each collection.
pub(super) async fn sample(
    connection: &Connection,
    models: &Models,
    facts: &Facts,
    size: u32,
) -> Result<Vec<Sampled>> {
    let mut out = Vec::new();
    for (name, models) in models.collections() {
        let collection = connection.db.collection::<RawDocumentBuf>(name);
        let chosen = connection.db.selection_criteria().cloned();
        let secondary = ReadPreference::SecondaryPreferred { options: None };
        let chosen = chosen.unwrap_or(SelectionCriteria::ReadPreference(secondary));
        let some = collection.aggregate([doc! { "$sample": { "size": size } }]);
        let some = some
            .with_type::<RawDocumentBuf>()
            .selection_criteria(chosen);
        let some = async { some.await?.try_collect::<Vec<RawDocumentBuf>>().await };
        let documents = or_stop(some, "the same command").await??;
        let mut refused: BTreeMap<(String, String), usize> = BTreeMap::new();
        for document in &documents {
            // Each document is one of a model that shares the collection.
            let read = quietly(|| {
                let reasons = models.iter().map(|model| find_reason(model, document));
                reasons.collect::<Option<Vec<Refusal>>>()
            });
            if let Some(Refusal { path, why }) = read.and_then(|all| all.into_iter().next()) {
                let table = facts.get(&name_of(models[0])).map(Table::of);
                let path = table.map_or_else(String::new, |table| hide_keys(&table, &path));
                *refused.entry((path, why)).or_default() += 1;
            }
        }
        let refused = refused.into_iter().map(|((path, why), documents)| Refused {
            path,
            why,
            documents,
        });
        out.push(Sampled {
            collection: name.to_owned(),
            models: models.iter().map(|model| model.name).collect(),
            documents: documents.len(),
            refused: refused.collect(),
        });
    }
    Ok(out)
}

/// The path as the facts have it, with `[]` for a place in an array and `{}` for a key, which is data.
fn hide_keys(table: &Table, path: &str) -> String {
    let mut steps = path.split('.').filter(|step| !step.is_empty());
    let mut inside = Some(table);
    let mut out = Vec::new();
    while let Some(step) = steps.next() {
        let field = inside.and_then(|table| table.find(step));
        let mark = match field.map(|field| field.form.holds) {
            Some(Holds::One) => "",
            Some(Holds::Array) => "[]",
            Some(Holds::Map) => "{}",
            None if step == SCHEMA_VERSION => "",
            None => {
                out.push("{}".to_owned());
                inside = None;
                continue;
            }
        };
        if !mark.is_empty() {
            steps.next();
        }
        out.push(format!("{step}{mark}"));
        inside = field.and_then(|field| field.form.inner.as_deref());
    }
    out.join(".")
}
