//! I3: the statements that make new copies match their sources, and the statements that clear the marks after them. A mark is cleared only
//! after everything before it was done, so that this module alone decides the order of the statements.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::ops::Range;

use bson::oid::ObjectId;
use bson::{Bson, Document, doc};

use super::Unverified;
use super::verify::Verification;
use crate::bson_util::id_key::IdKey;
use crate::driver;
use crate::error::Result;
use crate::graph::edges::Edge;
use crate::graph::flags;
use crate::graph::source::Source;
use crate::propagation::source;
use crate::propagation::sources_by_key::SourcesByKey;
use crate::schema::stored;

impl Verification<'_> {
    /// Corrects a document with references to missing sources. Its mark stays: if a source is stored later, nothing else records that these
    /// copies must be updated from it.
    pub(super) async fn correct_marked(&mut self, document: &Unverified) -> Result<()> {
        let updates = corrections(document, &self.sources);
        self.send(document, &updates).await?;
        Ok(())
    }

    /// Corrects a document after some of its references have followed their rule. Its mark is cleared only if none of these is in the
    /// document: the next pass handles a reference that was stored again meanwhile, or that its rule did not reach.
    pub(super) async fn clear_followed(
        &mut self,
        document: &Unverified,
        applied: Range<usize>,
    ) -> Result<()> {
        let mut updates = corrections(document, &self.sources);
        let mut clear = clear_statement(&[&document.id], &document.tokens);
        let gone = self.out.applied[applied].iter().map(|orphan| {
            let key = std::slice::from_ref(&orphan.key);
            Bson::Document(orphan.edge.place.referring(key))
        });
        if let Ok(q) = clear.get_document_mut("q") {
            q.insert("$nor", gone.collect::<Vec<_>>());
        }
        updates.push(clear);
        let all = self.send(document, &updates).await?;
        self.out.finished += u64::from(all);
        Ok(())
    }

    /// Corrects each document by itself, in one command that clears its mark last.
    pub(super) async fn clear_each(&mut self, documents: &[&Unverified]) -> Result<()> {
        for document in documents {
            let mut updates = corrections(document, &self.sources);
            updates.push(clear_statement(&[&document.id], &document.tokens));
            let all = self.send(document, &updates).await?;
            self.out.finished += u64::from(all);
        }
        Ok(())
    }

    /// Sends statements of one document; returns whether the server took all of them.
    async fn send(&mut self, document: &Unverified, updates: &[Document]) -> Result<bool> {
        let done = driver::statements(self.db, self.collection, updates, true, None).await?;
        let Some((_, code, message)) = done.failed.into_iter().next() else {
            return Ok(true);
        };
        let failed = (document.id.clone(), format!("{message} ({code})"));
        self.out.failed.push(failed);
        Ok(false)
    }

    /// Corrects many documents: one statement per source for all documents that refer to it, and then one per set of marks. Only documents
    /// that were read with exactly these marks lose them: another mark may be for copies that have not been compared.
    pub(super) async fn clear_grouped(&mut self, documents: &[&Unverified]) -> Result<()> {
        let (members, updates): (Vec<Vec<usize>>, Vec<Document>) = group(documents)
            .into_iter()
            .filter_map(|group| {
                let update = group.correction(documents, &self.sources)?;
                Some((group.documents, update))
            })
            .unzip();
        let done = driver::statements(self.db, self.collection, &updates, false, None).await?;
        // An update of many stops at the first document that the server refuses; the others are updated one by one.
        let stopped: HashSet<usize> = done
            .failed
            .iter()
            .flat_map(|(at, ..)| members[*at].iter().copied())
            .collect();
        let mut marks: BTreeMap<&[ObjectId], Vec<&Bson>> = BTreeMap::new();
        for (n, document) in documents.iter().enumerate() {
            if !stopped.contains(&n) {
                let ids = marks.entry(&document.tokens).or_default();
                ids.push(&document.id);
            }
        }
        let clears: Vec<Document> = marks
            .iter()
            .map(|(tokens, ids)| clear_statement(ids, tokens))
            .collect();
        driver::statements(self.db, self.collection, &clears, false, None).await?;
        self.out.finished += marks.values().map(|ids| ids.len() as u64).sum::<u64>();
        let stopped: Vec<&Unverified> = stopped.into_iter().map(|n| documents[n]).collect();
        self.clear_each(&stopped).await
    }
}

