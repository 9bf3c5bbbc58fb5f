//! Collections and indexes, which a sharded collection has on every shard.

use bson::{Bson, Document, doc};

use crate::dispatch::{first_failure, first_success};
use crate::front::{Front, Request};
use crate::scratch::{SCRATCH, batch};
use crate::shared::{Outcome, refuse};
use crate::table::is_simple;

/// True if a `create` has failed because the collection exists.
pub(crate) fn is_there_already(refusal: &Document) -> bool {
    refusal.get_i32("code").is_ok_and(|code| code == 48)
}

/// The names of the indexes in a list.
fn names(indexes: &[Document]) -> Vec<&str> {
    let names = indexes
        .iter()
        .filter_map(|index| index.get_str("name").ok());
    names.collect()
}

pub(crate) fn split_namespace(namespace: &str) -> (&str, &str) {
    namespace.split_once('.').unwrap_or((namespace, ""))
}

impl Front {
    /// Makes a sharded collection on every shard, once.
    pub(crate) async fn make(&mut self, namespace: &str) -> Result<(), Document> {
        if !self.shared.state().made.insert(namespace.to_owned()) {
            return Ok(());
        }
        let (database, collection) = split_namespace(namespace);
        for shard in self.shared.all() {
            let create = doc! { "create": collection };
            let outcome = self.call(shard, database, create).await;
            if let Err(refusal) = outcome
                && !is_there_already(&refusal)
            {
                self.shared.state().made.remove(namespace);
                return Err(refusal);
            }
        }
        Ok(())
    }

    pub(crate) async fn create(&mut self, request: &Request) -> Outcome {
        let namespace = request.namespace()?;
        if let Ok(source) = request.body.get_str("viewOn") {
            if self
                .table(&format!("{}.{source}", request.database))
                .is_some()
            {
                let message = "the router double has no views of sharded collections";
                return Err(refuse(115, "CommandNotSupported", message));
            }
            return self.forward(0, request).await;
        }
        let is_plain = |option: &&str| request.body.contains_key(option);
        if self.shared.shard_everything && ["capped", "timeseries"].iter().any(is_plain) {
            self.shared.state().plain.insert(namespace.clone());
        }
        let is_sharded = self.table(&namespace).is_some();
        let outcome = self.change_everywhere(request).await?;
        let collation = request.body.get_document("collation");
        let mut state = self.shared.state();
        if collation.is_ok_and(|collation| !is_simple(collation)) {
            state.collated.insert(namespace.clone());
        }
        if is_sharded {
            state.made.insert(namespace);
        }
        drop(state);
        Ok(outcome)
    }

    /// Runs a command on each shard that has a part of the collection; the first failure is the reply.
    pub(crate) async fn change_everywhere(&mut self, request: &Request) -> Outcome {
        if self.table(&request.namespace()?).is_none() {
            return self.forward(0, request).await;
        }
        let shards = self.shared.all();
        let outcomes = self.send_all(&shards, &request.database, &request.body);
        first_failure(outcomes.await)
    }

    pub(crate) async fn indexes(
        &mut self,
        shard: usize,
        database: &str,
        collection: &str,
    ) -> Vec<Document> {
        let list = doc! { "listIndexes": collection, "cursor": { "batchSize": 1000 } };
        // A collection that does not exist has none.
        let reply = self.call(shard, database, list).await.unwrap_or_default();
        batch(&reply)
    }

    /// Builds indexes on every shard; where one shard fails, the others lose those that are new.
    pub(crate) async fn create_indexes(&mut self, request: &Request) -> Outcome {
        let namespace = request.namespace()?;
        if self.table(&namespace).is_none() {
            return self.forward(0, request).await;
        }
        self.make(&namespace).await?;
        let (database, collection) = split_namespace(&namespace);
        let mut first = None;
        let mut before = Vec::new();
        for shard in self.shared.all() {
            before.push(self.indexes(shard, database, collection).await);
            let outcome = self.send(shard, database, request.body.clone()).await;
            let refusal = match outcome {
                Ok(reply) => {
                    first.get_or_insert(reply);
                    continue;
                }
                Err(refusal) => refusal,
            };
            for (shard, before) in before.iter().enumerate().take(shard) {
                let after = self.indexes(shard, database, collection).await;
                let kept = names(before);
                for name in names(&after) {
                    if !kept.contains(&name) {
                        let undo = doc! { "dropIndexes": collection, "index": name };
                        self.call(shard, database, undo).await?;
                    }
                }
            }
            return Err(refusal);
        }
        Ok(first.unwrap_or_default())
    }

    /// Drops a collection or a database on every shard, and forgets how it was sharded.
    pub(crate) async fn drop(&mut self, request: &Request) -> Outcome {
        let shards = self.shared.all();
        let outcomes = self.send_all(&shards, &request.database, &request.body);
        let reply = first_success(outcomes.await)?;
        let name = request.collection().unwrap_or_default();
        let (prefix, is_all) = (format!("{}.{name}", request.database), name.is_empty());
        let is_dropped =
            |namespace: &String| *namespace == prefix || is_all && namespace.starts_with(&prefix);
        let mut uuids = Vec::new();
        {
            let mut state = self.shared.state();
            state.made.retain(|namespace| !is_dropped(namespace));
            state.collated.retain(|namespace| !is_dropped(namespace));
            state.plain.retain(|namespace| !is_dropped(namespace));
            state.tables.retain(|namespace, table| {
                let keeps = !is_dropped(namespace);
                uuids.extend(
                    table
                        .uuid
                        .filter(|_| !keeps)
                        .map(|uuid| (namespace.clone(), uuid)),
                );
                keeps
            });
        }
        for (namespace, uuid) in uuids {
            for (list, filter) in [
                ("chunks", doc! { "uuid": uuid }),
                ("collections", doc! { "_id": namespace }),
            ] {
                let delete = doc! { "delete": list, "deletes": [{ "q": filter, "limit": 0 }] };
                self.call(0, "config", delete).await?;
            }
        }
        Ok(reply)
    }

    pub(crate) async fn rename(&mut self, request: &Request) -> Outcome {
        let body = &request.body;
        for name in [body.get_str(&request.name), body.get_str("to")]
            .into_iter()
            .flatten()
        {
            if self.table(name).is_some() {
                let message = "the router double does not rename sharded collections";
                return Err(refuse(115, "CommandNotSupported", message));
            }
        }
        self.forward(0, request).await
    }

    /// The databases of the first shard, which are those of all, without the router's own.
    pub(crate) async fn list_databases(&mut self, request: &Request) -> Outcome {
        let mut reply = self.forward(0, request).await?;
        if let Ok(databases) = reply.get_array_mut("databases") {
            let name = |entry: &Bson| entry.as_document()?.get_str("name").ok().map(str::to_owned);
            databases.retain(|entry| name(entry).as_deref() != Some(SCRATCH));
        }
        Ok(reply)
    }
}
