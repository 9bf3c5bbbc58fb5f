//! The content of the report: of each model its size, its indexes with their uses, the costs of its writes, and the advice about it.

use std::collections::HashSet;

use bson::{Bson, Document, doc};
use futures::TryStreamExt;
use mongo_model::index::definitions;
use mongo_model::model::{ModelMeta, WriteCosts};
use serde::Serialize;

use crate::commands::check::{keys_of, shown_keys};
use crate::connection::Connection;
use crate::failure::{Failure, Result};
use crate::models::Models;

/// The report on one model.
#[derive(Debug, Serialize)]
pub(super) struct ModelReport {
    pub(super) model: &'static str,
    pub(super) collection: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) schema_version: Option<i32>,
    /// Bytes of the largest document; none where a field has no bound.
    pub(super) max_document_bytes: Option<u64>,
    pub(super) indexes: Vec<Index>,
    pub(super) costs: Costs,
    pub(super) advice: Vec<Advice>,
}

/// The costs of the writes of one document.
#[derive(Debug, Serialize)]
pub(super) struct Costs {
    pub(super) insert: Cost,
    pub(super) update: Cost,
    /// An update of a field that other documents show; none where there is no such field.
    pub(super) update_followed: Option<Cost>,
    /// None where documents below it go with tombstones of their own.
    pub(super) delete_unreferenced: Option<Cost>,
    /// The commands that an event adds to one of these; none where the documents emit none.
    pub(super) emit: Option<Emit>,
    #[serde(skip)]
    pub(super) text: String,
}

/// The costs of one write.
#[derive(Debug, Serialize)]
pub(super) struct Cost {
    pub(super) awaited: usize,
    pub(super) round_trips: usize,
    pub(super) behind: usize,
    pub(super) confirming: usize,
    pub(super) indexes: usize,
}

/// The commands that an event adds to a write.
#[derive(Debug, Serialize)]
pub(super) struct Emit {
    pub(super) behind: usize,
    pub(super) delete_awaited: usize,
}

impl Costs {
    fn of(model: &ModelMeta) -> Self {
        let costs = model.costs();
        Costs {
            insert: costs.insert.into(),
            update: costs.update.into(),
            update_followed: costs.update_followed.map(Cost::from),
            delete_unreferenced: costs.delete_unreferenced.map(Cost::from),
            emit: costs.emit.map(|emit| Emit {
                behind: emit.behind,
                delete_awaited: emit.delete_awaited,
            }),
            text: costs.to_string(),
        }
    }
}

impl From<WriteCosts> for Cost {
    fn from(costs: WriteCosts) -> Self {
        Cost {
            awaited: costs.awaited,
            round_trips: costs.round_trips,
            behind: costs.behind,
            confirming: costs.confirming,
            indexes: costs.indexes,
        }
    }
}

/// An index.
#[derive(Debug, Serialize)]
pub(super) struct Index {
    pub(super) keys: String,
    /// True if a model declares it; other indexes exist only on the server.
    pub(super) declared: bool,
    /// The number of uses since the server started; present with `--usage`, if the server has the index.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) uses: Option<i64>,
    /// The time since which the server counts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) since: Option<String>,
}

/// A piece of advice.
#[derive(Debug, Serialize)]
pub(super) struct Advice {
    pub(super) rule: String,
    pub(super) about: String,
    pub(super) says: String,
}

/// The reports on the models of the command; with a connection, also how often each index was used.
pub(super) async fn collect(
    connection: Option<&Connection>,
    models: &Models,
) -> Result<Vec<ModelReport>> {
    let advised = mongo_model::report();
    let advised = match connection {
        Some(connection) => advised
            .with_usage(&connection.db)
            .await
            .map_err(may_not_count)?,
        None => advised,
    };
    let mut all = Vec::new();
    for model in models.selected() {
        let entry = advised
            .models
            .iter()
            .find(|entry| entry.model == model.name && entry.collection == model.collection);
        let findings = entry.into_iter().flat_map(|entry| &entry.findings);
        let usage = match connection {
            Some(connection) => usage(connection, model).await?,
            None => Vec::new(),
        };
        all.push(ModelReport {
            model: model.name,
            collection: model.collection,
            schema_version: model.schema.map(|schema| schema.version),
            max_document_bytes: model.limits().max_bytes,
            indexes: indexes(model, &usage),
            costs: Costs::of(model),
            advice: findings
                .map(|finding| Advice {
                    rule: finding.rule.to_owned(),
                    // The keys of an index look as they do elsewhere.
                    about: match finding.field.contains(": ") {
                        true => format!("{{ {} }}", finding.field),
                        false => finding.field.clone(),
                    },
                    says: finding.says.clone(),
                })
                .collect(),
        });
    }
    Ok(all)
}

