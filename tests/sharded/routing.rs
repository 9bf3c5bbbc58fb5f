//! The way of a command through a sharded cluster, by the rules of the manual and the refusals of MongoDB 6.0.

use std::collections::{BTreeMap, BTreeSet};

use bson::{Bson, Document};
use mongo_model::model::ModelMeta;
use mongo_model_dev_server::monitor::StartedCommand;

/// The shards that run a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Reach {
    /// The collection is not sharded.
    Unsharded,
    /// The shard of one document.
    One,
    /// The shards of documents that the command names.
    Named,
    /// The shards with documents of one tenant.
    Tenant,
    /// All shards, of which one has the document with this `_id`.
    ById,
    /// All shards.
    All,
    /// The router refuses the command.
    Refused,
}

/// The shard keys of collections.
pub(crate) struct Keys(BTreeMap<&'static str, Vec<String>>);

impl Keys {
    pub(crate) fn from_models(models: &[&'static ModelMeta]) -> Self {
        let keys = models.iter().filter_map(|meta| {
            let key = meta.shard_key?;
            let mut rows = meta.shape.fields.iter();
            let tenant = rows.find(|row| row.fixed == Some(mongo_model::model::Fixed::Tenant));
            let tenant = tenant.filter(|_| key.by_tenant);
            let tenant = tenant.map(|row| row.name.to_owned());
            let fields = tenant.into_iter().chain(["_id".to_owned()]);
            Some((meta.collection, fields.collect()))
        });
        Keys(keys.collect())
    }

    /// The statements of a command with their ways, in words: `update orders one`.
    pub(crate) fn ways(&self, sent: &StartedCommand) -> BTreeSet<String> {
        let command = &sent.command;
        let Ok(collection) = command.get_str(&sent.name) else {
            return BTreeSet::new();
        };
        let reaches = self.reaches(&sent.name, collection, command).into_iter();
        let words = reaches.map(|reach| format!("{} {collection} {reach:?}", sent.name));
        words.collect()
    }

    fn reaches(&self, name: &str, collection: &str, command: &Document) -> Vec<Reach> {
        let Some(key) = self.0.get(collection) else {
            return vec![Reach::Unsharded];
        };
        let filter = |field: &str| command.get_document(field).cloned().unwrap_or_default();
        let statements = |list: &str| -> Vec<Document> {
            let list = command.get_array(list).into_iter().flatten();
            list.filter_map(|one| one.as_document().cloned()).collect()
        };
        match name {
            "insert" => vec![Reach::One],
            "find" => vec![of_filter(key, &filter("filter"))],
            "count" | "distinct" => vec![of_filter(key, &filter("query"))],
            "aggregate" => {
                let first = command.get_array("pipeline").ok();
                let first = first.and_then(|stages| stages.first()?.as_document());
                let matched = first.and_then(|stage| stage.get_document("$match").ok());
                vec![of_filter(key, &matched.cloned().unwrap_or_default())]
            }
            "findAndModify" => vec![of_single(key, &filter("query"), true)],
            "update" => {
                let all = statements("updates").into_iter();
                all.map(|one| {
                    let q = one.get_document("q").cloned().unwrap_or_default();
                    let upsert = one.get_bool("upsert").unwrap_or(false);
                    match one.get_bool("multi").unwrap_or(false) && !upsert {
                        true => of_filter(key, &q),
                        false => of_single(key, &q, upsert),
                    }
                })
                .collect()
            }
            "delete" => {
                let all = statements("deletes").into_iter();
                all.map(|one| {
                    let q = one.get_document("q").cloned().unwrap_or_default();
                    match one.get("limit").and_then(Bson::as_i32) == Some(0) {
                        true => of_filter(key, &q),
                        false => of_single(key, &q, false),
                    }
                })
                .collect()
            }
            _ => Vec::new(),
        }
    }
}

/// The number of values that a filter allows in a field: `None` if it leaves them open.
fn count_values(field: &str, filter: &Document) -> Option<usize> {
    let of = |value: &Bson| match value {
        Bson::Document(operators) if operators.keys().any(|key| key.starts_with('$')) => {
            let equal = operators.get("$eq").map(|_| 1);
            equal.or_else(|| operators.get_array("$in").ok().map(Vec::len))
        }
        _ => Some(1),
    };
    filter.get(field).and_then(of).or_else(|| {
        let mut parts = filter.get_array("$and").into_iter().flatten();
        parts.find_map(|part| count_values(field, part.as_document()?))
    })
}

fn of_filter(key: &[String], filter: &Document) -> Reach {
    let values: Vec<Option<usize>> = key
        .iter()
        .map(|field| count_values(field, filter))
        .collect();
    match values.as_slice() {
        all if all.iter().all(|values| *values == Some(1)) => Reach::One,
        all if all.iter().all(Option::is_some) => Reach::Named,
        [Some(1), ..] => Reach::Tenant,
        _ => Reach::All,
    }
}

/// The way of a change of one document. `strict` if the router needs the whole key.
fn of_single(key: &[String], filter: &Document, strict: bool) -> Reach {
    match of_filter(key, filter) {
        Reach::One => Reach::One,
        _ if !strict && count_values("_id", filter) == Some(1) => Reach::ById,
        _ => Reach::Refused,
    }
}
