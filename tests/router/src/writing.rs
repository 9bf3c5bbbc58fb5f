//! Inserts, updates and deletes, each part of them sent to its shards.

use std::collections::BTreeSet;

use bson::{Bson, Document, doc};

use crate::front::{Front, Request};
use crate::keys::Change;
use crate::shared::{Outcome, refuse};
use crate::table::{Table, equal_values};

/// The merged reply of a write.
#[derive(Default)]
struct Sum {
    n: i32,
    modified: i32,
    upserted: Vec<Bson>,
    errors: Vec<Bson>,
    concern: Option<Bson>,
}

impl Sum {
    /// Adds a shard's reply; `indexes` are the client's numbers of the statements that it got.
    fn add(&mut self, reply: &Document, indexes: &[usize]) {
        self.n += reply.get_i32("n").unwrap_or(0);
        self.modified += reply.get_i32("nModified").unwrap_or(0);
        for (field, list) in [
            ("upserted", &mut self.upserted),
            ("writeErrors", &mut self.errors),
        ] {
            for entry in reply.get_array(field).into_iter().flatten() {
                let Bson::Document(mut entry) = entry.clone() else {
                    continue;
                };
                let index = usize::try_from(entry.get_i32("index").unwrap_or(0)).unwrap_or(0);
                entry.insert("index", number(indexes[index]));
                list.push(Bson::Document(entry));
            }
        }
        if let Some(concern) = reply.get("writeConcernError") {
            self.concern = Some(concern.clone());
        }
    }

    fn refuse(&mut self, index: usize, refusal: &Document) {
        self.errors.push(Bson::Document(doc! {
            "index": number(index),
            "code": refusal.get("code").cloned(),
            "errmsg": refusal.get("errmsg").cloned(),
        }));
    }

    fn reply(self, is_update: bool) -> Document {
        let mut reply = doc! { "n": self.n };
        if is_update {
            reply.insert("nModified", self.modified);
        }
        if !self.upserted.is_empty() {
            reply.insert("upserted", self.upserted);
        }
        if !self.errors.is_empty() {
            reply.insert("writeErrors", self.errors);
        }
        if let Some(concern) = self.concern {
            reply.insert("writeConcernError", concern);
        }
        reply.insert("ok", 1.0);
        reply
    }
}

fn number(index: usize) -> i32 {
    i32::try_from(index).unwrap_or(i32::MAX)
}

impl Front {
    /// Splits a write by shards: neighbours with the same shards are sent together, in the client's order.
    pub(crate) async fn write(&mut self, request: &Request, list: &str) -> Outcome {
        let Some(table) = self.table(&request.namespace()?) else {
            return self.forward(0, request).await;
        };
        if list == "documents" {
            self.make(&request.namespace()?).await?;
        }
        let statements = request.body.get_array(list).cloned().unwrap_or_default();
        let ordered = request.body.get_bool("ordered").unwrap_or(true);
        let mut sum = Sum::default();
        let mut n = 0;
        while n < statements.len() && (sum.errors.is_empty() || !ordered) {
            let target = |n: usize| match statements[n].as_document() {
                Some(statement) => target(&table, list, statement),
                None => Err(refuse(14, "TypeMismatch", "a statement is no document")),
            };
            let targeted = match (target(n), statements[n].as_document()) {
                (Ok(shards), Some(statement)) if list == "updates" => {
                    self.prepare(request, &table, statement, shards).await
                }
                (targeted, _) => targeted,
            };
            let shards = match targeted {
                Ok(shards) => shards,
                Err(refusal) => {
                    sum.refuse(n, &refusal);
                    n += 1;
                    continue;
                }
            };
            let mut end = n + 1;
            let is_alone = list == "updates" && !table.changeable_parts().is_empty();
            while shards.len() == 1
                && !is_alone
                && end < statements.len()
                && !creates(&statements[end])
                && target(end).as_ref() == Ok(&shards)
            {
                end += 1;
            }
            let indexes: Vec<usize> = (n..end).collect();
            let mut command = request.body.clone();
            command.insert(list, statements[n..end].to_vec());
            if command.contains_key("txnNumber") && !request.is_in_transaction() {
                let ids = indexes.iter().map(|index| Bson::Int32(number(*index)));
                command.insert("stmtIds", ids.collect::<Vec<_>>());
            }
            let last = shards.last().copied();
            for (position, shard) in shards.into_iter().enumerate() {
                let database = &request.database;
                let reply = self.send(shard, database, command.clone()).await?;
                sum.add(&reply, &indexes);
                if ordered && !sum.errors.is_empty() {
                    break;
                }
                let has_next = Some(shard) != last;
                if position == 0 && has_next {
                    self.run_plan(request).await?;
                }
            }
            n = end;
        }
        Ok(sum.reply(list == "updates"))
    }
}

