//! Reads: sent to one shard where the filter names a shard key, else run over the documents of all shards of the filter.

use bson::{Bson, Document, doc};

use crate::front::{Front, Request};
use crate::shared::{Cursor, Outcome, refuse};
use crate::table::{Table, Target};

/// Options of a find that its parts on the shards have too.
const OF_PARTS: [&str; 6] = ["collation", "hint", "let", "maxTimeMS", "comment", "sort"];

fn number(body: &Document, field: &str) -> i64 {
    match body.get(field) {
        Some(Bson::Int32(n)) => i64::from(*n),
        Some(Bson::Int64(n)) => *n,
        Some(Bson::Double(n)) => *n as i64,
        _ => 0,
    }
}

/// True if a name of an operator is anywhere in a value.
pub(crate) fn names_operator(value: &Bson, operators: &[&str]) -> bool {
    match value {
        Bson::Document(document) => document
            .iter()
            .any(|(key, value)| operators.contains(&&**key) || names_operator(value, operators)),
        Bson::Array(values) => values.iter().any(|value| names_operator(value, operators)),
        _ => false,
    }
}

/// Refuses filters and orders that need an index of the whole collection.
pub(crate) fn check_joinable(parts: &[Option<&Document>]) -> Result<(), Document> {
    const OPERATORS: [&str; 4] = ["$text", "$near", "$nearSphere", "$meta"];
    let mut parts = parts.iter().flatten();
    if parts.any(|part| names_operator(&Bson::Document((*part).clone()), &OPERATORS)) {
        let message = "the router double does not rank the documents of several shards";
        return Err(refuse(115, "CommandNotSupported", message));
    }
    Ok(())
}

/// The shards of a filter of a command.
pub(crate) fn target(table: &Table, filter: &Document, command: &Document) -> Target {
    table.target(filter, table.is_exact(command))
}

impl Front {
    pub(crate) async fn find(&mut self, request: &Request) -> Outcome {
        let Some(table) = self.table(&request.namespace()?) else {
            return self.forward(0, request).await;
        };
        let body = &request.body;
        let filter = body.get_document("filter").cloned().unwrap_or_default();
        let target = target(&table, &filter, body);
        if target.is_point {
            return self.forward(target.shard(), request).await;
        }
        if ["tailable", "min", "max"]
            .iter()
            .any(|option| body.contains_key(option))
        {
            let message = "the router double has no tailable cursors and no bounds of an index";
            return Err(refuse(115, "CommandNotSupported", message));
        }
        let sort = body.get_document("sort").ok();
        check_joinable(&[Some(&filter), sort, body.get_document("projection").ok()])?;
        let collection = request.collection()?.to_owned();
        let mut part = doc! { "find": &collection, "filter": filter };
        for option in OF_PARTS {
            if let Some(value) = body.get(option) {
                part.insert(option, value.clone());
            }
        }
        let limit = number(body, "limit");
        if limit > 0 {
            part.insert("limit", limit + number(body, "skip"));
        }
        let documents = self
            .gather(request, &collection, &target.shards, part)
            .await?;
        let scratch = self.fill(&request.database, &collection, documents).await?;
        let mut rest = body.clone();
        rest.remove("hint");
        self.run_on_scratch(request, rest, vec![scratch]).await
    }

    /// Reads on at the shard that has the cursor.
    pub(crate) async fn get_more(&mut self, request: &Request) -> Outcome {
        let id = request.body.get_i64("getMore").unwrap_or(0);
        let cursor = self.shared.state().cursors.remove(&id);
        match cursor {
            Some(Cursor { shard, scratch }) if scratch.is_empty() => {
                self.forward(shard, request).await
            }
            Some(Cursor { scratch, .. }) => self.more_of_scratch(request, scratch).await,
            None => Err(refuse(
                43,
                "CursorNotFound",
                format!("cursor id {id} not found"),
            )),
        }
    }

