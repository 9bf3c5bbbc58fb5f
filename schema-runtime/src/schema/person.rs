//! The models whose documents are persons.

use crate::schema::model::{Model, ModelMeta};

/// A model whose documents are persons: one of its fields is `#[personal]` itself, and not `of` another person.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no person: none of its own fields is personal [PERSONAL_FIELD]",
    label = "not a person",
    note = "mark a field of `{Self}` with `#[personal]`"
)]
pub trait Person: Model {}

/// True if the documents of a model are persons.
pub(crate) fn is_person(meta: &ModelMeta) -> bool {
    let mut rows = meta.shape.fields.iter().filter_map(|row| row.personal);
    rows.any(|row| row.of.is_none())
}
