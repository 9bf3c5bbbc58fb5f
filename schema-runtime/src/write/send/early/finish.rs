//! The last steps of changed documents, behind the answers of their calls: their copies are compared with a durable read of the sources,
//! and all flags of a document are removed by one statement.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

use bson::oid::ObjectId;
use bson::{Bson, Document, doc};
use futures::future::BoxFuture;

use crate::Database;
use crate::bson_util::id_key::IdKey;
use crate::driver;
use crate::error::Result;
use crate::finisher;
use crate::graph::edges::{Edge, Edges};
use crate::graph::flags;
use crate::graph::source::Source;
use crate::propagation::known::{self, SourcesByKey};
use crate::propagation::parents::{Evidence, Finished, Ticket};
use crate::propagation::target::Unverified;
use crate::propagation::{counter, source, target};

/// A changed document whose parents are up to date, and whose flags are still there.
#[derive(Debug)]
pub(crate) struct Unfinished {
    pub(crate) child: Arc<Source>,
    pub(crate) unverified: Option<Unverified>,
    /// The token under which it was counted.
    pub(crate) counted: Option<ObjectId>,
    /// Parents that were read durably after the document was stored.
    pub(crate) read: Vec<(&'static Edge, Bson, Arc<Document>)>,
    /// Parents whose updates a crash of the server may still undo: their collection and `_id`, and what the updates have left there.
    pub(crate) unconfirmed: Vec<(&'static str, Bson, Arc<Evidence>)>,
    pub(crate) tickets: Vec<Ticket>,
}

/// Finishes changed documents of one collection, as a batch behind their answers.
pub(super) fn run(
    db: Database,
    collection: &'static str,
    documents: Vec<Unfinished>,
) -> BoxFuture<'static, ()> {
    Box::pin(async move {
        let finished = finish(&db, Edges::get(), collection, &documents).await;
        finisher::done(&db, &finished);
        let finished = finished.unwrap_or(Finished::Failed);
        let tickets = documents.into_iter().flat_map(|one| one.tickets);
        tickets.for_each(|ticket| ticket.finish(finished));
    })
}

/// Finishes these documents: by one command if none of them has changed since, else by the steps that finish any flagged document.
///
/// # Errors
/// The driver's. Flags may stay then.
pub(super) async fn finish(
    db: &Database,
    edges: &'static Edges,
    collection: &'static str,
    documents: &[Unfinished],
) -> Result<Finished> {
    let parents = Parents::read(db, edges, documents).await?;
    let known = read_sources(db, edges, documents, &parents).await?;
    fault!("after_i2");
    let confirmed = documents.iter().all(|one| parents.confirm(one));
    let statements = documents
        .iter()
        .map(|one| one.statement(edges, &known, &parents));
    let statements: Option<Vec<Document>> = statements.collect();
    if let Some(statements) = statements.filter(|_| confirmed) {
        let done = driver::statements(db, collection, &statements, false, None).await?;
        fault!("after_fused_clear");
        if done.failed.is_empty() && done.matched == statements.len() as u64 {
            return Ok(Finished::Confirmed);
        }
    }
    resume(db, edges, collection, documents).await?;
    Ok(Finished::Changed)
}

/// Parents that were read durably because their updates had not been waited for.
#[derive(Default)]
struct Parents {
    found: HashMap<(&'static str, IdKey), Document>,
    /// The collections whose older documents are migrated when they are read.
    migrating: HashSet<&'static str>,
}

impl Parents {
    /// Reads the parents of these documents whose updates have to be confirmed.
    async fn read(db: &Database, edges: &'static Edges, documents: &[Unfinished]) -> Result<Self> {
        let mut wanted: BTreeMap<&'static str, BTreeMap<IdKey, Bson>> = BTreeMap::new();
        for (host, id, _) in documents.iter().flat_map(|one| &one.unconfirmed) {
            let ids = wanted.entry(host).or_default();
            ids.insert(IdKey::new(id), id.clone());
        }
        let mut parents = Parents::default();
        for (host, ids) in wanted {
            let ids: Vec<Bson> = ids.into_values().collect();
            let fields = source::fields(edges, host);
            let found = driver::durable_read(db, host, "_id", &ids, &fields).await?;
            parents.found.extend(found.into_iter().filter_map(|parent| {
                let id = IdKey::new(parent.get("_id")?);
                Some(((host, id), parent))
            }));
            parents
                .migrating
                .extend(edges.migrating(host).map(|_| host));
        }
        Ok(parents)
    }

    /// True if all updates of the parents of this document are there: none of them can be undone any more.
    fn confirm(&self, document: &Unfinished) -> bool {
        let mut unconfirmed = document.unconfirmed.iter();
        unconfirmed.all(|(host, id, evidence)| {
            let parent = self.found.get(&(*host, IdKey::new(id)));
            parent.is_some_and(|parent| evidence.is_on(parent))
        })
    }

