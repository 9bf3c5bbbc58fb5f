//! All documents of one tenant, copied to a new tenant.
//!
//! The copies have new `_id`s. The copy draws one mask, stores it with its mark before the first document, and combines it with each `_id`
//! and each reference by an exclusive or. So a reference leads to the copy of its target without a table of ids, no two documents get one
//! `_id`, and another run gives each document the same `_id` as the run that was interrupted.

use std::fmt;

use bson::oid::ObjectId;
use bson::spec::BinarySubtype;
use bson::{Binary, Bson, Document, RawDocument, RawDocumentBuf, doc};

use super::repair::{Repair, repair};
use super::repaired::Repaired;
use super::whole_tenant::{Walk, add_documents};
use crate::bson_util::path::{at, at_mut, put_nested};
use crate::bson_util::stored_id::{id_of, id_of_document};
use crate::builder::{CallOptions, answers};
use crate::driver::{self, Database, FindArgs, Lasting, Strings, UpdateArgs};
use crate::error::{Error, Result};
use crate::graph::edges::{Edge, Edges, Walk as References};
use crate::index::collect::definitions;
use crate::index_spec::definition::Definition;
use crate::propagation::tenants::is_walled;
use crate::schema::model::ModelMeta;
use crate::schema::rows::Kind;
use crate::schema::stored;
use crate::schema::tenant::tenant_field;
use crate::tenant::{Reach, Tenant, TenantId};

/// The number of documents that one command stores.
const PAGE: usize = 1_000;

/// Copies every document of a tenant to another tenant that has none yet, of all models of the program with a `tenant` of their type. Let
/// no program write for either of them meanwhile.
///
/// The copies have new `_id`s: ObjectIds and UUIDs that keep their time and their order. References between models with a tenant lead to
/// the copies, references to what all tenants share stay. [`repair`](crate::repair()) of the new tenant then corrects what follows from other
/// documents, without delete rules, so that [`verify`](crate::verify) finds what it finds in the first tenant. Ids that a field holds
/// without a declared reference, and frozen copies, stay as they are. The jobs of queues are left out, or they would be done twice; so are
/// documents that are being deleted. Marks of [sagas](crate::Saga) and locks are not copied.
///
/// An interrupted copy leaves a mark, in the collection `_dn.copies`: the next call with the same two tenants goes on, and stores no
/// document twice. [`purge_tenant`](crate::purge_tenant()) of the new tenant takes all of it back.
///
/// Sends one `find` for the mark, and where there is none one per model; one `findAndModify` for the mark; per model one `find`, and per 1,000
/// documents, or 16 MB, one durable `update` that stores them; the commands of the repair; and one `delete` of the mark.
///
/// ```no_run
/// # use mongo_model::*;
/// # async fn example(template: &Tenant<i64>, new: &Tenant<i64>) -> Result<()> {
/// let done = copy_tenant(template, new).progress(|done| println!("{} copied", done.copied)).await?;
/// # Ok(()) }
/// ```
///
/// # Errors
/// [`Error::Impossible`] across tenants, if no model has such a tenant, if the new tenant has documents, and if the tenant has documents
/// of a model with another kind of `_id` or with an index that is unique across tenants; those of the repair; the driver's.
pub fn copy_tenant<'a, T: TenantId>(from: &'a Tenant<T>, to: &'a Tenant<T>) -> CopyTenant<'a> {
    CopyTenant {
        from: from.reach(|db| Walk::new(db, true)),
        to: to.reach(|db| Walk::new(db, false)),
        repair: repair(to),
        progress: None,
    }
}

type Callback<'a> = Box<dyn FnMut(&CopiedTenant) + Send + 'a>;

/// A copy of all documents of a tenant, about to be made. `.await` gives [`CopiedTenant`].
#[must_use = "nothing is sent before it is awaited"]
pub struct CopyTenant<'a> {
    from: Walk,
    to: Walk,
    repair: Repair<'a>,
    progress: Option<Callback<'a>>,
}

impl fmt::Debug for CopyTenant<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CopyTenant").finish_non_exhaustive()
    }
}

impl<'a> CopyTenant<'a> {
    /// Calls the function after each `update` with the totals so far.
    pub fn progress(mut self, listener: impl FnMut(&CopiedTenant) + Send + 'a) -> Self {
        self.progress = Some(Box::new(listener));
        self
    }
}

