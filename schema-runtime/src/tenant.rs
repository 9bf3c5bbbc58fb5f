//! The tenant wall: what the calls of a model with `#[model(tenant = ..)]` take in place of a `Database`.
//!
//! ```
//! use mongo_model::{Database, Id, MongoModel, Result, Tenant, Tenants};
//! use serde::{Deserialize, Serialize};
//!
//! #[derive(Serialize, Deserialize, MongoModel)]
//! #[model(collection = "orgs")]
//! pub struct Org {
//!     #[serde(rename = "_id")]
//!     pub id: Id<Org>,
//! }
//!
//! #[derive(Serialize, Deserialize, MongoModel)]
//! #[model(collection = "invoices", tenant = org)]
//! pub struct Invoice {
//!     #[serde(rename = "_id")]
//!     pub id: Id<Invoice>,
//!     pub org: Id<Org>,
//!     #[index(unique)]
//!     pub number: String,
//! }
//!
//! async fn invoice(db: &Database, org: Id<Org>, number: &str) -> Result<Option<Invoice>> {
//!     let tenant = db.tenant(org);
//!     // The filter is { number, org }; a plain `db` does not compile here.
//!     Invoice::find_one(&tenant, |i| i.number.eq(number)).await
//! }
//! ```

use std::any::TypeId;
use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;

use bson::oid::ObjectId;
use bson::{Bson, Document, RawDocument, doc};

use crate::bson_util::id::Id;
use crate::builder::CallOptions;
use crate::driver::Database;
use crate::error::{Error, Result};
use crate::schema::model::{Model, ModelMeta};
use crate::schema::registry::{model_in, models_of};
use crate::schema::tenant::{same_tenant, tenant_field, tenant_of};

/// The type of a field that says which tenant a document belongs to.
///
/// No string is one: a collation of a collection or of an index may take two strings for equal. No `Option` is one either: a document
/// without a tenant would belong to nobody, or to all.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the tenant of a document [TENANT_FIELD]",
    label = "not the type of a tenant",
    note = "a tenant is an `Id<..>`, an `ObjectId`, a `bson::Uuid`, an `i32` or an `i64`",
    note = "a collation may take two strings for equal, and a document without a tenant would belong to nobody"
)]
pub trait TenantId: Clone + Send + Sync + 'static {
    /// A value until the tenant is known.
    #[doc(hidden)]
    const UNKNOWN: Self;

    /// The stored form.
    #[doc(hidden)]
    fn stored(&self) -> Bson;
}

macro_rules! tenant_ids {
    ($($ty:ty: $unknown:expr;)*) => {$(
        #[diagnostic::do_not_recommend]
        impl TenantId for $ty {
            const UNKNOWN: Self = $unknown;
            fn stored(&self) -> Bson {
                Bson::from(*self)
            }
        }
    )*};
}
tenant_ids!(ObjectId: ObjectId::from_bytes([0; 12]); bson::Uuid: bson::Uuid::from_bytes([0; 16]); i32: 0; i64: 0;);

#[diagnostic::do_not_recommend]
impl<T: ?Sized + 'static, R: TenantId> TenantId for Id<T, R> {
    const UNKNOWN: Self = Id::from_raw(R::UNKNOWN);

    fn stored(&self) -> Bson {
        self.as_raw().stored()
    }
}

/// A database as one tenant sees it: what the calls of models with `#[model(tenant = ..)]` take. `T` is the type of the field that holds
/// the tenant. Made by [`Tenants::tenant`], and for a reason by [`Tenants::across_tenants`].
///
/// It is no [`Database`]: models without a wall, and what works on whole databases, take [`database`](Tenant::database).
#[derive(Clone)]
pub struct Tenant<T: TenantId> {
    db: Database,
    wall: Wall,
    id: Option<T>,
}

impl<T: TenantId> Tenant<T> {
    /// The database, without the wall: for models that all tenants share, and for transactions.
    #[must_use]
    pub fn database(&self) -> &Database {
        &self.db
    }

    /// The tenant, for the field of a new document; `None` across tenants.
    ///
    /// ```
    /// # use mongo_model::{Id, MongoModel, Tenant};
    /// # use serde::{Deserialize, Serialize};
    /// # #[derive(Serialize, Deserialize, MongoModel)]
    /// # #[model(collection = "invoices", tenant = org)]
    /// # pub struct Invoice { #[serde(rename = "_id")] pub id: Id<Invoice>, pub org: i64, pub text: String }
    /// fn invoice(tenant: &Tenant<i64>, text: &str) -> Option<Invoice> {
    ///     let &org = tenant.id()?;
    ///     Some(Invoice { id: Id::new(), org, text: text.to_owned() })
    /// }
    /// ```
    #[must_use]
    pub fn id(&self) -> Option<&T> {
        self.id.as_ref()
    }

