//! From a changed source to its copies: W2 and W3 of the protocol, for one source and for many.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use bson::oid::ObjectId;
use bson::{Bson, Document, doc};
use futures::StreamExt;
use futures::future::BoxFuture;

use super::known::How;
use super::links::ToRefill;
use super::newest::newest_copies;
use crate::bson_util::id_key::IdKey;
use crate::bson_util::path::overlap;
use crate::codec::outdated::{FIELD, Outdated};
use crate::driver::FindArgs;
use crate::driver::command::Statements;
use crate::error::{Error, Result};
use crate::finisher;
use crate::graph::edges::{Edge, Edges};
use crate::graph::links::Link;
use crate::graph::source::Source;
use crate::graph::{flags, links};
use crate::outcome::{Pending, What};
use crate::schema::migration::SchemaRow;
use crate::schema::stored;
use crate::{Database, driver};

/// How many collections with copies of one source are updated at once.
const AT_ONCE: usize = 8;

/// How many sources are read and brought to their copies at once.
pub(crate) const SOURCES: usize = 500;

/// The fields of a source that propagation reads: all copied fields, the keys that references hold, and the library's fields.
pub(crate) fn fields(edges: &Edges, collection: &str) -> Document {
    let mut fields = doc! { "_id": 1, stored::OWN: 1 };
    for edge in edges
        .all()
        .iter()
        .filter(|edge| edge.source.collection == collection)
    {
        fields.insert(edge.key, 1);
        for copied in edge.copies() {
            fields.insert(&copied.from, 1);
        }
    }
    for link in edges.links_of(collection) {
        links::fields(link, &mut fields);
    }
    if edges.migrating(collection).is_some() {
        fields.insert(FIELD, 1);
    }
    without_nested(fields)
}

/// A projection without the paths inside others of its paths: the server refuses both together (error 31249).
fn without_nested(fields: Document) -> Document {
    let paths: Vec<String> = fields.keys().cloned().collect();
    let inside = |path: &str| {
        let mut above = paths.iter().filter(|other| other.len() < path.len());
        above.any(|other| overlap(other, path))
    };
    let fields = fields.into_iter();
    fields.filter(|(path, _)| !inside(path)).collect()
}

/// Sources as their readers see them: those of an older schema are read as a whole and migrated in memory, so that a copy never holds a
/// value that no reader of the source sees.
pub(crate) async fn migrated(
    db: &Database,
    edges: &Edges,
    collection: &str,
    mut sources: Vec<Source>,
    how: &mut How<'_>,
) -> Result<Vec<Source>> {
    let Some(schema) = edges.migrating(collection) else {
        return Ok(sources);
    };
    let older = |source: &&Source| schema.is_older(&source.fields);
    let ids: Vec<Bson> = sources
        .iter()
        .filter(older)
        .map(|one| one.id.clone())
        .collect();
    if ids.is_empty() {
        return Ok(sources);
    }
    let all = Document::new();
    let found = match how {
        How::Durably => driver::durable_read(db, collection, "_id", &ids, &all).await?,
        How::InSession(session) => {
            driver::read_by(db, collection, "_id", &ids, &all, session.as_deref_mut()).await?
        }
    };
    let mut found: HashMap<IdKey, Source> = found
        .into_iter()
        .map(|stored| current(schema, stored))
        .map(|source| (IdKey::new(&source.id), source))
        .collect();
    sources = sources
        .into_iter()
        .filter_map(|source| match schema.is_older(&source.fields) {
            true => found.remove(&IdKey::new(&source.id)),
            false => Some(source),
        })
        .collect();
    Ok(sources)
}

/// A stored source as a reader of the present version sees it; unchanged, with the reason, if it cannot be migrated.
fn current(schema: SchemaRow, stored: Document) -> Source {
    match schema.current_of(stored.clone()) {
        Ok(current) => Source::read(current),
        Err(error) => {
            let other = || Outdated::Failed {
                from: schema.version,
                reason: error.to_string(),
            };
            Source {
                outdated: Some(error.as_outdated().cloned().unwrap_or_else(other)),
                ..Source::read(stored)
            }
        }
    }
}