/// The result of [`copy_tenant`].
#[derive(Debug, Clone, Default, PartialEq)]
#[non_exhaustive]
pub struct CopiedTenant {
    /// The number of documents that were copied, with those of an interrupted run.
    pub copied: u64,
    /// The number of copied documents by the name of the model, where there were any.
    pub models: Vec<(&'static str, u64)>,
    /// The repair of the new tenant.
    pub repaired: Repaired,
}

answers!(['a] CopyTenant<'a> => CopiedTenant, self, CallOptions::settled(), {
    let CopyTenant { mut from, mut to, repair, mut progress } = self;
    let tenant = to.tenant()?;
    let mask = prepare(&mut from, &mut to, &tenant).await?;
    let mut out = CopiedTenant::default();
    while let Some((meta, page)) = from.next(PAGE).await? {
        if meta.queue.is_some() {
            continue;
        }
        let mut edges = references(meta);
        edges.retain(is_walled);
        let of = (meta, edges.as_slice());
        let copy = |raw: RawDocumentBuf| copy_document(of, &raw, &tenant, &mask).transpose();
        let copies = page.into_iter().filter_map(copy).collect::<Result<Vec<_>>>()?;
        let documents = copies.len() as u64;
        store(&to.db, meta, copies).await?;
        out.copied += documents;
        add_documents(&mut out.models, meta.name, documents);
        if let Some(listener) = &mut progress {
            listener(&out);
        }
    }
    out.repaired = repair.keeping_orphans(true).await?;
    to.remove_mark().await?;
    Ok(out)
});

/// Checks that the copy can be made, and stores its mark; returns the mask of the ids.
async fn prepare(from: &mut Walk, to: &mut Walk, tenant: &Bson) -> Result<Vec<u8>> {
    let impossible = |what: String| Err(Error::Impossible { what });
    let source = from.tenant()?;
    if source == *tenant {
        return impossible("a copy of a tenant to itself".to_owned());
    }
    let models = from.scope.models(None).unwrap_or_default();
    for meta in models.into_iter().filter(|meta| meta.queue.is_none()) {
        if let Some(why) = refusal(meta)
            && from.has_any(meta).await?
        {
            return impossible(format!("a copy of the documents of {}, {why}", meta.name));
        }
    }
    let this = doc! { "_id": { "$eq": tenant } };
    let args = FindArgs {
        limit: Some(1),
        ..FindArgs::default()
    };
    let mut marks = driver::open(&to.db, stored::COPIES, this.clone(), args, None).await?;
    let is_new = marks.next(|_| Ok(())).await?.is_none();
    if is_new && to.next(1).await?.is_some() {
        return impossible("a copy to a tenant that has documents".to_owned());
    }
    // A UUID has no zero at this place, so that the mask changes each id.
    let drawn = Binary {
        subtype: BinarySubtype::Generic,
        bytes: bson::Uuid::new().bytes()[8..15].to_vec(),
    };
    let args = UpdateArgs {
        filter: this,
        changes: doc! { "$setOnInsert": { "from": &source, "mask": drawn } }.into(),
        many: false,
        upsert: true,
        lasting: Lasting::Durable,
        strings: Strings::Exactly,
    };
    let mark = driver::update_and_read(&to.db, stored::COPIES, args, Document::new(), None).await?;
    let mark = mark.unwrap_or_default();
    if mark.get("from") != Some(&source) {
        return impossible("a copy to a tenant to which another one is being copied".to_owned());
    }
    Ok(mark.get_binary_generic("mask").cloned().unwrap_or_default())
}

/// The reason why no document of a model can be copied.
fn refusal(meta: &'static ModelMeta) -> Option<&'static str> {
    let id = meta.shape.fields.iter().find(|row| row.name == "_id")?;
    let is_id = matches!(id.kind, Kind::ObjectId | Kind::Binary);
    if !is_id && meta.bucket.is_none() && id.period.is_none() {
        return Some("whose `_id` is no ObjectId and no UUID");
    }
    let is_left_out = |edge: &Edge| match is_walled(edge) {
        true => edge.source.queue.is_some(),
        false => edge.place.root() == "_id",
    };
    if references(meta).iter().any(is_left_out) {
        return Some("which refers to jobs, or by its `_id` to what all tenants share");
    }
    let is_inside = |index: Definition| {
        let first = index.keys.first();
        first.is_some_and(|(key, _)| tenant_field(meta) == Some(key.as_str()))
    };
    let mut unique = definitions(meta).into_iter().filter(|index| index.unique);
    (!unique.all(is_inside)).then_some("which has an index that is unique across tenants")
}

/// All references of a model, with those that no write checks.
fn references(meta: &'static ModelMeta) -> Vec<Edge> {
    let found = References::of(meta).found.into_iter();
    found.map(|reference| reference.edge).collect()
}

/// The copy of a document; `None` if the document is being deleted.
fn copy_document(
    (meta, edges): (&ModelMeta, &[Edge]),
    raw: &RawDocument,
    tenant: &Bson,
    mask: &[u8],
) -> Result<Option<Document>> {
    let impossible = |why: &dyn fmt::Display| Error::Impossible {
        what: format!("a copy of {} {}: {why}", meta.name, id_of(raw)),
    };
    let mut copy = Document::try_from(raw).map_err(|error| impossible(&error))?;
    if let Some(schema) = meta.schema {
        copy = schema
            .current_of(copy)
            .map_err(|error| impossible(&error))?;
    }
    if stored::has_tombstone(&copy) {
        return Ok(None);
    }
    let mut is_whole = true;
    let mut change = |id: &mut Bson| is_whole &= change_id(id, mask);
    match copy.get_mut("_id") {
        // The `_id` of a bucket or of a period begins with that of its parent.
        Some(Bson::Document(id)) => id.iter_mut().take(1).for_each(|(_, id)| change(id)),
        id => id.into_iter().for_each(&mut change),
    }
    for edge in edges.iter().filter(|edge| edge.place.root() != "_id") {
        edge.place.change_keys(&mut copy, &mut change);
    }
    let links = Edges::get().links().iter();
    let lists = links.filter(|link| link.host.collection == meta.collection);
    for link in lists.filter(|link| link.tenants().is_some() && !link.is_two_way()) {
        let entries = at_mut(&mut copy, link.field).and_then(Bson::as_array_mut);
        let entries = entries
            .into_iter()
            .flatten()
            .filter_map(Bson::as_document_mut);
        let ids = entries.filter_map(|entry| entry.get_mut(stored::ENTRY_ID));
        ids.for_each(&mut change);
    }
    if !is_whole {
        return Err(impossible(&"an id in it is no ObjectId and no UUID"));
    }
    keep_state(&mut copy);
    copy.extend(tenant_field(meta).map(|field| (field.to_owned(), tenant.clone())));
    Ok(Some(copy))
}

/// Changes an id to that of its copy. The time at its beginning and the counter at its end stay. False if it is no ObjectId and no UUID.
fn change_id(id: &mut Bson, mask: &[u8]) -> bool {
    let combine = |bytes: &mut [u8]| {
        let pairs = bytes.iter_mut().zip(mask);
        pairs.for_each(|(byte, mask)| *byte ^= mask);
    };
    match id {
        Bson::ObjectId(id) => {
            let mut bytes = id.bytes();
            combine(&mut bytes[4..9]);
            *id = ObjectId::from_bytes(bytes);
        }
        Bson::Binary(id) if id.subtype == BinarySubtype::Uuid && id.bytes.len() == 16 => {
            combine(&mut id.bytes[9..]);
        }
        _ => return false,
    }
    true
}

/// Leaves of the library's own fields the revision, the epoch of counts, the extremes and the number of items: flags are of the first
/// document's writers.
fn keep_state(document: &mut Document) {
    let kept = [
        stored::REVISION,
        stored::COUNTS_EPOCH,
        stored::EXTREMES,
        stored::ITEMS_TAKEN,
    ];
    let kept = kept.map(|path| (path, at(document, path).cloned()));
    document.remove(stored::OWN);
    for (path, value) in kept {
        if let Some(value) = value {
            put_nested(document, path, value);
        }
    }
}

/// Stores copies. One that an interrupted run has stored is replaced with itself.
async fn store(to: &Database, meta: &ModelMeta, copies: Vec<Document>) -> Result<()> {
    let own = tenant_field(meta).unwrap_or_default();
    let upsert = |copy: Document| {
        let this = doc! {
            "_id": { "$eq": id_of_document(&copy) },
            own: { "$eq": copy.get(own).cloned() },
        };
        doc! { "q": this, "u": copy, "upsert": true }
    };
    let copies: Vec<Document> = copies.into_iter().map(upsert).collect();
    let done = driver::statements(to, meta.collection, &copies, false, None).await?;
    match done.failed.into_iter().next() {
        None => Ok(()),
        Some((_, code, message)) => Err(Error::Impossible {
            what: format!("a copy of a {}: {message} ({code})", meta.name),
        }),
    }
}
