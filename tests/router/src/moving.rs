//! Sharding of collections and moves of chunks, with the documents that a cluster keeps about them in `config` of the first shard.

use std::collections::BTreeSet;
use std::sync::Arc;

use bson::oid::ObjectId;
use bson::{Bson, DateTime, Document, Timestamp, Uuid, doc};

use crate::catalog::{is_there_already, split_namespace};
use crate::front::{Front, Request};
use crate::scratch::{batch, split};
use crate::shared::{Outcome, refuse};
use crate::table::Table;
use crate::value::compare;

pub(crate) fn shard_name(shard: usize) -> String {
    format!("shard{shard}")
}

/// A point of a key as a document.
fn bound(table: &Table, values: &[Bson]) -> Document {
    table
        .key
        .keys()
        .cloned()
        .zip(values.iter().cloned())
        .collect()
}

fn is_prefix(key: &Document, of: &Document) -> bool {
    let mut fields = of.iter();
    key.iter().all(|(name, direction)| {
        fields
            .next()
            .is_some_and(|(other, value)| name == other && compare(direction, value).is_eq())
    })
}

impl Front {
    /// Replaces a document of `config`.
    async fn store(&mut self, list: &str, document: Document) -> Result<(), Document> {
        let filter = doc! { "_id": document.get("_id").cloned() };
        let update = doc! { "q": filter, "u": document, "upsert": true };
        let update = doc! { "update": list, "updates": [update] };
        self.call(0, "config", update).await.map(drop)
    }

    pub(crate) async fn store_shards(&mut self) -> Result<(), Document> {
        for (n, host) in self.shared.hosts.clone().into_iter().enumerate() {
            let shard = doc! { "_id": shard_name(n), "host": host, "state": 1 };
            self.store("shards", shard).await?;
        }
        Ok(())
    }

    async fn store_database(&mut self, name: &str) -> Result<(), Document> {
        let database = doc! { "_id": name, "primary": shard_name(0), "partitioned": true };
        self.store("databases", database).await
    }

    pub(crate) async fn store_chunks(&mut self, table: &Table) -> Result<(), Document> {
        let Some(uuid) = table.uuid else {
            return Ok(());
        };
        let deletes = doc! { "q": { "uuid": uuid }, "limit": 0 };
        let delete = doc! { "delete": "chunks", "deletes": [deletes] };
        self.call(0, "config", delete).await?;
        let end = vec![Bson::MaxKey; table.key.len()];
        for (n, chunk) in table.chunks.iter().enumerate() {
            let max = table.chunks.get(n + 1).map_or(&end, |next| &next.min);
            let document = doc! {
                "_id": ObjectId::new(),
                "uuid": uuid,
                "min": bound(table, &chunk.min),
                "max": bound(table, max),
                "shard": shard_name(chunk.shard),
            };
            self.store("chunks", document).await?;
        }
        Ok(())
    }

    pub(crate) async fn enable_sharding(&mut self, request: &Request) -> Outcome {
        let name = request.collection()?.to_owned();
        self.store_database(&name).await?;
        Ok(doc! { "ok": 1.0 })
    }