    /// The source that this reference leads to, if it was read here. The values to copy from a parent of an older schema are known only
    /// after the whole parent is read and migrated.
    fn source(&self, edge: &Edge, key: &Bson) -> Option<&Document> {
        let host = edge.source.collection;
        let known = edge.key == "_id" && !self.migrating.contains(host);
        known
            .then(|| self.found.get(&(host, IdKey::new(key))))
            .flatten()
    }
}

/// I2: the sources that were not read with an update of a parent.
async fn read_sources(
    db: &Database,
    edges: &'static Edges,
    documents: &[Unfinished],
    parents: &Parents,
) -> Result<SourcesByKey> {
    let wanted: Vec<(&'static Edge, Bson)> = documents
        .iter()
        .flat_map(|one| {
            let references = one.unverified.iter().flat_map(|marked| &marked.references);
            references.filter(|(edge, key)| one.parent(edge, key, parents).is_none())
        })
        .cloned()
        .collect();
    if wanted.is_empty() {
        return Ok(SourcesByKey::default());
    }
    known::by_keys(db, edges, &wanted, known::How::Durably).await
}

/// The steps of a finisher, for documents that something else has changed.
async fn resume(
    db: &Database,
    edges: &'static Edges,
    collection: &'static str,
    documents: &[Unfinished],
) -> Result<()> {
    let ids: Vec<&Bson> = documents.iter().map(|one| &one.child.id).collect();
    let flagged = |field: &str| {
        let mut filter = doc! { "_id": flags::ids_of(&ids) };
        filter.insert(field, doc! { "$exists": true });
        filter
    };
    if documents.iter().any(|one| one.unverified.is_some()) {
        target::resume(db, edges, collection, flagged("_dn.u.t"), &mut |_| true).await?;
    }
    if documents.iter().any(|one| one.counted.is_some()) {
        counter::resume(db, edges, collection, flagged("_dn.c.t"), &mut |_| true).await?;
    }
    if documents.iter().any(|one| !one.child.pending.is_empty()) {
        source::resume(db, edges, collection, flagged("_dn.p"), &mut |_| true).await?;
    }
    Ok(())
}

impl Unfinished {
    /// The parent that this reference leads to, if it was read durably.
    fn parent<'p>(&'p self, edge: &Edge, key: &Bson, parents: &'p Parents) -> Option<&'p Document> {
        let same = |(known, id, _): &&(&Edge, Bson, Arc<Document>)| {
            std::ptr::eq(*known, edge) && IdKey::new(id) == IdKey::new(key)
        };
        let read = self.read.iter().find(same).map(|(.., parent)| &**parent);
        read.or_else(|| parents.source(edge, key))
    }

    /// I3, L3 and C3 of the document in one statement, if nothing has changed it since it was stored: makes the copies match the sources
    /// and removes all its flags. `None` where one statement cannot do that.
    fn statement(
        &self,
        edges: &Edges,
        known: &SourcesByKey,
        parents: &Parents,
    ) -> Option<Document> {
        let mut q = doc! { "_id": { "$eq": &self.child.id } };
        let (mut set, mut unset) = (Document::new(), Vec::new());
        let mut stages = Vec::new();
        if let Some(marked) = &self.unverified {
            for (edge, key) in &marked.references {
                let read = self.parent(edge, key, parents).cloned();
                let read = read.map(Source::read);
                let source = read.as_ref().or_else(|| known.get(edge, key))?;
                if source.deleted {
                    return None;
                }
                // Nothing is copied beside a checked reference, and one that was stored since has a mark of its own.
                if edge.live.is_empty() {
                    continue;
                }
                if !edge.place.is_single() || source.outdated.is_some() {
                    return None;
                }
                // No fan-out has reached the copies: they have no revision yet.
                q.extend(edge.place.holding(key, Some(-1)));
                let onward = !edges.onward(edge).is_empty();
                for copied in &edge.live {
                    let path = edge.full(copied);
                    let value = source.value(copied);
                    if onward && crate::bson_util::path::at(&self.child.fields, &path) != value {
                        return None;
                    }
                    match value {
                        Some(value) => drop(set.insert(path, doc! { "$literal": value })),
                        None => unset.push(Bson::from(path)),
                    }
                }
                set.insert(edge.place.revision_path(), source.r.clone());
            }
            q.insert("_dn.u.t", doc! { "$in": marked.tokens.clone() });
            if !set.is_empty() {
                stages.push(doc! { "$set": set });
            }
            if !unset.is_empty() {
                stages.push(doc! { "$unset": unset });
            }
            stages.extend(flags::unmark(&marked.tokens));
        }
        if let Some(token) = self.counted {
            q.insert("_dn.c.t", token);
            stages.extend(flags::uncount(&[token]));
        }
        if !self.child.pending.is_empty() {
            // The names of deletes stay: their own steps remove them.
            let links = self.child.pending.iter().map(String::as_str);
            let links: Vec<&str> = links.filter(|name| !name.starts_with('~')).collect();
            q.insert("_dn.r", self.child.revision());
            stages.extend(flags::unflagged(&links, &["b", "o"]));
        }
        Some(doc! { "q": q, "u": stages })
    }
}
