//! From new copies to their sources: I2 and I3 of the protocol. A document with new copies or checked references carries a mark; they are
//! compared with their sources and corrected, and the mark is cleared.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use bson::oid::ObjectId;
use bson::{Bson, Document, RawDocument, doc};
use futures::future::BoxFuture;

use super::sources_by_key::{ReadMode, SourcesByKey, read_by_keys};
use super::{delete, keys, source};
use crate::bson_util::id_key::IdKey;
use crate::driver::FindArgs;
use crate::error::Result;
use crate::graph::edges::{Edge, Edges};
use crate::graph::flags;
use crate::graph::source::Source;
use crate::schema::relation::OnDelete;
use crate::schema::stored;
use crate::{Database, driver};

/// How many documents are compared with their sources at once.
pub(crate) const DOCUMENTS: usize = 500;

/// How many times to wait for a source that is being deleted.
const ROUNDS: usize = 4;

/// A document whose copies are marked.
#[derive(Debug, Clone)]
pub(crate) struct Unverified {
    pub(crate) id: Bson,
    pub(crate) tokens: Vec<ObjectId>,
    /// The references of the document; only their copies are compared.
    pub(crate) references: Vec<(&'static Edge, Bson)>,
}

impl Unverified {
    /// Every reference in a stored document that has live copies or is checked.
    pub(crate) fn read(collection: &str, raw: &RawDocument) -> Option<Self> {
        let id = Bson::try_from(raw.get("_id").ok().flatten()?).ok()?;
        let dn = raw
            .get(stored::OWN)
            .ok()
            .flatten()
            .and_then(|dn| Bson::try_from(dn).ok());
        let tokens = flags::tokens(dn.as_ref().and_then(Bson::as_document));
        Some(Unverified {
            id,
            tokens,
            references: references(collection, raw),
        })
    }
}

/// The references in a document that have live copies or are checked, each once.
pub(crate) fn references(collection: &str, raw: &RawDocument) -> Vec<(&'static Edge, Bson)> {
    let mut out = Vec::new();
    for edge in Edges::get().all() {
        if edge.target.collection == collection && edge.marks() {
            let mut seen = HashSet::new();
            let keys = edge.place.keys(raw).into_iter();
            let keys = keys.filter(|key| seen.insert(IdKey::new(key)));
            out.extend(keys.map(|key| (edge, key)));
        }
    }
    out
}

/// A reference to a source that is not there.
#[derive(Debug, Clone)]
pub(crate) struct Orphan {
    pub(crate) edge: &'static Edge,
    pub(crate) id: Bson,
    pub(crate) key: Bson,
}

/// The action for a reference whose source does not exist.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Missing {
    /// Report it to the writer, which takes its own write back.
    Report,
    /// The writer has gone, or cannot take its write back: the reference follows its delete rule, or dangles, which is reported.
    Apply,
}

/// The result of a comparison of marked documents.
#[derive(Debug, Default)]
pub(crate) struct Verified {
    /// Documents whose marks are cleared.
    pub(crate) finished: u64,
    /// References whose source does not exist. Their documents stay marked if the writer gets a report.
    pub(crate) orphans: Vec<Orphan>,
    /// References that their delete rule removed.
    pub(crate) applied: Vec<Orphan>,
    /// Documents that the server refused to change, and why.
    pub(crate) failed: Vec<(Bson, String)>,
}

/// The result of a comparison of all marked documents of a collection.
#[derive(Debug, Default)]
pub(crate) struct Resumed {
    /// Documents whose marks are cleared.
    pub(crate) finished: u64,
    /// How many references there are whose source does not exist.
    pub(crate) dangling: u64,
    /// How many references their delete rule removed.
    pub(crate) applied: u64,
    /// Documents that the server refused to change, and why.
    pub(crate) failed: Vec<(Bson, String)>,
}

