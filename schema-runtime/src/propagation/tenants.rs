//! The wall between tenants: no reference between models with a tenant leads to a document of another tenant.
//!
//! A write that stores such references first looks for their targets among the documents of its tenant. If it reads the targets anyway, for
//! copies or because they are checked, that same read finds them. A document keeps its tenant, so that the answer stays true. The
//! changes that follow from the references (copies, numbers, lists, two-way arrays, deletes) name the tenant too.

use std::collections::{BTreeMap, HashSet};

use bson::{Bson, Document, RawDocument, RawDocumentBuf, doc};

use super::fill;
use super::source_reads::ReadMode;
use super::sources_by_key::{SourcesByKey, read_by_keys};
use crate::bson_util::id_key::IdKey;
use crate::bson_util::stored_id::id_of;
use crate::document::encoding::unencodable;
use crate::driver::{self, ClientSession, Database};
use crate::error::{Error, Result};
use crate::graph::edges::{Edge, Edges};
use crate::graph::links::Link;
use crate::schema::model::ModelMeta;
use crate::schema::tenant::{demanded_tenant, tenant_field, tenant_of};

/// New documents of one tenant.
#[derive(Debug)]
pub(crate) struct OfTenant<'d> {
    pub(crate) tenant: Bson,
    documents: Vec<&'d RawDocument>,
}

impl<'d> OfTenant<'d> {
    /// New documents, grouped by tenant; nothing if their model refers to no model with a tenant.
    pub(crate) fn all(meta: &ModelMeta, documents: &'d [RawDocumentBuf]) -> Vec<Self> {
        let Some(own) = tenant_field(meta).filter(|_| has_walled(meta)) else {
            return Vec::new();
        };
        let mut all: BTreeMap<IdKey, OfTenant<'_>> = BTreeMap::new();
        for raw in documents {
            let tenant = tenant_of(own, raw);
            let of = all.entry(IdKey::new(&tenant)).or_insert_with(|| OfTenant {
                tenant,
                documents: Vec::new(),
            });
            of.documents.push(raw);
        }
        all.into_values().collect()
    }

    /// Refuses these documents if they refer to documents of other tenants. Sends a read for this check alone.
    ///
    /// # Errors
    /// [`Error::Dangling`]; the driver's.
    pub(crate) async fn check(
        &self,
        db: &Database,
        meta: &'static ModelMeta,
        mut session: Option<&mut ClientSession>,
    ) -> Result<()> {
        let mut references = references(meta, self.documents.iter().copied());
        references.retain(|(edge, _)| is_walled(edge));
        let held = session.as_deref_mut();
        let mut known = read_by_keys(
            db,
            &references,
            Some(&self.tenant),
            ReadMode::InSession(held),
        )
        .await?;
        let tenant = Some(&self.tenant);
        add_new(db, (meta, tenant), &self.documents, &mut known, session).await?;
        all_inside(&references, &known)
    }
}

/// True if a model refers to models with a tenant.
pub(crate) fn has_walled(meta: &ModelMeta) -> bool {
    Edges::get().incoming(meta.collection).any(is_walled)
}

/// True if a reference leads to a model with a tenant.
pub(crate) fn is_walled(edge: &Edge) -> bool {
    tenant_field(edge.source).is_some()
}

/// All references in documents, along the edges of the program.
pub(crate) fn references<'d>(
    meta: &ModelMeta,
    documents: impl Iterator<Item = &'d RawDocument> + Clone,
) -> Vec<(&'static Edge, Bson)> {
    let edges = Edges::get().incoming(meta.collection);
    let found = edges.flat_map(|edge| {
        let keys = documents.clone().flat_map(|raw| edge.place.keys(raw));
        keys.map(move |key| (edge, key)).collect::<Vec<_>>()
    });
    found.collect()
}