/// Adds the update that makes copies match a source: every copied field, not only the changed one, so that a copy of revision r is the
/// source of revision r. A field that the source lacks is removed.
fn copies(edge: &Edge, n: usize, source: &Source, set: &mut Document, unset: &mut Document) {
    for copied in &edge.live {
        let path = edge.place.filtered(n, &copied.to);
        match source.value(copied) {
            Some(value) => set.insert(path, value.clone()),
            None => unset.insert(path, ""),
        };
    }
    set.insert(edge.place.filtered_revision(n), source.r.clone());
}

/// W2 of one source and edge.
pub(crate) fn to_copies(edges: &Edges, edge: &Edge, source: &Source, key: &Bson) -> Document {
    let mut update = correct(edges, edge, &[(key, source)], Document::new());
    update.insert("multi", true);
    update.insert("hint", edge.hint());
    update
}

/// W2 as it is sent to all documents at once. Where the copies are in an array, the array filters guard them, and the server need not
/// look for an older one beforehand: an update that no element meets changes nothing. Two things need the guard in the query: flags that the
/// same update raises, and documents that hold no array there, for which the server refuses the whole update.
fn to_all_copies(edges: &Edges, edge: &Edge, key: &Bson, guarded: &Document) -> Document {
    let mut update = guarded.clone();
    if !edge.place.is_single() && edges.onward(edge).is_empty() {
        update.insert("q", edge.place.referring_to(key));
    }
    update
}

/// The update that makes older copies match their sources, in the documents that `q` selects; several references only where they are in an
/// array. Copies that have copies of their own make their document pending in the same write.
pub(crate) fn correct(
    edges: &Edges,
    edge: &Edge,
    references: &[(&Bson, &Source)],
    mut q: Document,
) -> Document {
    let (mut set, mut unset) = (Document::new(), Document::new());
    let mut filters = Vec::new();
    for (n, (key, source)) in references.iter().enumerate() {
        copies(edge, n, source, &mut set, &mut unset);
        let r = Some(source.revision());
        filters.extend(edge.place.array_filters(n, key, r));
    }
    match references {
        [(key, source)] => q.extend(edge.place.holding(key, Some(source.revision()))),
        several => {
            let keys: Vec<&Bson> = several.iter().map(|(key, _)| *key).collect();
            q.extend(edge.place.holding_any(&keys));
        }
    }
    let mut operators = doc! { "$set": set };
    if !unset.is_empty() {
        operators.insert("$unset", unset);
    }
    let onward = edges.onward(edge);
    if !onward.is_empty() {
        flags::bump(&mut operators, &onward);
    }
    let mut update = doc! { "q": q, "u": operators };
    if !filters.is_empty() {
        update.insert("arrayFilters", filters);
    }
    update
}

/// The update that gives new copies, which have no revision yet, the values of these sources, in the documents that `q` selects.
pub(crate) fn provisional(
    edge: &Edge,
    references: &[(&Bson, &Source)],
    mut q: Document,
) -> Document {
    // Every revision is greater than this one.
    let none = Some(-1);
    let (mut set, mut unset) = (Document::new(), Document::new());
    let mut filters = Vec::new();
    for (n, (key, source)) in references.iter().enumerate() {
        copies(edge, n, source, &mut set, &mut unset);
        set.remove(edge.place.filtered_revision(n));
        filters.extend(edge.place.array_filters(n, key, none));
    }
    match references {
        [(key, _)] => q.extend(edge.place.holding(key, none)),
        several => {
            let keys: Vec<&Bson> = several.iter().map(|(key, _)| *key).collect();
            q.extend(edge.place.holding_any(&keys));
        }
    }
    let mut operators = doc! {};
    for (operator, paths) in [("$set", set), ("$unset", unset)] {
        if !paths.is_empty() {
            operators.insert(operator, paths);
        }
    }
    let mut update = doc! { "q": q, "u": operators };
    if !filters.is_empty() {
        update.insert("arrayFilters", filters);
    }
    update
}

/// The remaining work after a round over some sources.
#[derive(Debug, Default)]
pub(crate) struct Left {
    /// The work that could not be finished.
    pub(crate) pending: Vec<Pending>,
    /// How many sources were brought to their copies.
    pub(crate) finished: u64,
    /// How many documents with copies were changed.
    pub(crate) changed: u64,
    /// The lists of parents that may lack children now.
    pub(crate) refill: ToRefill,
}

