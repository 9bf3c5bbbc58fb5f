//! Projections: the fields that a read returns, and the copies that stand in for a document that a join did not load.
//!
//! ```no_run
//! # use mongo_model::{MongoModel, MongoProjection}; use mongo_model_guide::shop::*; use serde::Deserialize;
//! # async fn example(db: &mongo_model::Database) -> mongo_model::Result<()> {
//! #[derive(Debug, Deserialize, MongoProjection)]
//! #[projection(of = Product)]
//! struct Listing {
//!     name: String,
//!     catalog_number: i64,
//! }
//!
//! let listings: Vec<Listing> = Product::find(db, |p| p.catalog_number.gt(1000)).project().await?;
//! # Ok(()) }
//! ```

pub(crate) mod borrowed;
mod fallback;
mod matching;
pub(crate) mod versions;

use std::fmt;

use bson::{Document, RawDocument};
use serde::Deserialize;
use serde::de::{DeserializeOwned, Deserializer};

use crate::codec::{CodecError, Read};
use crate::document::key_order::{self, has_compared};
use crate::document::own;
use crate::document::own::in_maps;
use crate::schema::model::{Model, StoredId};
use crate::schema::rows::Shape;

pub use borrowed::Borrowed;
pub use fallback::{FallsBack, fallback_document};
#[doc(hidden)]
pub use matching::{Exactly, NestedViewOf, Optionally, Projectable, ProjectionOf, ReadsAs, ViewOf};

/// A field that a projection reads.
#[derive(Debug, Clone, Copy)]
pub struct ProjectionRow {
    /// The stored name.
    pub name: &'static str,
    /// Other names under which the field is read.
    pub aliases: &'static [&'static str],
    /// For a `#[projection(nested)]` field: the fields that it reads inside; empty for a field that is read whole.
    pub inside: &'static [ProjectionRow],
}

/// A struct that reads some fields of a document. Implemented by `#[derive(MongoProjection)]`, and for `Option`, `Box` and
/// `Vec` of one.
pub trait Projection {
    /// The fields, in declaration order.
    const ROWS: &'static [ProjectionRow];
}

impl<P: Projection> Projection for Option<P> {
    const ROWS: &'static [ProjectionRow] = P::ROWS;
}

impl<P: Projection> Projection for Box<P> {
    const ROWS: &'static [ProjectionRow] = P::ROWS;
}

impl<P: Projection> Projection for Vec<P> {
    const ROWS: &'static [ProjectionRow] = P::ROWS;
}

/// A type that a read of `M` may give: `M` itself, or a projection of it.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a projection of `{M}`",
    label = "not a projection of `{M}`",
    note = "add `#[derive(MongoProjection)]` and `#[projection(of = {M})]` to it"
)]
pub trait Projected<M>: DeserializeOwned + Send + Sync + 'static {
    /// The fields that it reads; `None` for the whole document.
    const ROWS: Option<&'static [ProjectionRow]> = None;
    #[doc(hidden)]
    const SHAPE: Option<&'static Shape> = None;
    #[doc(hidden)]
    const READ: Option<Read<Self>> = None;

    /// The projection in the server's form; `None` for the whole document.
    #[must_use]
    fn projection() -> Option<Document> {
        Self::ROWS.map(inclusion)
    }

    /// A stored document read.
    #[doc(hidden)]
    fn read(raw: &RawDocument) -> Result<Self, CodecError> {
        let has = const { (in_maps(Self::SHAPE), has_compared(Self::SHAPE, "_id")) };
        crate::document::decode_projection(raw, Self::READ, Self::SHAPE, has)
    }
}

impl<M: Model> Projected<M> for M {
    fn read(raw: &RawDocument) -> Result<Self, CodecError> {
        crate::document::decode_document(raw)
    }
}

