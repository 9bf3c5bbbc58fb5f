//! Changes of one document by its shard key, and the refusal of changes of a shard key. A mongos of 6.0 lets a retryable update of one
//! document change its shard key; the double refuses each.

use std::collections::BTreeSet;

use bson::{Bson, Document, doc};

use crate::front::{Front, Request};
use crate::shared::{Outcome, refuse};
use crate::table::{Table, is_operators, value_at};
use crate::value::compare;

/// An update, wherever the command has its parts.
pub(crate) struct Change<'a> {
    pub(crate) collection: &'a str,
    pub(crate) filter: Document,
    pub(crate) update: Option<&'a Bson>,
    /// The document that has the collation and the variables.
    pub(crate) options: &'a Document,
    /// The name of the option with the variables of a pipeline.
    pub(crate) variables: &'a str,
}

fn refuse_change(part: &str) -> Document {
    let message = format!(
        "After applying the update, the (immutable) field '{part}' was found to have been altered"
    );
    refuse(66, "ImmutableField", message)
}

fn is_within(path: &str, outer: &str) -> bool {
    path.strip_prefix(outer)
        .is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}

/// The filter of the documents whose part of the key an update changes; none if it leaves the part alone.
fn changed_by(update: &Document, part: &str) -> Option<Document> {
    if !is_operators(update) {
        let value = value_at(update, part).cloned().unwrap_or(Bson::Null);
        return Some(doc! { part: { "$ne": value } });
    }
    for (operator, fields) in update {
        let fields = fields.as_document().into_iter().flatten();
        for (path, value) in fields.filter(|_| operator != "$setOnInsert") {
            if operator == "$set" && path == part {
                return Some(doc! { part: { "$ne": value.clone() } });
            }
            let is_target = operator == "$rename" && value.as_str() == Some(part);
            if is_target || is_within(path, part) || is_within(part, path) {
                return Some(Document::new());
            }
        }
    }
    None
}

impl Front {
    /// Refuses a change of the value of a part of the shard key.
    pub(crate) async fn check_key(
        &mut self,
        request: &Request,
        table: &Table,
        change: Change<'_>,
        shards: &BTreeSet<usize>,
    ) -> Result<(), Document> {
        for part in table.changeable_parts() {
            let mut read = match change.update {
                Some(Bson::Document(update)) => {
                    let Some(changed) = changed_by(update, part) else {
                        continue;
                    };
                    let filter = doc! { "$and": [change.filter.clone(), changed] };
                    doc! { "find": change.collection, "filter": filter, "limit": 1 }
                }
                Some(Bson::Array(_)) => {
                    return self.check_pipeline(request, part, &change, shards).await;
                }
                _ => continue,
            };
            if let Some(collation) = change.options.get("collation") {
                read.insert("collation", collation.clone());
            }
            let changed = self
                .gather(request, change.collection, shards, read)
                .await?;
            if !changed.is_empty() {
                return Err(refuse_change(part));
            }
        }
        Ok(())
    }

    /// Compares a part of the key before and after the stages of an update.
    async fn check_pipeline(
        &mut self,
        request: &Request,
        part: &str,
        change: &Change<'_>,
        shards: &BTreeSet<usize>,
    ) -> Result<(), Document> {
        let mut sides = Vec::new();
        for stages in [None, change.update.and_then(Bson::as_array)] {
            let mut pipeline = vec![Bson::Document(doc! { "$match": change.filter.clone() })];
            pipeline.extend(stages.into_iter().flatten().cloned());
            pipeline.push(Bson::Document(doc! { "$project": { "_id": 1, part: 1 } }));
            let mut read =
                doc! { "aggregate": change.collection, "pipeline": pipeline, "cursor": {} };
            if let Some(collation) = change.options.get("collation") {
                read.insert("collation", collation.clone());
            }
            if let Some(variables) = change.options.get(change.variables) {
                read.insert("let", variables.clone());
            }
            // Not gathered, which passes over documents with another key.
            for shard in shards {
                let mut command = request.in_session(read.clone());
                command.insert("cursor", doc! { "batchSize": i32::MAX });
                let reply = self.send(*shard, &request.database, command).await?;
                sides.push(crate::scratch::batch(&reply));
            }
        }
        let (before, after) = sides.split_at(shards.len());
        let value = |document: &Document| value_at(document, part).cloned().unwrap_or(Bson::Null);
        for (before, after) in before.iter().flatten().zip(after.iter().flatten()) {
            if compare(&value(before), &value(after)).is_ne() {
                return Err(refuse_change(part));
            }
        }
        Ok(())
    }

    /// Changes one document, which the filter names by its whole shard key.
    pub(crate) async fn find_and_modify(&mut self, request: &Request) -> Outcome {
        let namespace = request.namespace()?;
        let Some(table) = self.table(&namespace) else {
            return self.forward(0, request).await;
        };
        let body = &request.body;
        let filter = body.get_document("query").cloned().unwrap_or_default();
        let target = crate::reading::target(&table, &filter, body);
        if !target.is_point {
            let message = "Query for sharded findAndModify must contain the shard key";
            return Err(refuse(61, "ShardKeyNotFound", message));
        }
        if body.get_bool("upsert").unwrap_or(false) {
            self.make(&namespace).await?;
        }
        let change = Change {
            collection: request.collection()?,
            filter,
            update: body.get("update"),
            options: body,
            variables: "let",
        };
        self.check_key(request, &table, change, &target.shards)
            .await?;
        self.forward(target.shard(), request).await
    }
}
