//! The sources of the copies in new documents. A read before the insert (I0) fills the copies; a read beside it shows if they were right.

use bson::{Bson, Document, RawDocument, RawDocumentBuf};
use futures::future::BoxFuture;

use super::super::early;
use crate::document::encoding::unencodable;
use crate::driver::{ClientSession, Database};
use crate::error::Result;
use crate::finisher;
use crate::graph::edges::{Edge, Edges};
use crate::propagation::fill::Which;
use crate::propagation::source_reads::ReadMode;
use crate::propagation::sources_by_key::SourcesByKey;
use crate::propagation::target::Unverified;
use crate::propagation::tenants::OfTenant;
use crate::propagation::{fill, sources_by_key, target, tenants};
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
    early::together::read_sources(db, &read, None).await
}

/// The sources of new copies, read before anything is sent where there are many documents, or copies that are frozen or that a unique index
/// compares: each is read once. Sources of the document's tenant are always read before: nothing may follow a document in those of another
/// tenant.
pub(super) fn read_before<'f>(
    db: &'f Database,
    meta: &'static ModelMeta,
    documents: &'f [RawDocumentBuf],
    lazy: bool,
    mut session: Option<&'f mut ClientSession>,
) -> BoxFuture<'f, Result<Option<SourcesByKey>>> {
    Box::pin(async move {
        let tenants = OfTenant::all(meta, documents);
        let first = Edges::get()
            .incoming(meta.collection)
            .any(|edge| edge.is_filled_first());
        // In a session the verification waits for the commit, so dangling references have to be found now.
        if documents.len() < 2 && !first && !lazy && session.is_none() {
            return match (documents, &tenants[..]) {
                ([one], [of]) => read_of_tenant(db, meta, one, of).await,
                ([one], _) if finisher::is_behind() => read_shown(db, meta, one).await,
                _ => Ok(None),
            };
        }
        let raw: Vec<&RawDocument> = documents.iter().map(|one| &**one).collect();
        let wanted = tenants::references(meta, raw.iter().copied());
        if wanted.is_empty() {
            return Ok(None);
        }
        let tenant = match &tenants[..] {
            [of] => Some(&of.tenant),
            more => {
                for of in more {
                    of.check(db, meta, session.as_deref_mut()).await?;
                }
                None
            }
        };
        let held = session.as_deref_mut();
        let how = ReadMode::InSession(held);
        let mut known = sources_by_key::read_by_keys(db, &wanted, tenant, how).await?;
        tenants::add_new(db, (meta, tenant), &raw, &mut known, session).await?;
        fill::not_dangling(&wanted, &known)?;
        Ok(Some(known))
    })
}

/// The sources of one new document whose model refers to models with a tenant: before it is stored, so that the read beside is spared.
/// If that read has to come after the insert, or has to be durable, another read looks for the targets, and nothing is given.
async fn read_of_tenant(
    db: &Database,
    meta: &'static ModelMeta,
    document: &RawDocument,
    of: &OfTenant<'_>,
) -> Result<Option<SourcesByKey>> {
    if !finisher::is_behind() || only_checks(meta, &target::references(meta.collection, document)) {
        of.check(db, meta, None).await?;
        return Ok(None);
    }
    let wanted = tenants::references(meta, std::iter::once(document));
    if wanted.is_empty() {
        return Ok(None);
    }
    let tenant = Some(&of.tenant);
    let mut known = match early::together::read_sources(db, &wanted, tenant).await {
        Some(known) => known,
        None => {
            let how = ReadMode::InSession(None);
            sources_by_key::read_by_keys(db, &wanted, tenant, how).await?
        }
    };
    tenants::add_new(db, (meta, tenant), &[document], &mut known, None).await?;
    tenants::all_inside(&wanted, &known)?;
    Ok(Some(known))
}

/// True if all that is read of the targets is that they are there. They are read after the document is stored then: a delete that begins
/// later finds the reference, and one that began before shows. No parent has to be updated after that, which would show it as well.
pub(super) fn only_checks(meta: &ModelMeta, marked: &[(&'static Edge, Bson)]) -> bool {
    let lists = Edges::get().links_of(meta.collection).next().is_some();
    !lists && marked.iter().all(|(edge, _)| edge.live.is_empty())
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
    Ok(early::together::read_sources(db, &shown, None).await)
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
