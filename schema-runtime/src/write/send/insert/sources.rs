//! The sources of the copies in new documents. A read before the insert (I0) fills the copies; one beside it shows whether they were right.

use bson::{Bson, Document, RawDocument, RawDocumentBuf};
use futures::future::BoxFuture;

use super::super::early;
use crate::document::encoding::unencodable;
use crate::driver::{ClientSession, Database};
use crate::error::Result;
use crate::finisher;
use crate::graph::edges::{Edge, Edges};
use crate::propagation::fill::Which;
use crate::propagation::sources_by_key::SourcesByKey;
use crate::propagation::target::Unverified;
use crate::propagation::{fill, source_reads, sources_by_key, target};
use crate::schema::model::ModelMeta;

/// The sources of a new document's references, so that the call can answer before they are read durably. Where copies are compared, this
/// read runs beside the insert, and what it shows may be older. Targets that are updated next, because they list or count the document, are
/// not read: the update shows if they are there. `None` if there are no copies, and if they could not be read.
pub(super) async fn read_beside(
    db: &Database,
    marked: Option<&Unverified>,
) -> Option<SourcesByKey> {
    let references = marked?.references.iter();
    let read =
        references.filter(|(edge, _)| !edge.live.is_empty() || !Edges::get().changes_target(edge));
    let read: Vec<_> = read.cloned().collect();
    early::together::read_sources(db, &read).await
}

/// The sources of new copies, read before anything is sent where there are many documents, or copies that are frozen or that a unique index
/// compares: each is read once.
pub(super) fn read_before<'f>(
    db: &'f Database,
    meta: &'static ModelMeta,
    documents: &'f [RawDocumentBuf],
    lazy: bool,
    session: Option<&'f mut ClientSession>,
) -> BoxFuture<'f, Result<Option<SourcesByKey>>> {
    let edges = Edges::get();
    Box::pin(async move {
        let first = edges
            .incoming(meta.collection)
            .any(|edge| edge.is_filled_first());
        // In a session the verification waits for the commit, so dangling references have to be found now.
        if documents.len() < 2 && !first && !lazy && session.is_none() {
            return match documents {
                [one] if finisher::is_behind() => read_shown(db, meta, one).await,
                _ => Ok(None),
            };
        }
        let wanted: Vec<(&'static Edge, Bson)> = edges
            .all()
            .iter()
            .filter(|edge| edge.target.collection == meta.collection)
            .flat_map(|edge| {
                let keys = documents.iter().flat_map(|raw| edge.place.keys(raw));
                keys.map(move |key| (edge, key)).collect::<Vec<_>>()
            })
            .collect();
        if wanted.is_empty() {
            return Ok(None);
        }
        let mut known =
            sources_by_key::read_by_keys(db, &wanted, source_reads::ReadMode::InSession(session))
                .await?;
        let among: Vec<&Edge> = edges
            .incoming(meta.collection)
            .filter(|edge| edge.source.collection == meta.collection)
            .collect();
        if !among.is_empty() {
            for raw in documents {
                let document =
                    Document::try_from(raw.as_ref()).map_err(|error| unencodable(meta, error))?;
                known.add(&among, &document);
            }
        }
        fill::not_dangling(&wanted, &known)?;
        Ok(Some(known))
    })
}

/// The sources of copies in a new document that lists show.
async fn read_shown(
    db: &Database,
    meta: &'static ModelMeta,
    document: &RawDocument,
) -> Result<Option<SourcesByKey>> {
    let references = target::references(meta.collection, document);
    let shown = early::cache::shown(&references);
    if shown.is_empty() {
        return Ok(None);
    }
    if let Some(known) = early::cache::known(db, &shown) {
        return Ok(Some(known));
    }
    // A source that is missing, or being deleted, is found after the insert.
    Ok(early::together::read_sources(db, &shown).await)
}

/// Fills the copies in new documents.
pub(super) fn fill(
    meta: &'static ModelMeta,
    documents: &mut [RawDocumentBuf],
    known: &SourcesByKey,
) -> Result<()> {
    let unreadable = |error| unencodable(meta, error);
    for raw in documents {
        let mut document = Document::try_from(raw.as_ref()).map_err(unreadable)?;
        if fill::fill(meta.collection, &mut document, known, Which::All) {
            *raw = RawDocumentBuf::try_from(&document).map_err(unreadable)?;
        }
    }
    Ok(())
}
