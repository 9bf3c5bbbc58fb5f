//! The indexes that a migration needs: each is built before the function runs, after the migrations that it comes after.

use crate::driver::Database;
use crate::error::Result;
use crate::index::collect::{asked_keys, definitions};
use crate::index::sync::build_indexes;
use crate::index_spec::definition::Definition;
use crate::schema::field::Field;
use crate::schema::field::place::{Path, path};
use crate::schema::model::ModelMeta;

/// An index of a model, by the fields of its keys.
#[doc(hidden)]
#[derive(Debug, Clone, Copy)]
pub struct NeededIndex {
    /// The model.
    pub model: fn() -> &'static ModelMeta,
    /// The stored paths of the keys, without the tenant.
    pub fields: fn() -> Vec<String>,
}

/// The stored path of a field.
#[doc(hidden)]
#[must_use]
pub fn stored_field<P: Path, T: ?Sized, I, W>(_: Field<P, T, I, W>) -> String {
    path::<P>()
}

impl NeededIndex {
    /// The declared indexes with these keys, whatever their directions and options.
    pub(super) fn definitions(&self) -> Vec<Definition> {
        let (model, fields) = ((self.model)(), (self.fields)());
        let mut all = definitions(model);
        all.retain(|index| asked_keys(model, index).map(|(path, _)| path).eq(&fields));
        all
    }

    /// The indexes as texts: `{ email: 1 } unique of members`.
    pub(super) fn texts(&self) -> Vec<String> {
        let collection = (self.model)().collection;
        let all = self.definitions();
        all.iter()
            .map(|index| format!("{index} of {collection}"))
            .collect()
    }

    /// Builds the indexes that are not there.
    pub(super) async fn build(&self, db: &Database) -> Result<()> {
        build_indexes(db, (self.model)(), self.definitions()).await
    }
}
