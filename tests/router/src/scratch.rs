//! Reads of several shards: their documents are copied to a scratch collection of shard 0, where the rest of the read runs.

use std::collections::BTreeSet;

use bson::{Bson, Document, doc};

use crate::front::{Front, OF_SESSION, Request};
use crate::shared::{Cursor, Outcome, refuse};

/// The database of the scratch collections.
pub(crate) const SCRATCH: &str = "router_scratch";

/// A statement with documents stays below the size of a message.
const MAX_BATCH: usize = 30_000_000;

/// The documents of a reply.
pub(crate) fn batch(reply: &Document) -> Vec<Document> {
    let cursor = reply.get_document("cursor").ok();
    let batches =
        ["firstBatch", "nextBatch"].map(|name| cursor.and_then(|c| c.get_array(name).ok()));
    let documents = batches.into_iter().flatten().flatten();
    documents.filter_map(Bson::as_document).cloned().collect()
}

impl Front {
    /// All documents of a read from each shard, without those that a shard does not own.
    pub(crate) async fn gather(
        &mut self,
        request: &Request,
        collection: &str,
        shards: &BTreeSet<usize>,
        read: Document,
    ) -> Result<Vec<Document>, Document> {
        let table = self.table(&format!("{}.{collection}", request.database));
        let mut documents = Vec::new();
        for shard in shards {
            let read = request.in_session(read.clone());
            let mut reply = self.send(*shard, &request.database, read).await?;
            loop {
                let owned = |document: &Document| {
                    let table = table.as_ref();
                    table.is_none_or(|table| table.shard_of(document) == *shard)
                };
                documents.extend(batch(&reply).into_iter().filter(owned));
                let cursor = reply.get_document("cursor").ok();
                let id = cursor.and_then(|cursor| cursor.get_i64("id").ok());
                let Some(id) = id.filter(|id| *id != 0) else {
                    break;
                };
                let mut more = request.in_session(doc! { "getMore": id, "collection": collection });
                more.remove("readConcern");
                reply = self.send(*shard, &request.database, more).await?;
            }
        }
        Ok(documents)
    }

    /// Copies documents to a new scratch collection, which compares texts as `collection` does.
    pub(crate) async fn fill(
        &mut self,
        database: &str,
        collection: &str,
        documents: Vec<Document>,
    ) -> Result<String, Document> {
        let name = {
            let mut state = self.shared.state();
            state.scratches += 1;
            format!("s{}", state.scratches)
        };
        let list = doc! { "listCollections": 1, "filter": { "name": collection } };
        let listed = batch(&self.call(0, database, list).await?);
        let options = listed
            .first()
            .and_then(|entry| entry.get_document("options").ok());
        let collation = options.and_then(|options| options.get_document("collation").ok());
        if let Some(collation) = collation {
            let create = doc! { "create": &name, "collation": collation.clone() };
            self.call(0, SCRATCH, create).await?;
        }
        for documents in split(documents) {
            let insert = doc! { "insert": &name, "documents": documents };
            let reply = self.call(0, SCRATCH, insert).await?;
            if reply.contains_key("writeErrors") {
                self.clear(std::slice::from_ref(&name)).await;
                let message = "the router double does not join documents with the same _id";
                return Err(refuse(115, "CommandNotSupported", message));
            }
        }
        Ok(name)
    }

    /// Runs a command on scratch collections, and drops them when its cursor is at its end.
    pub(crate) async fn run_on_scratch(
        &mut self,
        request: &Request,
        mut command: Document,
        scratch: Vec<String>,
    ) -> Outcome {
        for field in OF_SESSION {
            command.remove(field);
        }
        command.insert(&request.name, &scratch[0]);
        let outcome = self.call(0, SCRATCH, command).await;
        self.watch(outcome, request.namespace()?, scratch).await
    }

    /// Keeps the scratch collections of a reply whose cursor is open, and drops others.
    async fn watch(
        &mut self,
        outcome: Outcome,
        namespace: String,
        scratch: Vec<String>,
    ) -> Outcome {
        let mut outcome = outcome;
        let cursor = outcome.as_mut().ok();
        let cursor = cursor.and_then(|reply| reply.get_document_mut("cursor").ok());
        let id = cursor.map(|cursor| {
            cursor.insert("ns", namespace);
            cursor.get_i64("id").unwrap_or(0)
        });
        match id.filter(|id| *id != 0) {
            Some(id) => {
                let cursor = Cursor { shard: 0, scratch };
                self.shared.state().cursors.insert(id, cursor);
            }
            None => self.clear(&scratch).await,
        }
        outcome
    }

    /// Reads on in a scratch collection.
    pub(crate) async fn more_of_scratch(
        &mut self,
        request: &Request,
        scratch: Vec<String>,
    ) -> Outcome {
        let id = request.body.get_i64("getMore").unwrap_or(0);
        let mut more = doc! { "getMore": id, "collection": &scratch[0] };
        if let Some(size) = request.body.get("batchSize") {
            more.insert("batchSize", size.clone());
        }
        let outcome = self.call(0, SCRATCH, more).await;
        let collection = request.body.get_str("collection").unwrap_or_default();
        let namespace = format!("{}.{collection}", request.database);
        self.watch(outcome, namespace, scratch).await
    }

    /// Drops scratch collections.
    pub(crate) async fn clear(&mut self, scratch: &[String]) {
        for name in scratch {
            // It does not exist if nothing was put there.
            let _dropped = self.call(0, SCRATCH, doc! { "drop": name }).await;
        }
    }
}

/// Documents in lists that fit in one message each.
pub(crate) fn split(documents: Vec<Document>) -> Vec<Vec<Document>> {
    let mut lists: Vec<Vec<Document>> = Vec::new();
    let mut room = 0;
    for document in documents {
        let size = document.to_vec().map_or(0, |bytes| bytes.len() + 16);
        match lists.last_mut() {
            Some(list) if size <= room => list.push(document),
            _ => {
                room = MAX_BATCH;
                lists.push(vec![document]);
            }
        }
        room = room.saturating_sub(size);
    }
    lists
}