fn may_not_count(error: mongo_model::Error) -> Failure {
    let failure = Failure::from(error);
    failure.help(
        "`$indexStats` needs the role `clusterMonitor`; without `--usage` the server is not asked",
    )
}

async fn usage(connection: &Connection, model: &ModelMeta) -> Result<Vec<Document>> {
    let collection = connection.db.collection::<Document>(model.collection);
    let found = collection
        .aggregate(vec![doc! { "$indexStats": {} }])
        .await?;
    Ok(found.try_collect().await?)
}

fn indexes(model: &ModelMeta, usage: &[Document]) -> Vec<Index> {
    let mut known: HashSet<usize> = HashSet::new();
    let all = definitions(model).into_iter().map(|index| {
        let key = index.spec().get_document("key").cloned().ok();
        let found = usage
            .iter()
            .position(|stats| same_key(stats.get_document("key").ok(), key.as_ref()));
        known.extend(found);
        let stats = found.and_then(|found| usage.get(found));
        Index::new(keys_of(&index), true, stats)
    });
    let mut all: Vec<Index> = all.collect();
    let others = usage.iter().enumerate();
    let others = others.filter(|(n, stats)| {
        !known.contains(n) && stats.get_str("name").is_ok_and(|name| name != "_id_")
    });
    all.extend(others.map(|(_, stats)| {
        let keys = stats.get_document("key").map(shown_keys);
        Index::new(keys.unwrap_or_default(), false, Some(stats))
    }));
    all
}

impl Index {
    fn new(keys: String, declared: bool, stats: Option<&Document>) -> Self {
        let accesses = stats.and_then(|stats| stats.get_document("accesses").ok());
        let since = accesses.and_then(|accesses| accesses.get_datetime("since").ok());
        Index {
            keys,
            declared,
            uses: accesses.and_then(|accesses| accesses.get_i64("ops").ok()),
            since: since.and_then(|since| since.try_to_rfc3339_string().ok()),
        }
    }
}

/// True if two keys are the same, whatever type their directions have.
fn same_key(one: Option<&Document>, other: Option<&Document>) -> bool {
    let is_text = |key: &Document| key.values().any(|kind| kind.as_str() == Some("text"));
    // A collection has one text index, whose keys the server calls by names of its own.
    if let (Some(one), Some(other)) = (one, other)
        && is_text(one)
        && is_text(other)
    {
        return true;
    }
    let shown = |key: &Document| -> Vec<(String, String)> {
        let direction = |value: &Bson| match value {
            Bson::Double(n) => format!("{n}"),
            value => value.to_string(),
        };
        key.iter()
            .map(|(path, value)| (path.clone(), direction(value)))
            .collect()
    };
    matches!((one, other), (Some(one), Some(other)) if shown(one) == shown(other))
}

#[cfg(test)]
mod tests {
    use mongo_model::{Id, MongoModel};
    use serde::{Deserialize, Serialize};

    use super::Costs;

    #[derive(Serialize, Deserialize, MongoModel)]
    #[model(collection = "reported_orders", events = String)]
    struct Order {
        #[serde(rename = "_id")]
        id: Id<Order>,
    }

    #[derive(Serialize, Deserialize, MongoModel)]
    #[model(collection = "reported_parts")]
    struct Part {
        #[serde(rename = "_id")]
        id: Id<Part>,
    }

    #[test]
    fn the_report_has_what_an_event_adds() {
        let json = |model| serde_json::to_value(Costs::of(model)).expect("json");
        let costs = json(Order::meta());
        assert_eq!(
            costs["emit"],
            serde_json::json!({ "behind": 3, "delete_awaited": 2 })
        );
        assert_eq!(costs["insert"]["awaited"], 1);
        assert!(json(Part::meta())["emit"].is_null());
    }
}