    /// The stored id of the tenant; `None` across tenants.
    pub(crate) fn stored_id(&self) -> Option<&Bson> {
        self.wall.tenant()
    }
}

impl<T: TenantId> fmt::Debug for Tenant<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let across = self.wall.reason();
        f.debug_struct("Tenant")
            .field("database", &self.db.name())
            .field("across", &across)
            .finish_non_exhaustive()
    }
}

/// The part of a handle that its calls get: the documents that they see, and the actor that makes them.
#[doc(hidden)]
#[derive(Debug, Clone, Default)]
pub struct Wall {
    /// The stored id of the tenant whose documents they see, in the models whose calls are of this tenant type.
    tenant: Option<(Bson, TypeId)>,
    /// The reason to see the documents of all tenants.
    reason: Option<Arc<str>>,
    /// The actor of the changes.
    actor: Option<Arc<str>>,
}

impl Wall {
    /// The same for calls of this actor.
    pub(crate) fn with_actor(self, actor: Arc<str>) -> Self {
        Wall {
            actor: Some(actor),
            ..self
        }
    }

    /// The stored id of the tenant; `None` across tenants.
    pub(crate) fn tenant(&self) -> Option<&Bson> {
        self.tenant.as_ref().map(|(tenant, _)| tenant)
    }

    /// True if the calls see the documents of all tenants.
    pub(crate) fn is_across(&self) -> bool {
        self.reason.is_some()
    }

    /// Sets the options of a call.
    pub(crate) fn set_options(&self, options: &mut CallOptions) {
        options.reason = self.reason();
        options.actor.clone_from(&self.actor);
    }

    /// The filter, of documents that the call sees.
    pub(crate) fn restrict(&self, meta: &ModelMeta, mut filter: Document) -> Document {
        let (Some(field), Some(tenant)) = (tenant_field(meta), self.tenant()) else {
            return filter;
        };
        let condition = doc! { field: { "$eq": tenant } };
        if filter.contains_key(field) {
            return doc! { "$and": [filter, condition] };
        }
        filter.extend(condition);
        filter
    }

    /// True if the call may store this document.
    pub(crate) fn admits(&self, meta: &ModelMeta, raw: &RawDocument) -> bool {
        match (tenant_field(meta), self.tenant()) {
            (Some(field), Some(tenant)) => tenant_of(field, raw) == *tenant,
            _ => true,
        }
    }

    /// The reason why the call sees the documents of all tenants.
    pub(crate) fn reason(&self) -> Option<Arc<str>> {
        self.reason.clone()
    }
}

/// Makes what the calls of models with a tenant take.
pub trait Tenants {
    /// The documents of one tenant. Every command of a call finds only documents of the tenant, and stored documents have to belong to it.
    fn tenant<T: TenantId>(&self, tenant: T) -> Tenant<T>;

    /// The documents of all tenants, for a reason. It begins the comment of each command of a call (`across tenants: monthly run; ..`),
    /// with the call's own comment behind it, and is the field `mongo_model.across` of the call's span. Commands that calls share, which
    /// keep numbers and lists of children, have no comment, and neither have those that take, end and revive jobs or remove items of
    /// buckets. A write of a whole document still finds it only in the tenant that the document names.
    fn across_tenants<T: TenantId>(&self, reason: impl Into<String>) -> Tenant<T>;
}

impl Tenants for Database {
    fn tenant<T: TenantId>(&self, tenant: T) -> Tenant<T> {
        Tenant {
            db: self.clone(),
            wall: Wall {
                tenant: Some((tenant.stored(), TypeId::of::<Tenant<T>>())),
                ..Wall::default()
            },
            id: Some(tenant),
        }
    }

    fn across_tenants<T: TenantId>(&self, reason: impl Into<String>) -> Tenant<T> {
        Tenant {
            db: self.clone(),
            wall: Wall {
                reason: Some(Arc::from(reason.into())),
                ..Wall::default()
            },
            id: None,
        }
    }
}

/// The handle that the calls of a model take: a [`Database`], with `#[model(tenant = ..)]` a [`Tenant`], and with
/// `history(by = required)` either of them with the name of the [actor](crate::history::Acting).
pub trait Reach: Clone + Send + Sync + Sized + 'static {
    /// The database, and what the handle says about calls.
    #[doc(hidden)]
    fn parts(&self) -> (&Database, Option<&Wall>);

    /// Makes the builder of a call. It is the only way to the database, so no builder is without the condition.
    #[doc(hidden)]
    fn reach<'a, B: Confined>(&'a self, make: impl FnOnce(&'a Database) -> B) -> B {
        match self.parts() {
            (db, None) => make(db),
            (db, Some(wall)) => make(db).confined(wall),
        }
    }
}