    /// Shards a collection: an empty one gets the index of its key, and its chunks on all shards; the chunks of another move there.
    pub(crate) async fn shard_collection(&mut self, request: &Request) -> Outcome {
        let namespace = request.collection()?.to_owned();
        let key = request.body.get_document("key").cloned();
        let key = key.map_err(|_| refuse(40414, "Location40414", "'key' is missing"))?;
        if key.is_empty() || request.body.get_bool("unique").unwrap_or(false) {
            let message = "the router double shards by a key, and not by a unique one";
            return Err(refuse(115, "CommandNotSupported", message));
        }
        let table = self.shared.state().tables.get(&namespace).cloned();
        let uuid = table.as_ref().and_then(|table| table.uuid);
        if let (Some(_), Some(table)) = (uuid, &table) {
            if is_prefix(&key, &table.key) && key.len() == table.key.len() {
                return Ok(doc! { "collectionsharded": &namespace, "ok": 1.0 });
            }
            let message = format!("sharding already enabled for collection {namespace}");
            return Err(refuse(23, "AlreadyInitialized", message));
        }
        // Chunks move, so nothing else runs.
        self.pass = None;
        let _alone = self.be_alone().await;
        let (database, collection) = split_namespace(&namespace);
        let mut counts = Vec::new();
        for shard in self.shared.all() {
            let count = doc! { "count": collection, "query": {} };
            counts.push(
                self.call(shard, database, count)
                    .await?
                    .get_i32("n")
                    .unwrap_or(0),
            );
        }
        if counts.iter().skip(1).any(|n| *n > 0) {
            let message = "the router double does not shard again what it has sharded by itself";
            return Err(refuse(115, "CommandNotSupported", message));
        }
        let is_empty = counts[0] == 0;
        let indexes = self.indexes(0, database, collection).await;
        let has_index = indexes.iter().any(|index| {
            let of = index.get_document("key");
            of.is_ok_and(|of| is_prefix(&key, of))
        });
        if !is_empty && !has_index {
            let message = "Please create an index that starts with the proposed shard key before sharding the collection";
            return Err(refuse(72, "InvalidOptions", message));
        }
        self.spread(&namespace, indexes, Some(&key).filter(|_| !has_index))
            .await?;
        let mut table = Table::new(key, self.shared.hosts.len());
        table.uuid = Some(Uuid::new());
        let homes: Vec<usize> = table.chunks.iter().map(|chunk| chunk.shard).collect();
        if !is_empty {
            table.chunks.iter_mut().for_each(|chunk| chunk.shard = 0);
        }
        self.shared
            .state()
            .tables
            .insert(namespace.clone(), table.clone());
        for (chunk, home) in homes.into_iter().enumerate() {
            self.relocate(&namespace, chunk, home).await?;
        }
        self.store_database(database).await?;
        self.store("collections", describe(&namespace, &table))
            .await?;
        let table = self.table(&namespace).unwrap_or(table);
        self.store_chunks(&table).await?;
        Ok(doc! { "collectionsharded": namespace, "ok": 1.0 })
    }

    /// Gives every shard the collection and the indexes of the first, and the index of the shard key.
    async fn spread(
        &mut self,
        namespace: &str,
        indexes: Vec<Document>,
        key: Option<&Document>,
    ) -> Result<(), Document> {
        let (database, collection) = split_namespace(namespace);
        let list = doc! { "listCollections": 1, "filter": { "name": collection } };
        let listed = batch(&self.call(0, database, list).await?);
        let options = listed
            .first()
            .and_then(|entry| entry.get_document("options").ok());
        for shard in self.shared.all() {
            let mut create = doc! { "create": collection };
            create.extend(options.cloned().unwrap_or_default());
            if let Err(refusal) = self.call(shard, database, create).await
                && !is_there_already(&refusal)
            {
                return Err(refusal);
            }
            let mut build = indexes.clone();
            let is_id = |key: &&Document| key.len() == 1 && compare(&key["_id"], &1.into()).is_eq();
            if let Some(key) = key.filter(|key| !key.contains_key("_id") || !is_id(key)) {
                let words = key.iter().map(|(name, value)| match value.as_str() {
                    Some(kind) => format!("{name}_{kind}"),
                    None => format!("{name}_1"),
                });
                let name = words.collect::<Vec<_>>().join("_");
                build.push(doc! { "key": key.clone(), "name": name });
            }
            if !build.is_empty() {
                let build = doc! { "createIndexes": collection, "indexes": build };
                self.call(shard, database, build).await?;
            }
        }
        self.shared.state().made.insert(namespace.to_owned());
        Ok(())
    }

