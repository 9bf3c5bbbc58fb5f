//! What a read asks for: the whole document, or a projection of it.

mod fallback;

use std::fmt;

use bson::{Document, doc};
use serde::Deserialize;
use serde::de::{DeserializeOwned, Deserializer};

pub use self::fallback::{FallsBack, fallback_document};
use crate::model::MongoModel;

/// A type that a read of `M` may give: `M` itself, or a projection of it.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a projection of `{M}`",
    label = "not a projection of `{M}`",
    note = "add `#[derive(MongoProjection)]` and `#[projection(of = {M})]` to it"
)]
pub trait Projected<M: MongoModel>: DeserializeOwned + Send + Sync + 'static {
    /// What is asked for, as the server takes it; `None` for the whole document.
    fn projection() -> Option<Document>;
}

impl<M: MongoModel> Projected<M> for M {
    fn projection() -> Option<Document> {
        None
    }
}

/// The `_id` alone.
pub struct OnlyId<M: MongoModel> {
    /// The `_id`.
    pub(crate) id: M::Id,
}

impl<M: MongoModel> fmt::Debug for OnlyId<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("OnlyId")
    }
}

impl<'de, M: MongoModel> Deserialize<'de> for OnlyId<M> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        struct Read<I> {
            #[serde(rename = "_id")]
            id: I,
        }
        Ok(OnlyId {
            id: Read::deserialize(deserializer)?.id,
        })
    }
}

impl<M: MongoModel> Projected<M> for OnlyId<M> {
    fn projection() -> Option<Document> {
        Some(doc! { "_id": 1 })
    }
}

/// The projection that also gives the field at `path`: loaders need it to tell whose a document is.
pub(crate) fn with_path(mut projection: Document, path: &str) -> Document {
    if path == "_id" {
        projection.insert("_id", 1);
        return projection;
    }
    let inside = |outer: &str, inner: &str| {
        let rest = inner.strip_prefix(outer);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    };
    if projection.keys().any(|given| inside(given, path)) {
        return projection;
    }
    // The server refuses a path beside one inside it: the whole takes the place of its parts.
    let parts: Vec<String> = projection
        .keys()
        .filter(|given| inside(path, given))
        .cloned()
        .collect();
    for part in parts {
        projection.remove(&part);
    }
    projection.insert(path, 1);
    projection
}

#[cfg(test)]
mod tests {
    use bson::doc;

    use super::with_path;

    #[test]
    fn the_join_key_is_added_once() {
        let added = |projection, path| with_path(projection, path);
        assert_eq!(
            added(doc! { "name": 1, "_id": 0 }, "_id"),
            doc! { "name": 1, "_id": 1 }
        );
        assert_eq!(
            added(doc! { "name": 1, "_id": 0 }, "host"),
            doc! { "name": 1, "_id": 0, "host": 1 }
        );
        assert_eq!(
            added(doc! { "author": 1 }, "author.id"),
            doc! { "author": 1 }
        );
        assert_eq!(
            added(doc! { "host.name": 1, "hosts": 1 }, "host"),
            doc! { "hosts": 1, "host": 1 }
        );
    }
}
