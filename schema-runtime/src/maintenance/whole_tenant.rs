//! All documents of one tenant: given out, or deleted.

use std::fmt;

use bson::{Bson, Document, RawDocumentBuf, doc};
use futures::Stream;

use crate::bson_util::stored_id::id_of;
use crate::builder::{CallOptions, answers};
use crate::driver::rows::Rows;
use crate::driver::{self, Database, FindArgs};
use crate::error::{Error, Result};
use crate::schema::model::ModelMeta;
use crate::schema::outbox::Outbox;
use crate::schema::stored;
use crate::tenant::{Confined, Reach, Scope, Tenant, TenantId, Wall};

/// The number of documents that one command deletes.
const PAGE: usize = 5_000;
/// The number of bytes after which documents that are read together are enough.
const BYTES: usize = 16 * 1024 * 1024;

/// Gives out every document of a tenant, of all models of the program with a `tenant` of its type: as it is stored, those that are marked
/// as deleted too. It is no snapshot: documents that are written meanwhile may be in it.
///
/// Sends a `find` per model, with the tenant in its filter. Documents of no such model are left out: what all tenants share, sagas
/// and locks.
///
/// ```no_run
/// # use mongo_model::*;
/// use futures::TryStreamExt;
///
/// # async fn example(tenant: &Tenant<i64>) -> Result<()> {
/// let mut all = std::pin::pin!(export_tenant(tenant));
/// while let Some(one) = all.try_next().await? {
///     println!("{}: {} bytes", one.model, one.document.as_bytes().len());
/// }
/// # Ok(()) }
/// ```
///
/// # Errors
/// [`Error::Impossible`] across tenants, and if no model has such a tenant; the driver's.
pub fn export_tenant<T: TenantId>(
    tenant: &Tenant<T>,
) -> impl Stream<Item = Result<TenantDocument>> + Send + 'static {
    let walk = tenant.reach(|db| Walk::new(db, true));
    futures::stream::try_unfold(walk, async |mut walk| {
        let next = walk.next(1).await?;
        let one = next.and_then(|(meta, mut page)| {
            let (model, document) = (meta.name, page.pop()?);
            Some(TenantDocument { model, document })
        });
        Ok(one.map(|one| (one, walk)))
    })
}

/// A document of a tenant.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct TenantDocument {
    /// The name of the document's model.
    pub model: &'static str,
    /// The stored bytes, with the library's own fields.
    pub document: RawDocumentBuf,
}

/// Deletes every document of a tenant, of all models of the program with a `tenant` of its type, without the rules of their references:
/// no document that stays refers to one of them. Let no program write for the tenant any more, and end its sagas, before you call it. An
/// interrupted run is continued by the next one.
///
/// Sends, per model, one `find`, and per 5,000 documents one `delete`, durably, each with the tenant in its filter, and one `delete` of the
/// mark that an interrupted [`copy_tenant`](crate::copy_tenant()) may have left; per model with events one `delete` of those, delivered or not,
/// which scans the log. Locks of the tenant stay, because their numbers must never
/// start again.
///
/// ```no_run
/// # use mongo_model::*;
/// # async fn example(tenant: &Tenant<i64>) -> Result<()> {
/// let done = purge_tenant(tenant).progress(|done| println!("{} deleted", done.deleted)).await?;
/// # Ok(()) }
/// ```
///
/// # Errors
/// [`Error::Impossible`] across tenants, and if no model has such a tenant; the driver's.
pub fn purge_tenant<T: TenantId>(tenant: &Tenant<T>) -> PurgeTenant<'_> {
    PurgeTenant {
        walk: tenant.reach(|db| Walk::new(db, false)),
        progress: None,
    }
}

type Callback<'a> = Box<dyn FnMut(&PurgedTenant) + Send + 'a>;

/// A delete of all documents of a tenant, about to be sent. `.await` gives [`PurgedTenant`].
#[must_use = "nothing is sent before it is awaited"]
pub struct PurgeTenant<'a> {
    walk: Walk,
    progress: Option<Callback<'a>>,
}

impl fmt::Debug for PurgeTenant<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PurgeTenant").finish_non_exhaustive()
    }
}

impl<'a> PurgeTenant<'a> {
    /// Calls the function after each `delete` with the totals so far.
    pub fn progress(mut self, listener: impl FnMut(&PurgedTenant) + Send + 'a) -> Self {
        self.progress = Some(Box::new(listener));
        self
    }
}

