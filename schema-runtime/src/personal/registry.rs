//! The models with personal fields, as their derives have submitted them.

use futures::future::BoxFuture;

use bson::Document;

use crate::driver::{Database, durable_concern};
use crate::error::Result;
use crate::outcome::Outcome;
use crate::schema::model::{Model, ModelMeta};
use crate::schema::relation::Level;
use crate::write::cardinality::Many;
use crate::write::change::ops::Changes;
use crate::write::change::{Patch, PatchChanges, Update};

/// A model with personal fields. Written by its derive.
pub trait Erasable: Model {
    /// Sets the personal fields of the person that this reference leads to, or of the person that the document is, to their erased values.
    fn erase(changes: &mut PatchChanges<'_, Self>, of: Option<&str>, id: &str);
}

/// The text in place of an erased one: `{id}` in it is the `_id` of the person.
#[must_use]
pub fn erased_text(text: &str, id: &str) -> String {
    text.replace("{id}", id)
}

/// A model with personal fields, submitted by its derive.
#[derive(Debug, Clone, Copy)]
pub struct PersonalModel {
    pub(super) meta: fn() -> &'static ModelMeta,
    pub(super) erase:
        for<'a> fn(&'a Database, Document, Erased<'_>) -> BoxFuture<'a, Result<Outcome>>,
    pub(super) check: fn(Erased<'_>) -> Result<()>,
}

inventory::collect!(PersonalModel);

impl PersonalModel {
    /// For the derives.
    #[must_use]
    pub const fn of<M: Erasable>() -> Self {
        PersonalModel {
            meta: M::model_meta,
            erase: |db, filter, erased| match erased.of {
                None => {
                    let one = Update::<M>::filtered(db, Ok(filter)).patch(erased);
                    let one = one.level(Level::Eventual).settled();
                    one.write_concern(durable_concern()).into_future()
                }
                Some(_) => {
                    let many = Update::<M, Many>::filtered(db, Ok(filter)).patch(erased);
                    let many = many.level(Level::Eventual).settled();
                    many.write_concern(durable_concern()).into_future()
                }
            },
            check: |erased| {
                let mut changes = Changes::default();
                M::erase(&mut PatchChanges::new(&mut changes), erased.of, erased.id);
                changes.check::<M>()
            },
        }
    }
}

/// The erased values of one reference, of the person with this `_id`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Erased<'e> {
    pub(super) of: Option<&'static str>,
    pub(super) id: &'e str,
}

impl<M: Erasable> Patch<M> for Erased<'_> {
    fn change(self, changes: &mut PatchChanges<'_, M>) {
        M::erase(changes, self.of, self.id);
    }
}

/// All models with personal fields, by collection and name.
pub(super) fn personal_models() -> Vec<&'static PersonalModel> {
    let mut all: Vec<_> = inventory::iter::<PersonalModel>.into_iter().collect();
    all.sort_by_key(|one| ((one.meta)().collection, (one.meta)().name));
    all
}