impl Left {
    pub(crate) fn add(&mut self, other: Left) {
        self.pending.extend(other.pending);
        self.finished += other.finished;
        self.changed += other.changed;
        crate::propagation::links::later(&mut self.refill, other.refill);
    }
}

/// W2 along one edge.
struct Job<'e> {
    edge: &'e Edge,
    /// Which of the sources it is about.
    places: Vec<usize>,
    /// A statement per source.
    all: Vec<Document>,
    /// The same for documents one by one.
    each: Vec<Document>,
}

/// Copies of one collection that have copies of their own.
#[derive(Default)]
struct Onward<'e> {
    /// Along these edges.
    edges: BTreeSet<&'e str>,
    /// The references whose copies were changed.
    changed: Vec<(&'e Edge, Bson)>,
}

/// Updates the copies of these sources, and refills the lists that lack children because of that.
///
/// # Errors
/// As [`fan_out_sources`].
pub(crate) async fn finish(
    db: &Database,
    edges: &'static Edges,
    collection: &str,
    sources: Vec<Source>,
    also: &[&str],
) -> Result<Left> {
    let behind = finisher::is_behind();
    let mut left = fan_out(db, edges, collection, sources, also, behind).await?;
    crate::propagation::links::refill(db, std::mem::take(&mut left.refill)).await?;
    Ok(left)
}

/// Updates the copies of these sources, and clears the flags: for the edges that a source names as pending, and for `also`, which are not
/// flagged. Copies of copies follow.
///
/// # Errors
/// The errors that stop every edge alike: the connection, or a missing index. Then all flags stay.
pub(crate) fn fan_out_sources<'f>(
    db: &'f Database,
    edges: &'static Edges,
    collection: &'f str,
    sources: Vec<Source>,
    also: &'f [&'f str],
) -> BoxFuture<'f, Result<Left>> {
    fan_out(db, edges, collection, sources, also, false)
}