/// The result of [`purge_tenant`].
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct PurgedTenant {
    /// The number of documents that were deleted.
    pub deleted: u64,
    /// The number of deleted documents by the name of the model, where there were any.
    pub models: Vec<(&'static str, u64)>,
}

/// Adds documents of a model to the numbers of the models.
pub(super) fn add_documents(
    models: &mut Vec<(&'static str, u64)>,
    model: &'static str,
    documents: u64,
) {
    match models.last_mut() {
        Some((last, n)) if *last == model => *n += documents,
        _ => models.push((model, documents)),
    }
}

answers!(['a] PurgeTenant<'a> => PurgedTenant, self, CallOptions::settled(), {
    let (mut walk, mut progress, mut out) = (self.walk, self.progress, PurgedTenant::default());
    while let Some((meta, page)) = walk.next(PAGE).await? {
        let ids: Vec<Bson> = page.iter().map(|one| id_of(one)).collect();
        let these = walk.scope.restrict(meta.collection, doc! { "_id": { "$in": ids } });
        let delete = doc! { "q": these, "limit": 0, "hint": { "_id": 1 } };
        let done = driver::deletes(&walk.db, meta.collection, &[delete], None).await?;
        out.deleted += done.matched;
        add_documents(&mut out.models, meta.name, done.matched);
        if let Some(listener) = &mut progress {
            listener(&out);
        }
    }
    walk.remove_entries().await?;
    walk.remove_mark().await?;
    Ok(out)
});

/// A walk over the documents of a tenant, model by model.
pub(super) struct Walk {
    pub(super) db: Database,
    pub(super) scope: Scope,
    todo: Option<Vec<&'static ModelMeta>>,
    open: Option<(&'static ModelMeta, Rows<'static>)>,
    is_whole: bool,
}

impl Confined for Walk {
    fn confined(mut self, wall: &Wall) -> Self {
        self.scope = Scope::of_wall(wall);
        self
    }
}

impl Walk {
    /// Walks over whole documents, or over their `_id`s alone.
    pub(super) fn new(db: &Database, is_whole: bool) -> Self {
        Walk {
            db: db.clone(),
            scope: Scope::default(),
            todo: None,
            open: None,
            is_whole,
        }
    }

    /// The stored id of the tenant.
    ///
    /// # Errors
    /// [`Error::Impossible`] across tenants, and if no model has such a tenant.
    pub(super) fn tenant(&self) -> Result<Bson> {
        self.scope.check()?;
        self.scope
            .tenant()
            .cloned()
            .ok_or_else(|| Error::Impossible {
                what: "the documents of one tenant, across tenants: pass its `Tenant`".to_owned(),
            })
    }

    /// Removes the events and histories of the tenant from their logs.
    async fn remove_entries(&mut self) -> Result<()> {
        for meta in self.scope.models(None).unwrap_or_default() {
            for log in
                Outbox::find_all(meta.collection).filter_map(|one| one.log_of(meta.collection))
            {
                let all = self.scope.restrict(meta.collection, Document::new());
                let delete = doc! { "q": all, "limit": 0 };
                driver::deletes(&self.db, log, &[delete], None).await?;
            }
        }
        Ok(())
    }

    /// Removes the mark of an interrupted copy to the tenant.
    pub(super) async fn remove_mark(&mut self) -> Result<()> {
        let this = doc! { "q": { "_id": { "$eq": self.tenant()? } }, "limit": 1 };
        driver::deletes(&self.db, stored::COPIES, &[this], None).await?;
        Ok(())
    }

    /// True if the tenant has a document of this model.
    pub(super) async fn has_any(&mut self, meta: &ModelMeta) -> Result<bool> {
        let args = FindArgs {
            limit: Some(1),
            projection: Some(doc! { "_id": 1 }),
            ..FindArgs::default()
        };
        let filter = self.scope.restrict(meta.collection, Document::new());
        let mut rows = driver::open(&self.db, meta.collection, filter, args, None).await?;
        Ok(rows.next(|_| Ok(())).await?.is_some())
    }

    /// The next documents, at most so many and of about 16 MB, of one model; `None` after the last.
    pub(super) async fn next(
        &mut self,
        most: usize,
    ) -> Result<Option<(&'static ModelMeta, Vec<RawDocumentBuf>)>> {
        if self.todo.is_none() {
            self.tenant()?;
            self.todo = self.scope.models(None);
        }
        loop {
            if let Some((meta, rows)) = &mut self.open {
                let (mut page, mut bytes) = (Vec::new(), 0);
                while page.len() < most
                    && bytes < BYTES
                    && let Some(one) = rows.next(|raw| Ok(raw.to_owned())).await?
                {
                    bytes += one.as_bytes().len();
                    page.push(one);
                }
                if !page.is_empty() {
                    return Ok(Some((meta, page)));
                }
            }
            let Some(meta) = self.todo.as_mut().and_then(Vec::pop) else {
                return Ok(None);
            };
            let args = FindArgs {
                projection: (!self.is_whole).then(|| doc! { "_id": 1 }),
                ..FindArgs::default()
            };
            let collection = meta.collection;
            let filter = self.scope.restrict(collection, Document::new());
            let rows = driver::open(&self.db, collection, filter, args, None).await?;
            self.open = Some((meta, rows));
        }
    }
}
