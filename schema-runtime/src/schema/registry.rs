//! The link-time registry: every model of the program, whichever crate it is in.

#[cfg(feature = "driver")]
use std::collections::HashSet;
#[cfg(feature = "driver")]
use std::future::IntoFuture;
#[cfg(feature = "driver")]
use std::sync::OnceLock;

use bson::RawDocument;

use crate::codec::CodecError;
use crate::schema::model::{Model, ModelMeta};

/// One model, submitted by its derive, and whether a stored document is one of it.
#[derive(Debug, Clone, Copy)]
pub struct Registered(
    pub fn() -> &'static ModelMeta,
    pub fn(&RawDocument) -> Result<(), CodecError>,
);

inventory::collect!(Registered);

/// True where several models linked into the program store their documents in this collection.
#[cfg(feature = "driver")]
pub(crate) fn shares(collection: &str) -> bool {
    static SHARED: OnceLock<HashSet<&'static str>> = OnceLock::new();
    let shared = SHARED.get_or_init(|| {
        let models = models();
        let pairs = models.windows(2);
        pairs
            .filter(|pair| pair[0].collection == pair[1].collection)
            .map(|pair| pair[0].collection)
            .collect()
    });
    shared.contains(collection)
}

/// Every model linked into the program with what its derive submitted, by collection and name.
#[cfg(feature = "driver")]
pub(crate) fn registered() -> Vec<Registered> {
    let mut all: Vec<Registered> = inventory::iter::<Registered>.into_iter().copied().collect();
    all.sort_by_key(|one| (one.0().collection, one.0().name));
    all
}

/// The migration of one model, submitted by its derive where the model has a `schema_version`.
#[derive(Debug, Clone, Copy)]
pub struct Migratable {
    meta: fn() -> &'static ModelMeta,
    #[cfg(feature = "driver")]
    migrate: Migrating,
}

/// [`MongoModel::migrate`](crate::MongoModel::migrate) of one model: a batch size, and a call after each batch.
#[cfg(feature = "driver")]
type Migrating =
    for<'a> fn(
        &'a crate::Database,
        u32,
        Box<dyn FnMut(&crate::migrate::Migrated) + Send + 'a>,
    ) -> futures::future::BoxFuture<'a, crate::Result<crate::migrate::Migrated>>;

inventory::collect!(Migratable);

impl Migratable {
    /// For the derives.
    #[must_use]
    pub const fn of<M: Model>() -> Self {
        Migratable {
            meta: M::model_meta,
            #[cfg(feature = "driver")]
            migrate: |db, batch, progress| {
                Box::pin(
                    crate::migrate::Migrate::<M>::new(db)
                        .batch(batch)
                        .progress(progress)
                        .into_future(),
                )
            },
        }
    }
}

/// Migrates the documents of one model as [`MongoModel::migrate`](crate::MongoModel::migrate) does, for programs that know the
/// model by its tables only; `None` for a model without a `schema_version`.
#[cfg(feature = "driver")]
#[doc(hidden)]
pub fn migrate_model<'a>(
    db: &'a crate::Database,
    meta: &ModelMeta,
    batch: u32,
    progress: impl FnMut(&crate::migrate::Migrated) + Send + 'a,
) -> Option<futures::future::BoxFuture<'a, crate::Result<crate::migrate::Migrated>>> {
    let found = inventory::iter::<Migratable>
        .into_iter()
        .find(|one| std::ptr::eq((one.meta)(), meta))?;
    Some((found.migrate)(db, batch, Box::new(progress)))
}

/// Every model linked into the program, by collection and name. The order does not depend on the linker.
#[must_use]
pub fn models() -> Vec<&'static ModelMeta> {
    let mut models: Vec<_> = inventory::iter::<Registered>
        .into_iter()
        .map(|found| found.0())
        .collect();
    models.sort_by_key(|model| (model.collection, model.name));
    models
}