/// Compares the copies in these documents with their sources (I2), corrects them and clears the marks (I3).
///
/// # Errors
/// The errors that stop all documents alike. Then all marks stay.
pub(crate) fn verify<'f>(
    db: &'f Database,
    collection: &'f str,
    documents: &'f [Unverified],
    missing: Missing,
) -> BoxFuture<'f, Result<Verified>> {
    Box::pin(async move {
        let wanted: Vec<_> = documents
            .iter()
            .flat_map(|document| document.references.iter().cloned())
            .collect();
        let mut known = read_by_keys(db, &wanted, ReadMode::Durably).await?;
        for _ in 0..ROUNDS {
            // Wait for a delete in progress: afterwards the source is deleted, or live again. Wait for the change of a key as well.
            let (waits, held) = (known.entombed(), known.held());
            if waits.is_empty() && held.is_empty() {
                break;
            }
            for (collection, id, token) in held {
                keys::wait(db, &collection, &id, token).await?;
            }
            for (collection, id) in waits {
                let filter = doc! { "_id": { "$eq": id }, stored::TOMBSTONE: { "$exists": true } };
                Box::pin(delete::help(db, collection, filter)).await?;
            }
            known = read_by_keys(db, &wanted, ReadMode::Durably).await?;
        }
        fault!("after_i2");
        let mut out = Verified::default();
        let mut sound = Vec::new();
        let mut waiting = Vec::new();
        let mut followed = Vec::new();
        for document in documents {
            let mut unreadable = document.references.iter().filter_map(|(edge, key)| {
                let source = known.get(edge, key)?;
                source.unreadable(edge.source)
            });
            if let Some(error) = unreadable.next() {
                out.failed.push((document.id.clone(), error.to_string()));
                continue;
            }
            let mut reported = false;
            let mut waits = false;
            let applied = out.applied.len();
            for (edge, key) in &document.references {
                if known.get(edge, key).is_none() {
                    let orphan = || Orphan {
                        edge,
                        id: document.id.clone(),
                        key: key.clone(),
                    };
                    if missing == Missing::Apply && known.is_entombed(edge, key) {
                        // The delete of the source may still be undone: the rule waits for the end of it.
                        waits = true;
                        let reason = format!("{} {key} is being deleted", edge.source.name);
                        out.failed.push((document.id.clone(), reason));
                        continue;
                    }
                    if missing == Missing::Apply && delete::apply(db, edge, document, key).await? {
                        out.applied.push(orphan());
                        continue;
                    }
                    out.orphans.push(orphan());
                    // If references may dangle, a new source updates the copies that were there before it.
                    let told = edge.on_delete == OnDelete::Keep;
                    reported |= missing == Missing::Report && !told;
                    waits |= missing == Missing::Apply && !told;
                }
            }
            if waits {
                waiting.push(document);
            } else if out.applied.len() > applied {
                followed.push((document, applied..out.applied.len()));
            } else if !reported {
                sound.push(document);
            }
        }
        let onward = onward(collection, documents);
        match sound.as_slice() {
            [one] => one_by_one(db, collection, &[one], &known, &mut out).await?,
            many => grouped(db, collection, many, &known, &mut out).await?,
        }
        still_marked(db, collection, &waiting, &known, &mut out).await?;
        for (document, applied) in followed {
            let applied = out.applied[applied].to_vec();
            clear_followed(db, collection, document, &applied, &known, &mut out).await?;
        }
        fault!("after_i3");
        if onward {
            let ids: Vec<&Bson> = documents.iter().map(|document| &document.id).collect();
            let filter = doc! { "_id": { "$in": ids }, stored::PENDING: { "$exists": true } };
            source::resume(db, collection, filter, &mut |_| true).await?;
        }
        Ok(out)
    })
}

/// How many documents one statement finds by their `_id`s.
const IDS: usize = 5_000;

