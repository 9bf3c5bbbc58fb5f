//! References between models with a tenant: none leads to a document of another one.
//!
//! A write that stores such references first reads their targets with the tenant of the documents that it writes. A document keeps its
//! tenant, so the answer stays true, and what follows from the references (copies, numbers, lists, deletes) finds documents by `_id` alone.

use std::collections::{BTreeMap, HashSet};

use bson::{Bson, Document, RawDocument, doc};

use super::fill;
use crate::bson_util::id_key::IdKey;
use crate::bson_util::stored_id::id_of;
use crate::driver::{self, ClientSession, Database, FindArgs};
use crate::error::{Error, Result};
use crate::graph::edges::{Edge, Edges};
use crate::schema::model::ModelMeta;
use crate::schema::tenant::{demanded_tenant, tenant_field, tenant_of};

/// How many targets one command looks for.
const IDS: usize = 10_000;

/// References that lead to documents of one tenant in one collection.
struct Group {
    /// The stored field of the targets that holds the tenant.
    field: &'static str,
    tenant: Bson,
    references: Vec<(&'static Edge, Bson)>,
    /// The `_id`s of documents that the same command stores in this collection.
    new: Vec<Bson>,
}

/// Refuses documents with references to documents of other tenants. With `are_new`, the command stores them all, and they may refer to
/// each other.
///
/// # Errors
/// [`Error::Dangling`]; the driver's.
pub(crate) async fn check_documents(
    db: &Database,
    meta: &'static ModelMeta,
    documents: &[&RawDocument],
    are_new: bool,
    session: Option<&mut ClientSession>,
) -> Result<()> {
    let edges = walled_edges(meta);
    let (false, Some(own)) = (edges.is_empty(), tenant_field(meta)) else {
        return Ok(());
    };
    let mut groups = BTreeMap::new();
    for raw in documents {
        let tenant = tenant_of(own, raw);
        for (edge, field) in &edges {
            let keys = edge.place.keys(raw).into_iter();
            let references = keys.map(|key| (*edge, key));
            let group = group_of(&mut groups, edge, field, &tenant);
            group.references.extend(references);
            if are_new && edge.source.collection == meta.collection {
                group.new.push(id_of(raw));
            }
        }
    }
    check_groups(db, groups, session).await
}

/// Refuses an update of the documents that meet a filter, if it stores references to documents of other tenants.
///
/// # Errors
/// [`Error::Dangling`]; [`Error::Impossible`] if the filter leaves the tenant open; the driver's.
pub(crate) async fn check_update(
    db: &Database,
    meta: &'static ModelMeta,
    stored: &[(&'static Edge, Bson)],
    filter: Option<&Document>,
    session: Option<&mut ClientSession>,
) -> Result<()> {
    let Some(own) = tenant_field(meta).filter(|_| !stored.is_empty()) else {
        return Ok(());
    };
    let tenant = filter.and_then(|filter| demanded_tenant(own, filter));
    let mut groups = BTreeMap::new();
    for (edge, key) in stored {
        let Some(field) = tenant_field(edge.source) else {
            continue;
        };
        let tenant = tenant.ok_or_else(|| Error::Impossible {
            what: format!(
                "an update of {} across tenants that stores `{}`, which refers to a {} of the same tenant: make it with the `Tenant` of the document",
                meta.name,
                edge.place.path(),
                edge.source.name
            ),
        })?;
        let group = group_of(&mut groups, edge, field, tenant);
        group.references.push((*edge, key.clone()));
    }
    check_groups(db, groups, session).await
}

/// The references of a model to models with a tenant, each with the stored field of the target that holds it.
fn walled_edges(meta: &ModelMeta) -> Vec<(&'static Edge, &'static str)> {
    let edges = Edges::get().incoming(meta.collection);
    let walled = edges.filter_map(|edge| Some((edge, tenant_field(edge.source)?)));
    walled.collect()
}

type Groups = BTreeMap<(&'static str, IdKey), Group>;

fn group_of<'g>(
    groups: &'g mut Groups,
    edge: &'static Edge,
    field: &'static str,
    tenant: &Bson,
) -> &'g mut Group {
    let place = (edge.source.collection, IdKey::new(tenant));
    groups.entry(place).or_insert_with(|| Group {
        field,
        tenant: tenant.clone(),
        references: Vec::new(),
        new: Vec::new(),
    })
}

async fn check_groups(
    db: &Database,
    groups: Groups,
    mut session: Option<&mut ClientSession>,
) -> Result<()> {
    for ((collection, _), group) in groups {
        let absent = group.absent(db, collection, session.as_deref_mut()).await?;
        let is_outside = |key: &Bson| absent.contains_key(&IdKey::new(key));
        let mut references = group.references.iter();
        if let Some((first, _)) = references.find(|(_, key)| is_outside(key)) {
            let same = |edge: &&Edge| std::ptr::eq(*edge, *first);
            let all = group.references.iter().filter(|(edge, _)| same(edge));
            let keys = all.map(|(_, key)| key).filter(|key| is_outside(key));
            return Err(fill::dangling(first, keys.cloned()));
        }
    }
    Ok(())
}

impl Group {
    /// The targets that are no documents of the tenant.
    async fn absent(
        &self,
        db: &Database,
        collection: &str,
        mut session: Option<&mut ClientSession>,
    ) -> Result<BTreeMap<IdKey, &Bson>> {
        let keys = self.references.iter().map(|(_, key)| key);
        let mut absent: BTreeMap<IdKey, &Bson> = keys.map(|key| (IdKey::new(key), key)).collect();
        let all: Vec<&Bson> = absent.values().copied().collect();
        let own = (self.field, doc! { "$eq": &self.tenant });
        for id in read_ids(db, collection, &all, own, session.as_deref_mut()).await? {
            absent.remove(&id);
        }
        let new = self.new.iter().map(IdKey::new);
        let new: BTreeMap<IdKey, &Bson> = new
            .filter_map(|id| absent.remove(&id).map(|key| (id, key)))
            .collect();
        if !new.is_empty() {
            // The insert of one of them may fail because another tenant has its `_id`, while the document that refers to it is stored.
            let all: Vec<&Bson> = new.values().copied().collect();
            let other = (self.field, doc! { "$ne": &self.tenant });
            let taken = read_ids(db, collection, &all, other, session).await?;
            absent.extend(new.into_iter().filter(|(id, _)| taken.contains(id)));
        }
        Ok(absent)
    }
}

/// The `_id`s, among these, of the documents whose tenant meets a condition.
async fn read_ids(
    db: &Database,
    collection: &str,
    ids: &[&Bson],
    (field, tenant): (&str, Document),
    mut session: Option<&mut ClientSession>,
) -> Result<HashSet<IdKey>> {
    let mut found = HashSet::new();
    for ids in ids.chunks(IDS) {
        let filter = doc! { "_id": { "$in": ids.to_vec() }, field: &tenant };
        let args = FindArgs {
            projection: Some(doc! { "_id": 1 }),
            ..FindArgs::default()
        };
        let mut rows = driver::open(db, collection, filter, args, session.as_deref_mut()).await?;
        while let Some(id) = rows.next(|raw| Ok(IdKey::new(&id_of(raw)))).await? {
            found.insert(id);
        }
    }
    Ok(found)
}