/// The same; `behind` the answer of the call it clears the flags.
fn fan_out<'f>(
    db: &'f Database,
    edges: &'static Edges,
    collection: &'f str,
    sources: Vec<Source>,
    also: &'f [&'f str],
    behind: bool,
) -> BoxFuture<'f, Result<Left>> {
    Box::pin(async move {
        let mut left = Left::default();
        // A source without a flag needs no update: its transaction was aborted, or another program has finished it.
        let asked = |source: &Source| {
            let mut pending = source.pending.iter();
            !also.is_empty() || pending.any(|name| edges.knows(collection, name))
        };
        let sources = sources.into_iter().filter(asked).collect();
        let sources = fenced(db, edges, collection, sources).await?;
        let sources = migrated(db, edges, collection, sources, &mut How::Durably).await?;
        let mut failed: HashSet<(usize, &str)> = HashSet::new();
        let mut onward: BTreeMap<&str, Onward<'_>> = BTreeMap::new();
        let mut jobs: Vec<Job<'_>> = Vec::new();
        for edge in edges.out_of(collection) {
            let mut job = Job {
                edge,
                places: Vec::new(),
                all: Vec::new(),
                each: Vec::new(),
            };
            for (n, source) in sources.iter().enumerate() {
                let asked =
                    source.pending.contains(&edge.name) || also.contains(&edge.name.as_str());
                if let (true, false, Some(error)) =
                    (asked, source.deleted, source.unreadable(edge.source))
                {
                    failed.insert((n, &edge.name));
                    let (id, reason) = (source.id.clone(), error.to_string());
                    left.pending
                        .push(Pending::refused(&edge.name, collection, id, reason));
                } else if let (true, false, Some(key)) = (asked, source.deleted, source.key(edge)) {
                    let update = to_copies(edges, edge, source, key);
                    job.places.push(n);
                    job.all.push(to_all_copies(edges, edge, key, &update));
                    job.each.push(update);
                    let next = edges.onward(edge);
                    if !next.is_empty() {
                        let onward = onward.entry(edge.target.collection).or_default();
                        onward.edges.extend(next);
                        onward.changed.push((edge, key.clone()));
                    }
                }
            }
            if !job.places.is_empty() {
                traced!(edge(&edge.name));
                jobs.push(job);
            }
        }
        // One after the other in a call that waits for everything, so that a test can stop it between two of them.
        let at_once = if behind { AT_ONCE } else { 1 };
        let mut sends: Vec<BoxFuture<'_, Result<Statements>>> = Vec::new();
        for Job { edge, all, .. } in &jobs {
            sends.push(Box::pin(async move {
                fault!("before_w2");
                driver::statements(db, edge.target.collection, all, false, None).await
            }));
        }
        let mut sends = futures::stream::iter(sends).buffered(at_once);
        for Job {
            edge, places, each, ..
        } in &jobs
        {
            let Some(done) = sends.next().await else {
                break;
            };
            let mut done = done?;
            indexed(edge, &done)?;
            left.changed += done.modified;
            let stopped = std::mem::take(&mut done.failed);
            for (n, code, message) in one_by_one(db, edge, each, stopped).await? {
                let source = &sources[places[n]];
                failed.insert((places[n], &edge.name));
                left.pending.push(Pending {
                    edge: edge.name.clone(),
                    collection: collection.to_owned(),
                    what: What::Source(source.id.clone()),
                    reason: Some(format!("{message} ({code})")),
                });
            }
            fault!("mid_w2");
        }
        drop(sends);
        let mut marks = Vec::new();
        for link in edges
            .links()
            .iter()
            .filter(|link| link.child.collection == collection)
        {
            let asked = |source: &&Source| source.pending.contains(&link.name);
            let places = sources.iter().enumerate();
            let (places, children): (Vec<usize>, Vec<&Source>) =
                places.filter(|(_, source)| asked(source)).unzip();
            if children.is_empty() {
                continue;
            }
            fault!("2w_after_w1");
            let kept = crate::propagation::links::apply(db, link, &children).await?;
            left.changed += kept.changed;
            // A child whose update was refused, or that is being deleted, does not lose its flag below, which proves that it is unchanged.
            let all = kept.refused.is_empty() && children.iter().all(|child| !child.deleted);
            marks.push((link, kept.marks, all));
            if !kept.refill.is_empty() {
                crate::propagation::links::later(&mut left.refill, vec![(link, kept.refill)]);
            }
            for (n, reason) in kept.refused {
                failed.insert((places[n], &link.name));
                let id = children[n].id.clone();
                left.pending
                    .push(Pending::refused(&link.name, collection, id, reason));
            }
        }
        fault!("after_w2");
        let clear = Clear::of(edges, collection, &sources, &failed, marks);
        if behind {
            let later = db.clone();
            let clear = async move { clear.send(&later).await.map(drop) };
            finisher::defer(db, clear).await?;
        } else {
            left.finished += clear.send(db).await?;
        }
        for (target, onward) in onward {
            let names: Vec<&str> = onward.edges.into_iter().collect();
            for (edge, key) in onward.changed {
                let filter =
                    doc! { stored::PENDING: { "$in": &names }, edge.place.path(): { "$eq": key } };
                let further = Box::pin(resume(db, edges, target, filter, &mut |_| true)).await?;
                left.add(further);
            }
        }
        Ok(left)
    })
}

