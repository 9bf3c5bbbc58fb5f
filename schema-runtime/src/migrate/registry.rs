//! The migrations that the derives have submitted.

use std::future::IntoFuture;

use crate::schema::model::{Model, ModelMeta};

/// The migration of one model, submitted by its derive where the model has a `schema_version`.
#[derive(Debug, Clone, Copy)]
pub struct Migratable {
    meta: fn() -> &'static ModelMeta,
    migrate: Migrating,
}

/// [`MongoModel::migrate`](crate::MongoModel::migrate) of one model: a batch size, and a call after each batch.
type Migrating = for<'a> fn(
    &'a crate::driver::Database,
    u32,
    Box<dyn FnMut(&crate::migrate::batch::Migrated) + Send + 'a>,
) -> futures::future::BoxFuture<
    'a,
    crate::error::Result<crate::migrate::batch::Migrated>,
>;

inventory::collect!(Migratable);

impl Migratable {
    /// For the derives.
    #[must_use]
    pub const fn of<M: Model>() -> Self {
        Migratable {
            meta: M::model_meta,
            migrate: |db, batch, progress| {
                Box::pin(
                    crate::migrate::batch::Migrate::<M>::new(db)
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
#[doc(hidden)]
pub fn migrate_model<'a>(
    db: &'a crate::driver::Database,
    meta: &ModelMeta,
    batch: u32,
    progress: impl FnMut(&crate::migrate::batch::Migrated) + Send + 'a,
) -> Option<futures::future::BoxFuture<'a, crate::error::Result<crate::migrate::batch::Migrated>>> {
    let found = inventory::iter::<Migratable>
        .into_iter()
        .find(|one| std::ptr::eq((one.meta)(), meta))?;
    Some((found.migrate)(db, batch, Box::new(progress)))
}