/// I2 and I3 of documents that were written under one token, where nothing hangs on the new references that could differ: reads each target
/// once, however many documents refer to it, and clears the marks by their token. `ids` are the documents if they are known. Gives false,
/// and has changed nothing, if a target is missing, or is being deleted.
///
/// # Errors
/// As [`verify`].
pub(crate) async fn verify_together(
    db: &Database,
    collection: &str,
    token: ObjectId,
    references: &[(&'static Edge, Bson)],
    ids: &[&Bson],
) -> Result<bool> {
    if references.iter().any(|(edge, _)| !edge.live.is_empty()) {
        return Ok(false);
    }
    let known = read_by_keys(db, references, ReadMode::Durably).await?;
    fault!("after_i2");
    let there = |(edge, key): &(&'static Edge, Bson)| {
        let source = known.get(edge, key);
        source.is_some_and(|source| source.unreadable(edge.source).is_none())
    };
    if !references.iter().all(there) || !known.held().is_empty() {
        return Ok(false);
    }
    let clears: Vec<Document> = match ids {
        [] => vec![
            doc! { "q": { stored::UNVERIFIED_TOKEN: token }, "u": flags::unmark(&[token]), "multi": true },
        ],
        ids => ids.chunks(IDS).map(|ids| clear(ids, &[token])).collect(),
    };
    let done = driver::statements(db, collection, &clears, false, None).await?;
    fault!("after_i3");
    Ok(done.failed.is_empty())
}

/// Statements that write what the sources say into new copies that no fan-out has reached yet. They leave the copies without a revision
/// and their document marked: as if it had been stored with these values.
pub(crate) fn provisional(document: &Unverified, known: &SourcesByKey) -> Vec<Document> {
    let by_edge = document.by_edge().into_iter();
    let statements = by_edge.filter_map(|(edge, keys)| {
        if edge.live.is_empty() {
            return None;
        }
        let sources = keys.into_iter();
        let there: Vec<(&Bson, &Source)> = sources
            .filter_map(|key| Some((key, known.get(edge, key)?)))
            .collect();
        let q = marked(&[&document.id], &document.tokens);
        (!there.is_empty()).then(|| source::provisional(edge, &there, q))
    });
    statements.collect()
}

/// The last statement of I3 of one document.
fn cleared(document: &Unverified) -> Document {
    clear(&[&document.id], &document.tokens)
}

/// I3 of documents with references to missing sources, without its last step. The marks stay: if a source is stored later, nothing else
/// records that these copies must follow it.
async fn still_marked(
    db: &Database,
    collection: &str,
    documents: &[&Unverified],
    known: &SourcesByKey,
    out: &mut Verified,
) -> Result<()> {
    for document in documents {
        let updates = corrections(document, known);
        send(db, collection, document, &updates, out).await?;
    }
    Ok(())
}

/// I3 of a document of which some references have followed their rule. Its mark is cleared only while none of them is there: a reference
/// that was stored again meanwhile, or that its rule did not reach, is left to the next pass.
async fn clear_followed(
    db: &Database,
    collection: &str,
    document: &Unverified,
    applied: &[Orphan],
    known: &SourcesByKey,
    out: &mut Verified,
) -> Result<()> {
    let mut updates = corrections(document, known);
    let mut clear = cleared(document);
    let gone = applied.iter().map(|orphan| {
        let key = std::slice::from_ref(&orphan.key);
        Bson::Document(orphan.edge.place.referring(key))
    });
    if let Ok(q) = clear.get_document_mut("q") {
        q.insert("$nor", gone.collect::<Vec<_>>());
    }
    updates.push(clear);
    let all = send(db, collection, document, &updates, out).await?;
    out.finished += u64::from(all);
    Ok(())
}

/// The statements of I3 of one document but the last.
fn corrections(document: &Unverified, known: &SourcesByKey) -> Vec<Document> {
    let by_edge = document.by_edge();
    let corrections = by_edge.iter().filter_map(|(edge, keys)| {
        correction(&[&document.id], &document.tokens, edge, keys, known)
    });
    corrections.collect()
}

/// I3 of each document by itself, in one command: its mark is cleared only when everything before that was done.
async fn one_by_one(
    db: &Database,
    collection: &str,
    documents: &[&Unverified],
    known: &SourcesByKey,
    out: &mut Verified,
) -> Result<()> {
    for document in documents {
        let mut updates = corrections(document, known);
        updates.push(cleared(document));
        let all = send(db, collection, document, &updates, out).await?;
        out.finished += u64::from(all);
    }
    Ok(())
}

/// Sends statements of one document; returns whether the server took all of them.
async fn send(
    db: &Database,
    collection: &str,
    document: &Unverified,
    updates: &[Document],
    out: &mut Verified,
) -> Result<bool> {
    let done = driver::statements(db, collection, updates, true, None).await?;
    let Some((_, code, message)) = done.failed.into_iter().next() else {
        return Ok(true);
    };
    let failed = (document.id.clone(), format!("{message} ({code})"));
    out.failed.push(failed);
    Ok(false)
}

/// I3 of many documents: one statement per source for all that refer to it, and then one per set of marks. Only documents that were read
/// with exactly these marks lose them: another mark may be for copies that have not been compared.
async fn grouped(
    db: &Database,
    collection: &str,
    documents: &[&Unverified],
    known: &SourcesByKey,
    out: &mut Verified,
) -> Result<()> {
    let mut groups: HashMap<(&str, Vec<IdKey>), Group<'_>> = HashMap::new();
    for (n, document) in documents.iter().enumerate() {
        for (edge, keys) in document.by_edge() {
            let name = (
                edge.name.as_str(),
                keys.iter().copied().map(IdKey::new).collect(),
            );
            let group = groups.entry(name).or_insert_with(|| Group {
                edge,
                keys,
                documents: Vec::new(),
            });
            group.documents.push(n);
        }
    }
    let mut members = Vec::new();
    let mut updates = Vec::new();
    for group in groups.into_values() {
        let of_group = group.documents.iter().map(|n| documents[*n]);
        let ids: Vec<&Bson> = of_group.clone().map(|document| &document.id).collect();
        let tokens: BTreeSet<ObjectId> = of_group
            .flat_map(|document| document.tokens.iter().copied())
            .collect();
        let tokens: Vec<ObjectId> = tokens.into_iter().collect();
        if let Some(update) = correction(&ids, &tokens, group.edge, &group.keys, known) {
            members.push(group.documents);
            updates.push(update);
        }
    }
    let done = driver::statements(db, collection, &updates, false, None).await?;
    // An update of many stops at the first document that the server refuses; the others are updated one by one.
    let stopped: HashSet<usize> = done
        .failed
        .iter()
        .flat_map(|(at, ..)| members[*at].iter().copied())
        .collect();
    let mut marks: BTreeMap<&[ObjectId], Vec<&Bson>> = BTreeMap::new();
    for (n, document) in documents.iter().enumerate() {
        if !stopped.contains(&n) {
            marks
                .entry(&document.tokens)
                .or_default()
                .push(&document.id);
        }
    }
    let clears: Vec<Document> = marks
        .iter()
        .map(|(tokens, ids)| clear(ids, tokens))
        .collect();
    driver::statements(db, collection, &clears, false, None).await?;
    out.finished += marks.values().map(|ids| ids.len() as u64).sum::<u64>();
    let stopped: Vec<&Unverified> = stopped.into_iter().map(|n| documents[n]).collect();
    one_by_one(db, collection, &stopped, known, out).await
}

/// True if copies in these documents have copies of their own.
fn onward(collection: &str, documents: &[Unverified]) -> bool {
    let edges = Edges::get();
    edges.tracks_changes(collection)
        && documents
            .iter()
            .flat_map(|document| &document.references)
            .any(|(edge, _)| !edges.onward(edge).is_empty())
}

/// Documents that refer to the same sources along one edge.
struct Group<'d> {
    edge: &'static Edge,
    keys: Vec<&'d Bson>,
    documents: Vec<usize>,
}

/// How many references of a document one statement covers.
const REFERENCES: usize = 50;

impl Unverified {
    /// The references by edge; those in an array together, so that its document is written once for many of them.
    fn by_edge(&self) -> Vec<(&'static Edge, Vec<&Bson>)> {
        let mut out: Vec<(&'static Edge, Vec<&Bson>)> = Vec::new();
        for (edge, key) in &self.references {
            match out.last_mut() {
                Some((last, keys))
                    if std::ptr::eq(*last, *edge)
                        && !edge.place.is_single()
                        && keys.len() < REFERENCES =>
                {
                    keys.push(key);
                }
                _ => out.push((edge, vec![key])),
            }
        }
        out
    }
}

/// The first statement of I3 for some references: makes the copies match the sources, unless they are newer; it names the references,
/// since the document may refer to another source by now (PROTOCOL 15.A2). It writes the value even at an unchanged revision: the copy
/// came without one, and an older fan-out may have passed over it. Copies without a source stay as they are.
fn correction(
    ids: &[&Bson],
    tokens: &[ObjectId],
    edge: &'static Edge,
    keys: &[&Bson],
    known: &SourcesByKey,
) -> Option<Document> {
    // A checked reference has nothing that could differ.
    if edge.live.is_empty() {
        return None;
    }
    let there: Vec<(&Bson, &Source)> = keys
        .iter()
        .filter_map(|key| Some((*key, known.get(edge, key)?)))
        .collect();
    if there.is_empty() {
        return None;
    }
    let mut update = source::correct(edge, &there, marked(ids, tokens));
    update.insert("multi", ids.len() > 1);
    // Thousands of documents may have the same token, or the same reference.
    update.insert("hint", doc! { "_id": 1 });
    Some(update)
}

/// The last statement of I3.
fn clear(ids: &[&Bson], tokens: &[ObjectId]) -> Document {
    doc! {
        "q": marked(ids, tokens),
        "u": flags::unmark(tokens),
        "multi": ids.len() > 1,
        "hint": { "_id": 1 },
    }
}

/// These documents, while they carry one of the marks.
fn marked(ids: &[&Bson], tokens: &[ObjectId]) -> Document {
    doc! { "_id": flags::ids_of(ids), stored::UNVERIFIED_TOKEN: { "$in": tokens.to_vec() } }
}

/// Compares the marked documents that match `filter` with their sources, page by page.
pub(crate) fn resume<'f>(
    db: &'f Database,
    collection: &'f str,
    filter: Document,
    take: &'f mut (dyn FnMut(&Unverified) -> bool + Send),
) -> BoxFuture<'f, Result<Resumed>> {
    Box::pin(async move {
        let mut out = Resumed::default();
        let args = FindArgs {
            projection: Some(fields(collection)),
            batch_size: u32::try_from(DOCUMENTS).ok(),
            ..FindArgs::default()
        };
        let mut rows = driver::open(db, collection, filter, args, None).await?;
        loop {
            let mut documents = Vec::new();
            let mut more = true;
            while documents.len() < DOCUMENTS {
                let row = rows
                    .next(|raw| Ok(Unverified::read(collection, raw)))
                    .await?;
                let Some(row) = row else {
                    more = false;
                    break;
                };
                documents.extend(row.filter(|document| take(document)));
            }
            if !documents.is_empty() {
                fault!("sweep_after_read");
                let verified = verify(db, collection, &documents, Missing::Apply).await?;
                out.finished += verified.finished;
                out.dangling += verified.orphans.len() as u64;
                out.applied += verified.applied.len() as u64;
                out.failed.extend(verified.failed);
                fault!("sweep_after_fix");
            }
            if !more {
                return Ok(out);
            }
        }
    })
}

/// The fields of a document with copies that the comparison reads: its references and its marks.
fn fields(collection: &str) -> Document {
    let mut fields = doc! { "_id": 1, stored::OWN: 1 };
    for edge in Edges::get().incoming(collection) {
        let path = edge.place.path();
        if path != "_id" {
            fields.insert(path, 1);
        }
    }
    fields
}