/// W3 of some sources: the removal of their flags, and of the marks that the parents of children got.
struct Clear {
    collection: String,
    statements: Vec<Document>,
    sources: u64,
    /// By the link, with true if every child was applied.
    marks: Vec<(&'static Link, Vec<ObjectId>, bool)>,
}

impl Clear {
    fn of(
        edges: &'static Edges,
        collection: &str,
        sources: &[Source],
        failed: &HashSet<(usize, &str)>,
        marks: Vec<(&'static Link, Vec<ObjectId>, bool)>,
    ) -> Self {
        // Sources of one revision in one statement: each loses its flags only while it has that revision.
        let mut done: BTreeMap<(i64, Vec<&str>), Vec<&Bson>> = BTreeMap::new();
        for (n, source) in sources.iter().enumerate() {
            let links = edges.links_of(collection).map(|link| link.name.as_str());
            let edges = edges.out_of(collection).map(|edge| edge.name.as_str());
            let edges: Vec<&str> = edges
                .chain(links)
                .filter(|name| {
                    source.pending.iter().any(|p| p == name) && !failed.contains(&(n, *name))
                })
                .collect();
            if !edges.is_empty() && !source.deleted {
                done.entry((source.revision(), edges))
                    .or_default()
                    .push(&source.id);
            }
        }
        let beside: &[&str] = if edges.links_of(collection).next().is_some() {
            &["b", "o"]
        } else {
            &["b"]
        };
        let statements = done
            .iter()
            .map(|((r, edges), ids)| flags::unflag(ids, *r, edges, beside));
        Clear {
            collection: collection.to_owned(),
            statements: statements.collect(),
            sources: done.values().map(|ids| ids.len() as u64).sum(),
            marks,
        }
    }

    /// Returns how many sources lost flags.
    async fn send(self, db: &Database) -> Result<u64> {
        let cleared =
            driver::statements(db, &self.collection, &self.statements, false, None).await?;
        fault!("after_w3");
        let confirmed = cleared.failed.is_empty() && cleared.matched == self.sources;
        if !self.marks.is_empty() {
            fault!("2w_after_w3");
        }
        for (link, marks, all) in self.marks {
            crate::propagation::links::clear_marks(db, link, &marks, confirmed && all).await?;
        }
        Ok(cleared.modified)
    }
}

/// Checks that the index that a scan has to use exists.
pub(crate) fn indexed(edge: &Edge, done: &Statements) -> Result<()> {
    let hint =
        |(_, code, message): &(usize, i32, String)| *code == 2 && message.contains("hint provided");
    if !done.failed.iter().any(hint) {
        return Ok(());
    }
    Err(Error::MissingIndex {
        edge: edge.name.clone(),
        collection: edge.target.collection,
        keys: edge.hint().to_string(),
    })
}

/// Checks that the server refused nothing that was sent along an edge.
pub(crate) fn accepted(edge: &Edge, done: &Statements) -> Result<()> {
    match done.failed.first() {
        None => Ok(()),
        Some((_, code, message)) => Err(Error::Refused {
            edge: edge.name.clone(),
            code: *code,
            message: message.clone(),
        }),
    }
}

/// An update of many documents stops at the first that the server refuses (one that would be over 16 MiB, or that a validator or a unique
/// index stops). So that one such document does not leave all others stale, the rest is updated one by one; returns what failed.
async fn one_by_one(
    db: &Database,
    edge: &Edge,
    updates: &[Document],
    stopped: Vec<(usize, i32, String)>,
) -> Result<Vec<(usize, i32, String)>> {
    let mut failed = Vec::new();
    for (n, ..) in stopped {
        let update = &updates[n];
        let filter = update.get_document("q").cloned().unwrap_or_default();
        let args = FindArgs {
            projection: Some(doc! { "_id": 1 }),
            hint: Some(edge.hint()),
            ..FindArgs::default()
        };
        let mut rows = driver::open(db, edge.target.collection, filter.clone(), args, None).await?;
        let mut refused = None;
        let mut more = true;
        while more {
            let mut each = Vec::new();
            while each.len() < SOURCES {
                let id = rows.next(|raw| Ok(Document::try_from(raw).ok())).await?;
                let Some(id) = id else {
                    more = false;
                    break;
                };
                if let Some(id) = id.and_then(|mut row| row.remove("_id")) {
                    let mut one = update.clone();
                    let mut q = doc! { "_id": { "$eq": id } };
                    q.extend(filter.clone());
                    one.insert("q", q);
                    one.insert("multi", false);
                    one.remove("hint");
                    each.push(one);
                }
            }
            let done = driver::statements(db, edge.target.collection, &each, false, None).await?;
            if let Some((_, code, message)) = done.failed.into_iter().next() {
                refused.get_or_insert((n, code, message));
            }
        }
        // Nothing was refused this time: the reason that stopped the update has gone.
        failed.extend(refused);
    }
    Ok(failed)
}

/// A revision of 1 after a change means that the document had none: another program replaced it. So does a revision that equals the number
/// of raises, if several writers changed the document before any of them came here. Copies of the former document may be newer, so it gets
/// a revision above all of them, and every edge becomes pending (PROTOCOL 15.A3). The clock alone cannot give that revision: it may be behind
/// the clock of the program that wrote the copies.
async fn fenced(
    db: &Database,
    edges: &Edges,
    collection: &str,
    sources: Vec<Source>,
) -> Result<Vec<Source>> {
    let wiped = |source: &Source| source.is_wiped() && !source.deleted;
    let ids: Vec<Bson> = sources
        .iter()
        .filter(|source| wiped(source))
        .map(|source| source.id.clone())
        .collect();
    if ids.is_empty() {
        return Ok(sources);
    }
    let all = edges.flagged(collection);
    let mut updates = Vec::new();
    let lost: Vec<&Source> = sources.iter().filter(|source| wiped(source)).collect();
    let newest = newest_copies(db, edges, collection, &lost).await?;
    for source in lost {
        let r = source
            .fields
            .get_document(stored::OWN)
            .ok()
            .and_then(|dn| dn.get("r"));
        let same = r.map_or_else(|| doc! { "$exists": false }, |r| doc! { "$eq": r });
        let newest = newest.get(&IdKey::new(&source.id)).copied().unwrap_or(0);
        let above = flags::far_revision().max(newest.saturating_add(1));
        updates.push(doc! {
            "q": { "_id": { "$eq": &source.id }, stored::REVISION: same },
            "u": { "$set": { stored::REVISION: above }, "$addToSet": { stored::PENDING: { "$each": &all } } },
        });
    }
    driver::statements(db, collection, &updates, false, None).await?;
    let again =
        driver::durable_read(db, collection, "_id", &ids, &fields(edges, collection)).await?;
    let mut kept: Vec<Source> = sources
        .into_iter()
        .filter(|source| !wiped(source))
        .collect();
    // Still so: it was wiped once more in between, and stays flagged.
    kept.extend(
        again
            .into_iter()
            .map(Source::read)
            .filter(|source| !wiped(source)),
    );
    Ok(kept)
}

/// Finishes the flagged sources that match `filter`, page by page. `take` chooses the sources, so that a caller may skip some.
pub(crate) fn resume<'f>(
    db: &'f Database,
    edges: &'static Edges,
    collection: &'f str,
    filter: Document,
    take: &'f mut (dyn FnMut(&Source) -> bool + Send),
) -> BoxFuture<'f, Result<Left>> {
    resume_by(db, edges, collection, filter, take, false)
}

