//! The comparison of new copies with their sources: I2 and I3 of the protocol. A document with new copies or checked references carries a
//! mark; the copies are compared with their sources and corrected, and the mark is cleared.

mod correct;
mod tree;
mod verify;

use std::collections::HashSet;

use bson::oid::ObjectId;
use bson::{Bson, Document, RawDocument, doc};
use futures::future::BoxFuture;

use self::correct::clear_statement;
pub(crate) use self::correct::provisional;
pub(crate) use self::tree::{Moving, Rewrite, has_moved, read_state, wait};
pub(crate) use self::verify::verify;
use super::source_reads::ReadMode;
use super::sources_by_key::read_by_keys;
use crate::bson_util::id_key::IdKey;
use crate::driver::{self, Database, FindArgs};
use crate::error::Result;
use crate::graph::edges::{Edge, Edges};
use crate::graph::flags;
use crate::schema::registry::model_in;
use crate::schema::stored;
use crate::schema::tenant::{own_tenant, tenant_field};

/// The largest number of documents that are compared with their sources at once.
pub(crate) const DOCUMENTS: usize = 500;

/// A document whose copies are marked.
#[derive(Debug, Clone)]
pub(crate) struct Unverified {
    pub(crate) id: Bson,
    pub(crate) tokens: Vec<ObjectId>,
    /// The references of the document; only their copies are compared.
    pub(crate) references: Vec<(&'static Edge, Bson)>,
    /// The tenant of the document, if its writer knows one: its references lead to documents of the same tenant.
    pub(crate) tenant: Option<Bson>,
}

/// The tenant of documents, if all belong to one.
pub(crate) fn common<'d>(tenants: impl IntoIterator<Item = &'d Option<Bson>>) -> Option<&'d Bson> {
    let mut tenants = tenants.into_iter();
    let first = tenants.next()?;
    first
        .as_ref()
        .filter(|_| tenants.all(|other| other == first))
}

impl Unverified {
    /// Reads every reference in a stored document that has live copies or is checked.
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
            tenant: model_in(collection).and_then(|meta| own_tenant(meta, raw)),
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

/// A reference to a source that does not exist.
#[derive(Debug, Clone)]
pub(crate) struct Orphan {
    pub(crate) edge: &'static Edge,
    pub(crate) id: Bson,
    pub(crate) key: Bson,
}

/// The action for a reference whose source does not exist.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Missing {
    /// The writer gets a report, and takes its own write back.
    Report,
    /// The writer has gone, or cannot take its write back: the reference follows its delete rule, or is reported as dangling.
    Apply,
}

/// The result of a comparison of marked documents.
#[derive(Debug, Default)]
pub(crate) struct Verified {
    /// The number of documents whose marks are cleared.
    pub(crate) finished: u64,
    /// References whose source does not exist. Their documents stay marked if the writer gets a report.
    pub(crate) orphans: Vec<Orphan>,
    /// References that were removed by their delete rule.
    pub(crate) applied: Vec<Orphan>,
    /// Documents that the server refused to change, each with the reason.
    pub(crate) failed: Vec<(Bson, String)>,
}

impl Verified {
    fn add(&mut self, other: Verified) {
        self.finished += other.finished;
        self.orphans.extend(other.orphans);
        self.applied.extend(other.applied);
        self.failed.extend(other.failed);
    }
}

/// The result of a comparison of all marked documents of a collection.
#[derive(Debug, Default)]
pub(crate) struct Resumed {
    /// The number of documents whose marks are cleared.
    pub(crate) finished: u64,
    /// The number of references whose source does not exist.
    pub(crate) dangling: u64,
    /// The number of references that were removed by their delete rule.
    pub(crate) applied: u64,
    /// Documents that the server refused to change, each with the reason.
    pub(crate) failed: Vec<(Bson, String)>,
}

/// The largest number of documents that one statement finds by their `_id`s.
const IDS: usize = 5_000;

/// I2 and I3 of documents that were written under one token and have no copies that could differ. Reads each target once, no matter how
/// many documents refer to it, and clears the marks by their token. `ids` are the documents if they are known. Returns false, and has
/// changed nothing, if a target is missing or is being deleted.
///
/// # Errors
/// As [`verify`].
pub(crate) async fn verify_together(
    db: &Database,
    collection: &str,
    token: ObjectId,
    (references, tenant): (&[(&'static Edge, Bson)], Option<&Bson>),
    ids: &[&Bson],
) -> Result<bool> {
    if references.iter().any(|(edge, _)| !edge.live.is_empty()) {
        return Ok(false);
    }
    if has_moved(db, collection).await? {
        return Ok(false);
    }
    let sources = read_by_keys(db, references, tenant, ReadMode::Durably).await?;
    fault!("after_i2");
    let there = |(edge, key): &(&'static Edge, Bson)| {
        let source = sources.get(edge, key);
        source.is_some_and(|source| source.unreadable(edge.source).is_none())
    };
    if !references.iter().all(there) || !sources.held().is_empty() {
        return Ok(false);
    }
    let clears: Vec<Document> = match ids {
        [] => vec![
            doc! { "q": { stored::UNVERIFIED_TOKEN: token }, "u": flags::unmark(&[token]), "multi": true },
        ],
        ids => ids
            .chunks(IDS)
            .map(|ids| clear_statement(ids, &[token]))
            .collect(),
    };
    let done = driver::statements(db, collection, &clears, false, None).await?;
    fault!("after_i3");
    Ok(done.failed.is_empty())
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

/// The fields of a document with copies that the comparison reads: its references, its marks and its tenant.
fn fields(collection: &str) -> Document {
    let mut fields = doc! { "_id": 1, stored::OWN: 1 };
    for edge in Edges::get().incoming(collection) {
        let path = edge.place.path();
        if path != "_id" {
            fields.insert(path, 1);
        }
    }
    let tenant = model_in(collection).and_then(tenant_field);
    fields.extend(tenant.map(|field| (field.to_owned(), 1.into())));
    fields
}
