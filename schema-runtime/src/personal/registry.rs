//! The models that hold personal fields at any depth, as their derives have submitted them.

use futures::future::BoxFuture;

use bson::Document;

use crate::driver::{Database, durable_concern};
use crate::error::Result;
use crate::outcome::Outcome;
use crate::schema::model::{Model, ModelMeta};
use crate::schema::person::hold_personal;
use crate::schema::relation::Level;
use crate::schema::value::Value;
use crate::write::cardinality::Many;
use crate::write::change::ops::Changes;
use crate::write::change::{ErasedValues, Patch, PatchChanges, Update};

/// A model that may hold personal fields, submitted by its derive.
#[derive(Debug, Clone, Copy)]
pub struct PersonalModel {
    pub(super) meta: fn() -> &'static ModelMeta,
    /// `None` if it holds none.
    updates: Option<Updates>,
}

/// The updates of an erase in documents of one model.
#[derive(Debug, Clone, Copy)]
pub(super) struct Updates {
    /// Sets values in the document of the person, or where there are `many` in all documents of the filter.
    pub(super) send: for<'a> fn(&'a Database, Document, ErasedValues, bool) -> Sent<'a>,
    /// Checks that the model can hold the values.
    pub(super) check: fn(ErasedValues) -> Result<()>,
}

type Sent<'a> = BoxFuture<'a, Result<Outcome>>;

inventory::collect!(PersonalModel);

impl PersonalModel {
    /// For the derives. What sends the updates is compiled for models with personal fields only.
    #[must_use]
    pub const fn of<M: Model + Value>() -> Self {
        let updates = match hold_personal(M::FIELDS) {
            true => Some(Updates {
                send: send::<M>,
                check: check::<M>,
            }),
            false => None,
        };
        PersonalModel {
            meta: M::model_meta,
            updates,
        }
    }
}

fn send<M: Model>(db: &Database, filter: Document, values: ErasedValues, many: bool) -> Sent<'_> {
    if many {
        let many = Update::<M, Many>::filtered(db, Ok(filter)).patch(values);
        let many = many.level(Level::Eventual).settled();
        many.write_concern(durable_concern()).into_future()
    } else {
        let one = Update::<M>::filtered(db, Ok(filter)).patch(values);
        let one = one.level(Level::Eventual).settled();
        one.write_concern(durable_concern()).into_future()
    }
}

fn check<M: Model>(values: ErasedValues) -> Result<()> {
    let mut changes = Changes::default();
    Patch::<M>::change(values, &mut PatchChanges::new(&mut changes));
    changes.check::<M>()
}

/// The models with personal fields and their updates, by collection and name.
pub(super) fn personal_models() -> Vec<(&'static ModelMeta, Updates)> {
    let all = inventory::iter::<PersonalModel>.into_iter();
    let all = all.filter_map(|one| Some(((one.meta)(), one.updates?)));
    let mut all: Vec<_> = all.collect();
    all.sort_by_key(|(meta, _)| (meta.collection, meta.name));
    all
}