/// Updates the copies of all sources that match `filter`; clears their flags behind the answer, if the present call has one.
pub(crate) fn finish_flagged<'f>(
    db: &'f Database,
    edges: &'static Edges,
    collection: &'f str,
    filter: Document,
    all: &'f mut (dyn FnMut(&Source) -> bool + Send),
) -> BoxFuture<'f, Result<Left>> {
    resume_by(db, edges, collection, filter, all, finisher::is_behind())
}

fn resume_by<'f>(
    db: &'f Database,
    edges: &'static Edges,
    collection: &'f str,
    filter: Document,
    take: &'f mut (dyn FnMut(&Source) -> bool + Send),
    behind: bool,
) -> BoxFuture<'f, Result<Left>> {
    Box::pin(async move {
        let mut left = Left::default();
        let args = FindArgs {
            projection: Some(fields(edges, collection)),
            batch_size: u32::try_from(SOURCES).ok(),
            ..FindArgs::default()
        };
        let mut rows = driver::open(db, collection, filter, args, None).await?;
        loop {
            let mut ids = Vec::new();
            let mut more = true;
            while ids.len() < SOURCES {
                let row = rows.next(|raw| Ok(Document::try_from(raw).ok())).await?;
                let Some(row) = row else {
                    more = false;
                    break;
                };
                let source = row.map(Source::read).filter(|source| take(source));
                ids.extend(source.map(|source| source.id));
            }
            // A server crash may undo what the cursor showed; it cannot undo what a durable read shows.
            let read =
                driver::durable_read(db, collection, "_id", &ids, &fields(edges, collection))
                    .await?;
            let sources = read.into_iter().map(Source::read).collect();
            fault!("sweep_after_read");
            left.add(fan_out(db, edges, collection, sources, &[], behind).await?);
            fault!("sweep_after_fix");
            if !more {
                crate::propagation::links::refill(db, std::mem::take(&mut left.refill)).await?;
                return Ok(left);
            }
        }
    })
}
