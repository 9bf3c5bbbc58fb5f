//! The projection of a read whose documents may be of an older version of their schema.

use bson::Document;

use crate::codec::outdated::FIELD;
use crate::schema::model::Model;

/// The projection for a read of `O`; `None` for the whole document, all of which the migration of an older document needs.
pub(crate) fn asked<M: Model, O: crate::projection::Projected<M>>() -> Option<Document> {
    asked_for::<M>(O::projection()?, only_id::<M, O>())
}

/// As [`asked`], for reads other than those of a [`Projected`](crate::Projected).
pub(crate) fn asked_for<M: Model>(projection: Document, only_id: bool) -> Option<Document> {
    match M::SCHEMA {
        Some(_) if only_id => Some(projection),
        Some(schema) if schema.migrate.is_some() => None,
        Some(_) => Some(crate::projection::with_path(projection, FIELD)),
        None => Some(projection),
    }
}

/// True if a read of `O` takes the `_id` alone, which no migration changes.
pub(crate) fn only_id<M: Model, O: crate::projection::Projected<M>>() -> bool {
    O::ROWS.is_some_and(|rows| rows.iter().all(|row| row.name == "_id"))
}