    /// Waits until no command runs and no transaction is open, and keeps others out.
    async fn be_alone(&self) -> tokio::sync::OwnedRwLockWriteGuard<()> {
        loop {
            let ended = self.shared.ended.notified();
            let guard = Arc::clone(&self.shared.gate).write_owned().await;
            let is_open = {
                let state = self.shared.state();
                let mut transactions = state.transactions.values();
                transactions.any(|one| one.is_open && !one.participants.is_empty())
            };
            if !is_open {
                return guard;
            }
            drop(guard);
            ended.await;
        }
    }

    /// Moves a chunk while nothing else runs.
    pub(crate) async fn move_chunk(
        &mut self,
        namespace: &str,
        chunk: usize,
        to: usize,
    ) -> Result<(), Document> {
        let _alone = self.be_alone().await;
        self.relocate(namespace, chunk, to).await
    }

    /// Runs the move that waits for a write of many documents, between two of its shards. A cluster gives a transaction one view of its
    /// chunks, so none moves there.
    pub(crate) async fn run_plan(&mut self, request: &Request) -> Result<(), Document> {
        if request.is_in_transaction() {
            return Ok(());
        }
        let namespace = request.namespace()?;
        let plan = {
            let mut state = self.shared.state();
            let mut plans = state.plans.iter();
            let is_due =
                plans.position(|plan| plan.namespace == namespace && plan.command == request.name);
            is_due.map(|n| state.plans.remove(n))
        };
        if let Some(plan) = plan {
            self.pass = None;
            let moved = self.move_chunk(&namespace, plan.chunk, plan.to).await;
            self.enter().await;
            moved?;
        }
        Ok(())
    }

    async fn relocate(&mut self, namespace: &str, chunk: usize, to: usize) -> Result<(), Document> {
        let unknown = || refuse(26, "NamespaceNotFound", "no such chunk, or no such shard");
        let mut table = self.table(namespace).ok_or_else(unknown)?;
        let from = table.chunks.get(chunk).ok_or_else(unknown)?.shard;
        if to >= self.shared.hosts.len() {
            return Err(unknown());
        }
        if from == to {
            return Ok(());
        }
        self.make(namespace).await?;
        let (database, collection) = split_namespace(namespace);
        let read = doc! { "find": collection };
        let request = Request {
            name: "find".to_owned(),
            database: database.to_owned(),
            body: read.clone(),
        };
        let documents = self
            .gather(&request, collection, &BTreeSet::from([from]), read)
            .await?;
        let documents = documents
            .into_iter()
            .filter(|one| table.chunk_of(one) == chunk);
        for documents in split(documents.collect()) {
            let ids = documents.iter().filter_map(|one| one.get("_id").cloned());
            let ids: Vec<Bson> = ids.collect();
            let insert = doc! {
                "insert": collection,
                "documents": documents,
                "bypassDocumentValidation": true,
            };
            check_written(self.call(to, database, insert).await?)?;
            let delete = doc! { "q": { "_id": { "$in": ids } }, "limit": 0 };
            let delete = doc! { "delete": collection, "deletes": [delete] };
            check_written(self.call(from, database, delete).await?)?;
        }
        table.chunks[chunk].shard = to;
        self.shared
            .state()
            .tables
            .insert(namespace.to_owned(), table.clone());
        self.store_chunks(&table).await
    }
}

fn check_written(mut reply: Document) -> Result<(), Document> {
    let error = reply.get_array_mut("writeErrors").ok().and_then(Vec::pop);
    match error {
        Some(Bson::Document(error)) => {
            let message = error.get_str("errmsg").unwrap_or_default();
            Err(refuse(
                error.get_i32("code").unwrap_or(8),
                "MoveFailed",
                message,
            ))
        }
        _ => Ok(()),
    }
}

/// The document of a collection in `config.collections`.
fn describe(namespace: &str, table: &Table) -> Document {
    doc! {
        "_id": namespace,
        "lastmodEpoch": ObjectId::new(),
        "lastmod": DateTime::now(),
        "timestamp": Timestamp { time: 1, increment: 1 },
        "uuid": table.uuid,
        "key": table.key.clone(),
        "unique": false,
        "noBalance": false,
    }
}
