//! The command names, and the way that each is answered.

use bson::{Bson, DateTime, Document, doc};

use crate::front::{Front, Request};
use crate::shared::{Outcome, refuse};

impl Front {
    pub(crate) async fn dispatch(&mut self, request: &Request) -> Outcome {
        match &*request.name {
            "insert" => self.write(request, "documents").await,
            "update" => self.write(request, "updates").await,
            "delete" => self.write(request, "deletes").await,
            "findAndModify" | "findandmodify" => self.find_and_modify(request).await,
            "find" => self.find(request).await,
            "count" => self.count(request).await,
            "distinct" => self.distinct(request).await,
            "aggregate" => self.aggregate(request).await,
            "explain" => self.explain(request).await,
            "getMore" => self.get_more(request).await,
            "killCursors" => self.kill_cursors(request).await,
            "commitTransaction" | "abortTransaction" => self.end_transaction(request).await,
            "createIndexes" if self.has_unsafe_index(request) => Err(refuse(
                67,
                "CannotCreateIndex",
                "cannot create unique index over a key that does not begin with the shard key",
            )),
            "createIndexes" => self.create_indexes(request).await,
            "create" => self.create(request).await,
            "collMod" | "dropIndexes" | "deleteIndexes" => self.change_everywhere(request).await,
            "drop" | "dropDatabase" => self.drop(request).await,
            "renameCollection" => self.rename(request).await,
            "listDatabases" => self.list_databases(request).await,
            "enableSharding" => self.enable_sharding(request).await,
            "shardCollection" => self.shard_collection(request).await,
            "endSessions" | "killSessions" | "refreshSessions" => {
                if request.name != "refreshSessions" {
                    self.forget_sessions(request);
                }
                let shards = self.shared.all();
                let outcomes = self.send_all(&shards, &request.database, &request.body);
                first_success(outcomes.await)
            }
            name if name.starts_with("replSet") => Err(refuse(
                59,
                "CommandNotFound",
                format!("no such cmd: {name}"),
            )),
            // All shards have the same indexes.
            "listIndexes" => self.forward(0, request).await,
            _ if request
                .namespace()
                .is_ok_and(|name| self.table(&name).is_some()) =>
            {
                let message = format!("the router double does not route {}", request.name);
                Err(refuse(115, "CommandNotSupported", message))
            }
            _ => self.forward(0, request).await,
        }
    }

    /// True if a unique index of a sharded collection could be unique on each shard only.
    fn has_unsafe_index(&self, request: &Request) -> bool {
        let table = request.namespace().ok().and_then(|name| self.table(&name));
        let indexes = request.body.get_array("indexes").into_iter().flatten();
        table.is_some_and(|table| {
            indexes.filter_map(Bson::as_document).any(|index| {
                index.get_bool("unique").unwrap_or(false)
                    && index
                        .get_document("key")
                        .is_ok_and(|key| !table.allows_unique(key))
            })
        })
    }
}

/// The first reply that fails, else the first reply.
pub(crate) fn first_failure(outcomes: Vec<Outcome>) -> Outcome {
    let replies = outcomes.into_iter().collect::<Result<Vec<_>, _>>()?;
    Ok(replies.into_iter().next().unwrap_or_default())
}

/// The first reply that does not fail, else the first failure.
pub(crate) fn first_success(mut outcomes: Vec<Outcome>) -> Outcome {
    let n = outcomes.iter().position(Result::is_ok).unwrap_or(0);
    outcomes.swap_remove(n)
}

/// The router's description of itself. Without `topologyVersion`, so that drivers poll.
pub(crate) fn hello() -> Document {
    doc! {
        "isWritablePrimary": true,
        "ismaster": true,
        "helloOk": true,
        "msg": "isdbgrid",
        "maxBsonObjectSize": 16 * 1024 * 1024,
        "maxMessageSizeBytes": 48_000_000,
        "maxWriteBatchSize": 100_000,
        "localTime": DateTime::now(),
        "logicalSessionTimeoutMinutes": 30,
        "connectionId": 1,
        "minWireVersion": 0,
        "maxWireVersion": 17,
        "readOnly": false,
        "ok": 1.0,
    }
}
