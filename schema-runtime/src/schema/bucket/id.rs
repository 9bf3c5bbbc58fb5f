//! The `_id` of a bucket.

use bson::{Bson, Document, doc};
use serde::{Deserialize, Serialize};

use crate::schema::field::NoFields;
use crate::schema::field::place::Path;
use crate::schema::keyed_by_parent::keyed_by_parent;
use crate::schema::model::Model;
use crate::schema::rows::{FieldRow, Kind, Shape};
use crate::schema::value::{Size, Value, row};

/// The `_id` of a bucket: the `_id` of the `P` that it belongs to, and its number among that parent's buckets, counted from 0.
/// Stored as `{ h: <the parent's _id>, s: <the number> }`.
#[derive(Serialize, Deserialize)]
#[serde(bound = "")]
pub struct BucketId<P: Model> {
    #[serde(serialize_with = "P::write_id", deserialize_with = "P::read_id")]
    h: P::DocumentId,
    s: i64,
}

impl<P: Model> BucketId<P> {
    /// The bucket with this number.
    #[must_use]
    pub const fn new(parent: P::DocumentId, sequence: i64) -> Self {
        BucketId {
            h: parent,
            s: sequence,
        }
    }

    /// The `_id` of the bucket's parent.
    #[must_use]
    pub const fn parent(&self) -> &P::DocumentId {
        &self.h
    }

    /// The number of the bucket among those of its parent, counted from 0.
    #[must_use]
    pub const fn sequence(&self) -> i64 {
        self.s
    }
}

keyed_by_parent!(BucketId { h, s: i64 });

/// The `_id` of the bucket with this number, as it is stored.
pub(crate) fn numbered(parent: &Bson, sequence: i64) -> Bson {
    Bson::Document(doc! { "h": parent.clone(), "s": sequence })
}

/// All buckets of a parent: in the index of the `_id` they stand one behind the other, in the order of their numbers.
pub(crate) fn all_of(parent: &Bson) -> Document {
    doc! { "_id": {
        "$gt": { "h": parent.clone(), "s": Bson::MinKey },
        "$lt": { "h": parent.clone(), "s": Bson::MaxKey },
    } }
}