/// The inclusion document of a projection: the stored paths that it reads, and nothing else. The server adds the `_id` unless
/// the projection excludes it.
fn inclusion(rows: &'static [ProjectionRow]) -> Document {
    let mut out = Document::new();
    if !rows.iter().any(|row| row.name == "_id") {
        out.insert("_id", 0);
    }
    include(rows, "", &mut out);
    out
}

fn include(rows: &'static [ProjectionRow], parent: &str, out: &mut Document) {
    let names = |row: &'static ProjectionRow| {
        let also = row.aliases.iter().copied();
        std::iter::once(row.name)
            .chain(also)
            .map(move |name| (row, name))
    };
    for (row, name) in rows.iter().flat_map(names) {
        let path = if parent.is_empty() {
            name.to_owned()
        } else {
            format!("{parent}.{name}")
        };
        // A parent beside its child is error 31249.
        if row.inside.is_empty() {
            out.insert(path, 1);
        } else {
            include(row.inside, &path, out);
        }
    }
}

/// The `_id` alone.
pub struct OnlyId<M: Model> {
    /// The `_id`.
    pub(crate) id: M::DocumentId,
}

impl<M: Model> fmt::Debug for OnlyId<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("OnlyId")
    }
}

impl<'de, M: Model> Deserialize<'de> for OnlyId<M> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(bound = "")]
        struct Read<M: Model> {
            #[serde(rename = "_id")]
            id: StoredId<M>,
        }
        Ok(OnlyId {
            id: Read::<M>::deserialize(deserializer)?.id.0,
        })
    }
}

impl<M: Model> Projected<M> for OnlyId<M> {
    const ROWS: Option<&'static [ProjectionRow]> = Some(&[ProjectionRow {
        name: "_id",
        aliases: &[],
        inside: &[],
    }]);
}

/// The projection that also gives the field at `path`: loaders need it to assign a document to its reference.
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

/// Gives a part of a document to `each`, without what a flattened map would take of the library's own.
#[inline]
pub(crate) fn lend_part<M, V: Borrowed<M>>(
    raw: &RawDocument,
    each: impl FnOnce(V::Of<'_>),
) -> Result<(), CodecError> {
    if let Some(shape) = V::SHAPE.filter(|shape| has_compared(Some(shape), "_id")) {
        key_order::check(raw, shape)?;
    }
    let shape = V::SHAPE.filter(|shape| in_maps(Some(shape)));
    match shape.and_then(|shape| own::without(raw, shape, false)) {
        Some(without) => each(V::read(&without)?),
        None => each(V::read(raw)?),
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use bson::doc;

    use super::{ProjectionRow, inclusion, with_path};

    const fn row(name: &'static str) -> ProjectionRow {
        ProjectionRow {
            name,
            aliases: &[],
            inside: &[],
        }
    }

    const ADDRESS: &[ProjectionRow] = &[row("city"), nested("geo", &[row("lat")])];
    const ID: &[ProjectionRow] = &[row("_id")];

    const fn nested(name: &'static str, inside: &'static [ProjectionRow]) -> ProjectionRow {
        ProjectionRow {
            name,
            aliases: &[],
            inside,
        }
    }

    #[test]
    fn asks_for_the_paths_read_and_no_more() {
        // An `_id` inside is not the document's, but a part of the `_id` is.
        let cases: [(&'static [ProjectionRow], _); 5] = [
            (ID, doc! { "_id": 1 }),
            (const { &[row("name")] }, doc! { "_id": 0, "name": 1 }),
            (
                const { &[row("name"), row("_id"), nested("address", ADDRESS)] },
                doc! { "name": 1, "_id": 1, "address.city": 1, "address.geo.lat": 1 },
            ),
            (
                const { &[nested("of", ID)] },
                doc! { "_id": 0, "of._id": 1 },
            ),
            (
                const { &[nested("_id", ADDRESS)] },
                doc! { "_id.city": 1, "_id.geo.lat": 1 },
            ),
        ];
        for (rows, expected) in cases {
            assert_eq!(inclusion(rows), expected);
        }
    }

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