impl Front {
    /// Makes the collection where an update may insert, and refuses an update that changes a shard key.
    async fn prepare(
        &mut self,
        request: &Request,
        table: &Table,
        statement: &Document,
        shards: BTreeSet<usize>,
    ) -> Result<BTreeSet<usize>, Document> {
        if creates(&Bson::Document(statement.clone())) {
            self.make(&request.namespace()?).await?;
        }
        let change = Change {
            collection: request.collection()?,
            filter: statement.get_document("q").cloned().unwrap_or_default(),
            update: statement.get("u"),
            options: statement,
            variables: "c",
        };
        self.check_key(request, table, change, &shards).await?;
        Ok(shards)
    }
}

/// True if a statement inserts a document where it finds none.
fn creates(statement: &Bson) -> bool {
    let statement = statement.as_document();
    statement.is_some_and(|statement| statement.get_bool("upsert").unwrap_or(false))
}

/// The shards of one statement, or mongos' refusal.
fn target(table: &Table, list: &str, statement: &Document) -> Result<BTreeSet<usize>, Document> {
    if list == "documents" {
        return Ok([table.shard_of(statement)].into());
    }
    let empty = Document::new();
    let filter = statement.get_document("q").unwrap_or(&empty);
    let by_filter = table.target(filter, table.is_exact(statement));
    let refused = |message: &str| Err(refuse(61, "ShardKeyNotFound", message));
    let has_id = equal_values(filter, "_id").is_some_and(|values| values.len() == 1);
    if list == "deletes" {
        let is_single = statement.get_i32("limit").unwrap_or(0) == 1;
        if is_single && !by_filter.is_point && !has_id {
            return refused(
                "A single delete on a sharded collection must contain an exact match on _id (and have the collection default \
                 collation) or contain the shard key (and have the simple collation).",
            );
        }
        return Ok(by_filter.shards);
    }
    if statement.get_bool("upsert").unwrap_or(false) && !by_filter.is_point {
        return refused("Failed to target upsert by query :: could not extract exact shard key");
    }
    if by_filter.shards.len() == 1 {
        return Ok(by_filter.shards);
    }
    let update = statement.get_document("u").ok();
    let is_replacement =
        |update: &&Document| !update.keys().next().is_some_and(|key| key.starts_with('$'));
    if let Some(replacement) = update.filter(is_replacement) {
        if table.key.keys().all(|part| replacement.contains_key(part)) {
            return Ok([table.shard_of(replacement)].into());
        }
        return refused(
            "Failed to target update by replacement document :: could not extract exact shard key",
        );
    }
    if !statement.get_bool("multi").unwrap_or(false) && !has_id {
        let message = format!(
            "A {{multi:false}} update on a sharded collection must contain an exact match on _id (and have the collection default \
             collation) or target a single shard (and have the simple collation), but this update targeted {} shards.",
            by_filter.shards.len()
        );
        return Err(refuse(72, "InvalidOptions", message));
    }
    Ok(by_filter.shards)
}
