//! What a read asks for, where documents may be of an older version of their schema.

use bson::Document;

use crate::codec::outdated::FIELD;
use crate::schema::model::Model;

/// What a read of `O` asks the server for; `None` for the whole document. Of an older document all is needed.
pub(crate) fn asked<M: Model, O: crate::projection::Projected<M>>() -> Option<Document> {
    asked_for::<M>(O::projection()?, only_id::<M, O>())
}

/// As [`asked`], for what else than a [`Projected`](crate::Projected) reads.
pub(crate) fn asked_for<M: Model>(projection: Document, only_id: bool) -> Option<Document> {
    match M::SCHEMA {
        Some(_) if only_id => Some(projection),
        Some(schema) if schema.migrate.is_some() => None,
        Some(_) => Some(crate::projection::with_path(projection, FIELD)),
        None => Some(projection),
    }
}

/// Whether a read of `O` takes the `_id` alone, which no migration changes.
pub(crate) fn only_id<M: Model, O: crate::projection::Projected<M>>() -> bool {
    O::ROWS.is_some_and(|rows| rows.iter().all(|row| row.name == "_id"))
}