/// The documents that refer to the same sources along one edge.
struct Group<'d> {
    edge: &'static Edge,
    keys: Vec<&'d Bson>,
    /// The indexes of the documents among those that are corrected together.
    documents: Vec<usize>,
}

/// Groups documents by the sources that they refer to.
fn group<'d>(documents: &[&'d Unverified]) -> Vec<Group<'d>> {
    let mut groups: HashMap<(&str, Vec<IdKey>), Group<'d>> = HashMap::new();
    for (n, document) in documents.iter().enumerate() {
        for (edge, keys) in document.by_edge() {
            let ids = keys.iter().copied().map(IdKey::new).collect();
            let group = groups.entry((edge.name.as_str(), ids));
            let group = group.or_insert_with(|| Group {
                edge,
                keys,
                documents: Vec::new(),
            });
            group.documents.push(n);
        }
    }
    groups.into_values().collect()
}

impl Group<'_> {
    fn correction(&self, documents: &[&Unverified], sources: &SourcesByKey) -> Option<Document> {
        let members = self.documents.iter().map(|n| documents[*n]);
        let ids: Vec<&Bson> = members.clone().map(|document| &document.id).collect();
        let tokens = members.flat_map(|document| document.tokens.iter().copied());
        let tokens: BTreeSet<ObjectId> = tokens.collect();
        let tokens: Vec<ObjectId> = tokens.into_iter().collect();
        correction(&ids, &tokens, self.edge, &self.keys, sources)
    }
}

/// The largest number of references of a document that one statement covers.
const REFERENCES: usize = 50;

impl Unverified {
    /// The references by edge. Those in an array are together, so that the document is written once for many of them.
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

/// Statements that write the values of the sources into new copies that no fan-out has reached yet. They leave the copies without a
/// revision and their document marked, as if the document had been stored with these values.
pub(crate) fn provisional(document: &Unverified, sources: &SourcesByKey) -> Vec<Document> {
    let by_edge = document.by_edge().into_iter();
    let statements = by_edge.filter_map(|(edge, keys)| {
        if edge.live.is_empty() {
            return None;
        }
        let keys = keys.into_iter();
        let there: Vec<(&Bson, &Source)> = keys
            .filter_map(|key| Some((key, sources.get(edge, key)?)))
            .collect();
        let q = match_marked(&[&document.id], &document.tokens);
        (!there.is_empty()).then(|| source::provisional(edge, &there, q))
    });
    statements.collect()
}

/// The statements of I3 for one document, except the last.
fn corrections(document: &Unverified, sources: &SourcesByKey) -> Vec<Document> {
    let by_edge = document.by_edge();
    let corrections = by_edge.iter().filter_map(|(edge, keys)| {
        correction(&[&document.id], &document.tokens, edge, keys, sources)
    });
    corrections.collect()
}

/// The first statement of I3 for some references: makes the copies match the sources, unless the copies are newer. It names the references,
/// since the document may refer to another source by now (PROTOCOL 15.A2). It writes the value even at an unchanged revision: the copy was
/// stored without a revision, and an older fan-out may have passed over it. Copies without a source stay as they are.
fn correction(
    ids: &[&Bson],
    tokens: &[ObjectId],
    edge: &'static Edge,
    keys: &[&Bson],
    sources: &SourcesByKey,
) -> Option<Document> {
    // A checked reference has no copies that could differ.
    if edge.live.is_empty() {
        return None;
    }
    let there: Vec<(&Bson, &Source)> = keys
        .iter()
        .filter_map(|key| Some((*key, sources.get(edge, key)?)))
        .collect();
    if there.is_empty() {
        return None;
    }
    let mut update = source::correct(edge, &there, match_marked(ids, tokens));
    update.insert("multi", ids.len() > 1);
    // Thousands of documents may have the same token, or the same reference.
    update.insert("hint", doc! { "_id": 1 });
    Some(update)
}

/// The last statement of I3, which clears the marks.
pub(super) fn clear_statement(ids: &[&Bson], tokens: &[ObjectId]) -> Document {
    doc! {
        "q": match_marked(ids, tokens),
        "u": flags::unmark(tokens),
        "multi": ids.len() > 1,
        "hint": { "_id": 1 },
    }
}

/// The filter of these documents, while they carry one of the marks.
fn match_marked(ids: &[&Bson], tokens: &[ObjectId]) -> Document {
    doc! { "_id": flags::ids_of(ids), stored::UNVERIFIED_TOKEN: { "$in": tokens.to_vec() } }
}