impl Reach for Database {
    fn parts(&self) -> (&Database, Option<&Wall>) {
        (self, None)
    }
}

impl<T: TenantId> Reach for Tenant<T> {
    fn parts(&self) -> (&Database, Option<&Wall>) {
        (&self.db, Some(&self.wall))
    }
}

/// A builder that can be confined to the documents of a tenant.
#[doc(hidden)]
pub trait Confined {
    /// Confines the builder to documents that the wall admits, and gives it the options of a call.
    #[must_use]
    fn confined(self, wall: &Wall) -> Self;
}

/// A filter that no builder has.
struct Statement<'a, M> {
    db: &'a Database,
    filter: Document,
    model: PhantomData<fn() -> M>,
}

impl<M: Model> Confined for Statement<'_, M> {
    fn confined(mut self, wall: &Wall) -> Self {
        self.filter = wall.restrict(M::model_meta(), self.filter);
        self
    }
}

/// The database, and the filter for the documents that a call sees.
pub(crate) fn reach_filter<M: Model<DatabaseHandle: Reach>>(
    db: &M::DatabaseHandle,
    filter: Document,
) -> (&Database, Document) {
    let Statement { db, filter, .. } = db.reach(|db| Statement::<M> {
        db,
        filter,
        model: PhantomData,
    });
    (db, filter)
}

/// The documents that the library's own work is about: the documents of all models, or of one tenant.
#[derive(Debug, Clone, Default)]
pub(crate) struct Scope(Option<Wall>);

impl Scope {
    /// The documents that the wall admits: across tenants all.
    pub(crate) fn of_wall(wall: &Wall) -> Self {
        Scope(wall.tenant().map(|_| wall.clone()))
    }

    /// Refuses work that would look at nothing.
    ///
    /// # Errors
    /// [`Error::Impossible`] for a tenant of a type that no model of the program has.
    pub(crate) fn check(&self) -> Result<()> {
        match self.models(None).is_some_and(|models| models.is_empty()) {
            false => Ok(()),
            true => Err(Error::Impossible {
                what: "work for a tenant of a type that no model has".to_owned(),
            }),
        }
    }

    /// The stored id of the tenant; `None` for all documents.
    pub(crate) fn tenant(&self) -> Option<&Bson> {
        self.0.as_ref().and_then(Wall::tenant)
    }

    /// True for all documents.
    pub(crate) fn is_all(&self) -> bool {
        self.0.is_none()
    }

    /// The models, among these or among all, that have documents in the scope; `None` for all models.
    pub(crate) fn models(
        &self,
        asked: Option<&[&'static ModelMeta]>,
    ) -> Option<Vec<&'static ModelMeta>> {
        let Some((_, kind)) = self.0.as_ref().and_then(|wall| wall.tenant.as_ref()) else {
            return asked.map(<[_]>::to_vec);
        };
        let is_asked = |meta: &&ModelMeta| {
            asked.is_none_or(|all| all.iter().any(|one| one.collection == meta.collection))
        };
        Some(models_of(*kind).filter(is_asked).collect())
    }

    /// The filter for the documents of a collection that are in the scope; `None` if the scope has none of the collection.
    pub(crate) fn filter(&self, collection: &str, filter: Document) -> Option<Document> {
        let covers = |models: Vec<&ModelMeta>| {
            let mut models = models.into_iter();
            models.any(|meta| meta.collection == collection)
        };
        let is_inside = self.models(None).is_none_or(covers);
        is_inside.then(|| self.restrict(collection, filter))
    }

    /// The filter for the documents in the scope, if all documents of models without a tenant are in it too.
    pub(crate) fn restrict(&self, collection: &str, filter: Document) -> Document {
        match (&self.0, model_in(collection)) {
            (Some(wall), Some(meta)) => wall.restrict(meta, filter),
            _ => filter,
        }
    }
}

/// The filter of documents that the wall admits.
pub(crate) fn confine<M: Model>(wall: &Wall, filter: Result<Document>) -> Result<Document> {
    filter.map(|filter| wall.restrict(M::model_meta(), filter))
}

/// The condition that a stored document belongs to the tenant of this one.
///
/// # Errors
/// [`Error::OtherTenant`] if the call is of another tenant.
pub(crate) fn own_tenant(wall: &Wall, meta: &ModelMeta, raw: &RawDocument) -> Result<Document> {
    match wall.admits(meta, raw) {
        true => Ok(same_tenant(meta, raw)),
        false => Err(Error::OtherTenant { model: meta.name }),
    }
}