    pub(crate) async fn kill_cursors(&mut self, request: &Request) -> Outcome {
        let (mut killed, mut unknown) = (Vec::new(), Vec::new());
        let ids = request
            .body
            .get_array("cursors")
            .cloned()
            .unwrap_or_default();
        for id in ids {
            let cursor = self
                .shared
                .state()
                .cursors
                .remove(&id.as_i64().unwrap_or(0));
            let Some(cursor) = cursor else {
                unknown.push(id);
                continue;
            };
            if cursor.scratch.is_empty() {
                let mut kill = request.body.clone();
                kill.insert("cursors", [id.clone()].to_vec());
                self.send(cursor.shard, &request.database, kill).await?;
            } else {
                self.clear(&cursor.scratch).await;
            }
            killed.push(id);
        }
        let none = Vec::<Bson>::new();
        Ok(doc! {
            "cursorsKilled": killed,
            "cursorsNotFound": unknown,
            "cursorsAlive": none.clone(),
            "cursorsUnknown": none,
            "ok": 1.0,
        })
    }

    /// Counts on each shard of the filter; skips and limits the sum.
    pub(crate) async fn count(&mut self, request: &Request) -> Outcome {
        let Some(table) = self.table(&request.namespace()?) else {
            return self.forward(0, request).await;
        };
        let filter = query(request);
        let target = target(&table, &filter, &request.body);
        let mut command = request.body.clone();
        let skip = number(&command, "skip");
        let limit = number(&command, "limit").abs();
        command.remove("skip");
        command.remove("limit");
        let mut n = 0;
        let outcomes = self.send_all(&target.shards, &request.database, &command);
        for outcome in outcomes.await {
            n += number(&outcome?, "n");
        }
        n = (n - skip).max(0);
        if limit > 0 {
            n = n.min(limit);
        }
        Ok(doc! { "n": i32::try_from(n).unwrap_or(i32::MAX), "ok": 1.0 })
    }

    pub(crate) async fn distinct(&mut self, request: &Request) -> Outcome {
        let Some(table) = self.table(&request.namespace()?) else {
            return self.forward(0, request).await;
        };
        let filter = query(request);
        let target = target(&table, &filter, &request.body);
        if target.is_point {
            return self.forward(target.shard(), request).await;
        }
        check_joinable(&[Some(&filter)])?;
        let collection = request.collection()?.to_owned();
        let mut part = doc! { "find": &collection, "filter": filter };
        if let Some(collation) = request.body.get("collation") {
            part.insert("collation", collation.clone());
        }
        let documents = self
            .gather(request, &collection, &target.shards, part)
            .await?;
        let scratch = self.fill(&request.database, &collection, documents).await?;
        self.run_on_scratch(request, request.body.clone(), vec![scratch])
            .await
    }

    /// Explains a command on the first of its shards.
    pub(crate) async fn explain(&mut self, request: &Request) -> Outcome {
        let empty = Document::new();
        let inner = request.body.get_document("explain").unwrap_or(&empty);
        let name = inner.keys().next().cloned().unwrap_or_default();
        let collection = inner.get_str(&name).unwrap_or_default();
        let Some(table) = self.table(&format!("{}.{collection}", request.database)) else {
            return self.forward(0, request).await;
        };
        let first = |list: &str| inner.get_array(list).ok()?.first()?.as_document();
        let filter = match &*name {
            "find" => inner.get_document("filter").ok(),
            "update" => first("updates").and_then(|one| one.get_document("q").ok()),
            "delete" => first("deletes").and_then(|one| one.get_document("q").ok()),
            "aggregate" => first("pipeline").and_then(|stage| stage.get_document("$match").ok()),
            _ => inner.get_document("query").ok(),
        };
        let shard = target(&table, filter.unwrap_or(&empty), inner).shard();
        self.forward(shard, request).await
    }
}

/// The filter of a `count` or `distinct`.
fn query(request: &Request) -> Document {
    let query = request.body.get_document("query").ok();
    query.cloned().unwrap_or_default()
}
