//! Pipelines: forwarded where all of their documents are on one shard, else run on scratch collections.

use std::collections::{BTreeMap, BTreeSet};

use bson::{Bson, Document, doc};

use crate::front::{Front, Request};
use crate::reading::{check_joinable, names_operator, target};
use crate::shared::{Outcome, refuse};

/// First stages that read more than documents.
const SPECIAL: [&str; 6] = [
    "$changeStream",
    "$geoNear",
    "$search",
    "$searchMeta",
    "$vectorSearch",
    "$listSearchIndexes",
];

fn unsupported(message: impl Into<String>) -> Document {
    refuse(115, "CommandNotSupported", message)
}

/// Visits the names of the other collections that stages read.
fn visit_sources(stages: &mut [Bson], visit: &mut dyn FnMut(&mut String)) {
    for stage in stages.iter_mut().filter_map(Bson::as_document_mut) {
        for (name, value) in stage.iter_mut() {
            match (&**name, value) {
                ("$unionWith", Bson::String(source)) => visit(source),
                ("$lookup" | "$graphLookup" | "$unionWith", Bson::Document(options)) => {
                    for field in ["from", "coll"] {
                        if let Some(Bson::String(source)) = options.get_mut(field) {
                            visit(source);
                        }
                    }
                    if let Some(Bson::Array(stages)) = options.get_mut("pipeline") {
                        visit_sources(stages, visit);
                    }
                }
                ("$facet", Bson::Document(facets)) => {
                    for (_, facet) in facets.iter_mut() {
                        if let Bson::Array(stages) = facet {
                            visit_sources(stages, visit);
                        }
                    }
                }
                _ => {}
            }
        }
    }
}

/// The collection that a last stage writes to: its database and name.
fn written(stage: &Document, database: &str) -> Option<(String, String)> {
    let into = match stage.get("$out")? {
        Bson::String(name) => return Some((database.to_owned(), name.clone())),
        Bson::Document(into) => into,
        _ => return None,
    };
    let text = |field| into.get_str(field).ok().map(str::to_owned);
    Some((text("db")?, text("coll")?))
}

impl Front {
    pub(crate) async fn aggregate(&mut self, request: &Request) -> Outcome {
        // A pipeline of a database has no collection.
        let Ok(collection) = request.collection().map(str::to_owned) else {
            return self.forward(0, request).await;
        };
        let body = &request.body;
        let mut pipeline = body.get_array("pipeline").cloned().unwrap_or_default();
        let mut sources = BTreeSet::new();
        visit_sources(&mut pipeline, &mut |source| {
            sources.insert(source.clone());
        });
        let table = self.table(&request.namespace()?);
        let is_plain = |source: &String| {
            let namespace = format!("{}.{source}", request.database);
            self.table(&namespace).is_none()
        };
        let is_plain = sources.iter().all(is_plain);
        if table.is_none() && is_plain {
            return self.forward(0, request).await;
        }
        let first = pipeline.first().and_then(Bson::as_document);
        let first = first.and_then(|stage| stage.keys().next()).cloned();
        let first = first.unwrap_or_default();
        if SPECIAL.contains(&&*first) {
            let message = format!("the router double does not run {first} on a sharded collection");
            return Err(unsupported(message));
        }
        let mut matches = Vec::new();
        while let Some(Bson::Document(stage)) = pipeline.get(matches.len())
            && let Ok(filter) = stage.get_document("$match")
        {
            matches.push(Bson::Document(filter.clone()));
        }
        let filter = match &*matches {
            [] => Document::new(),
            [Bson::Document(filter)] => filter.clone(),
            _ => doc! { "$and": matches.clone() },
        };
        let (shards, is_point) = match &table {
            Some(table) => {
                let target = target(table, &filter, body);
                (target.shards, target.is_point)
            }
            None => ([0].into(), false),
        };
        let is_stored = ["$out", "$merge"];
        let writes = names_operator(&Bson::Array(pipeline.clone()), &is_stored);
        let explains = body.get_bool("explain").unwrap_or(false);
        if explains || (is_point && sources.is_empty() && !writes) {
            let shard = shards.first().copied().unwrap_or(0);
            return self.forward(shard, request).await;
        }
        check_joinable(&[Some(&filter)])?;
        let read = if first == "$collStats" || first == "$indexStats" {
            matches = vec![pipeline[0].clone()];
            doc! { "aggregate": &collection, "pipeline": [pipeline[0].clone()], "cursor": {} }
        } else {
            doc! { "find": &collection, "filter": filter }
        };
        let rest = pipeline.split_off(matches.len());
        self.run_joined(request, read, &shards, rest, sources).await
    }

    /// Runs the stages that follow the reads of the shards.
    async fn run_joined(
        &mut self,
        request: &Request,
        mut read: Document,
        shards: &BTreeSet<usize>,
        mut rest: Vec<Bson>,
        sources: BTreeSet<String>,
    ) -> Outcome {
        if let Some(Bson::Document(last)) = rest.last_mut() {
            if last.contains_key("$merge") {
                return Err(unsupported("the router double does not merge"));
            }
            if let Some((database, name)) = written(last, &request.database) {
                if self.table(&format!("{database}.{name}")).is_some() {
                    let message = format!(
                        "namespace '{database}.{name}' is sharded so it can't be used for $out'"
                    );
                    return Err(refuse(28769, "Location28769", message));
                }
                last.insert("$out", doc! { "db": database, "coll": name });
            }
        }
        let collection = request.collection()?.to_owned();
        for option in ["collation", "hint", "let", "maxTimeMS", "comment"] {
            if let Some(value) = request.body.get(option) {
                read.insert(option, value.clone());
            }
        }
        let documents = if read.contains_key("find") {
            self.gather(request, &collection, shards, read).await?
        } else {
            let outcomes = self
                .send_all(shards, &request.database, &request.in_session(read))
                .await;
            let replies = outcomes.into_iter().collect::<Result<Vec<_>, _>>()?;
            replies.iter().flat_map(crate::scratch::batch).collect()
        };
        let mut scratch = vec![self.fill(&request.database, &collection, documents).await?];
        let mut names = BTreeMap::new();
        for source in sources {
            let table = self.table(&format!("{}.{source}", request.database));
            let shards = table.map_or_else(|| [0].into(), |table| table.shards());
            let read = doc! { "find": &source };
            let documents = self.gather(request, &source, &shards, read).await?;
            let name = self.fill(&request.database, &source, documents).await?;
            scratch.push(name.clone());
            names.insert(source, name);
        }
        visit_sources(&mut rest, &mut |source| {
            if let Some(name) = names.get(source) {
                source.clone_from(name);
            }
        });
        let mut command = request.body.clone();
        command.insert("pipeline", rest);
        command.remove("hint");
        self.run_on_scratch(request, command, scratch).await
    }
}