/// Refuses references to documents of other tenants. Their targets were read for one tenant; a target that is being deleted counts as
/// found.
///
/// # Errors
/// [`Error::Dangling`].
pub(crate) fn all_inside(references: &[(&'static Edge, Bson)], known: &SourcesByKey) -> Result<()> {
    let outside =
        |(edge, key): &&(&'static Edge, Bson)| is_walled(edge) && known.stored(edge, key).is_none();
    let Some((first, _)) = references.iter().find(outside) else {
        return Ok(());
    };
    let same = references.iter().filter(outside);
    let same = same.filter(|(edge, _)| std::ptr::eq(*edge, *first));
    Err(fill::dangling(first, same.map(|(_, key)| key.clone())))
}

/// Adds documents that one command stores to the sources that were read, because they may refer to each other. `tenant` is their tenant, if
/// they have one.
///
/// # Errors
/// [`Error::Dangling`]; the driver's.
pub(crate) async fn add_new(
    db: &Database,
    (meta, tenant): (&'static ModelMeta, Option<&Bson>),
    documents: &[&RawDocument],
    known: &mut SourcesByKey,
    session: Option<&mut ClientSession>,
) -> Result<()> {
    let edges = Edges::get().incoming(meta.collection);
    let among: Vec<&Edge> = edges
        .filter(|edge| edge.source.collection == meta.collection)
        .collect();
    if among.is_empty() {
        return Ok(());
    }
    if let Some(tenant) = tenant.filter(|_| documents.len() > 1) {
        refuse_taken(db, (meta, tenant), documents, known, session).await?;
    }
    for raw in documents {
        let document = Document::try_from(*raw).map_err(|error| unencodable(meta, error))?;
        known.add(&among, &document);
    }
    Ok(())
}

/// Refuses references to new documents under an `_id` that a document of another tenant has: the insert of such a document fails, while the
/// document that refers to it may be stored.
async fn refuse_taken(
    db: &Database,
    (meta, tenant): (&'static ModelMeta, &Bson),
    documents: &[&RawDocument],
    known: &SourcesByKey,
    session: Option<&mut ClientSession>,
) -> Result<()> {
    let new: HashSet<IdKey> = documents
        .iter()
        .map(|raw| IdKey::new(&id_of(raw)))
        .collect();
    let mut references = references(meta, documents.iter().copied());
    references.retain(|(edge, key)| {
        edge.source.collection == meta.collection
            && known.stored(edge, key).is_none()
            && new.contains(&IdKey::new(key))
    });
    let (Some((edge, _)), Some(field)) = (references.first(), tenant_field(meta)) else {
        return Ok(());
    };
    let ids: Vec<Bson> = references.iter().map(|(_, key)| key.clone()).collect();
    let other = doc! { field: { "$ne": tenant } };
    let only_id = doc! { "_id": 1 };
    let (name, by) = (meta.collection, ("_id", &ids[..]));
    let taken = driver::read_where(db, name, by, &other, &only_id, session).await?;
    match taken.is_empty() {
        true => Ok(()),
        false => {
            let ids = taken.into_iter().filter_map(|mut one| one.remove("_id"));
            Err(fill::dangling(edge, ids))
        }
    }
}

/// The tenant of the documents that an update changes; `None` if it stores no reference to a model with a tenant: none of these, and none
/// among the fields that it sets whose targets list the documents.
///
/// # Errors
/// [`Error::Impossible`] if the filter leaves the tenant open.
pub(crate) fn of_update(
    meta: &ModelMeta,
    (stored, set): (&[(&'static Edge, Bson)], Option<&Document>),
    filter: Option<&Document>,
) -> Result<Option<Bson>> {
    let mut walled = stored.iter().filter(|(edge, _)| is_walled(edge));
    let first = walled.next();
    let first = first.map(|(edge, _)| (edge.place.path(), edge.source.name));
    let mut links = Edges::get().links_of(meta.collection);
    let sets = |link: &&Link| set.is_some_and(|set| !link.parents_in(set).is_empty());
    let listed = links.find(|link| link.tenants().is_some() && sets(link));
    let listed = listed.map(|link| (link.row.to_owned(), link.host.name));
    let Some((path, target)) = first.or(listed) else {
        return Ok(None);
    };
    let own = tenant_field(meta);
    let tenant = own.and_then(|own| demanded_tenant(own, filter?));
    let tenant = tenant.ok_or_else(|| Error::Impossible {
        what: format!(
            "an update of {} across tenants that stores `{}`, which refers to a {} of the same tenant: make it with the `Tenant` of the document",
            meta.name,
            path,
            target
        ),
    })?;
    Ok(Some(tenant.clone()))
}
