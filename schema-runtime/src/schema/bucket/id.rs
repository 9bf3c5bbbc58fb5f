//! The `_id` of a bucket.

use std::fmt;
use std::hash::{Hash, Hasher};

use bson::{Bson, Document, doc};
use serde::{Deserialize, Serialize};

use crate::schema::field::NoFields;
use crate::schema::field::place::Path;
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

impl<P: Model> Clone for BucketId<P> {
    fn clone(&self) -> Self {
        BucketId::new(self.h.clone(), self.s)
    }
}

impl<P: Model> Copy for BucketId<P> where P::DocumentId: Copy {}

impl<P: Model> PartialEq for BucketId<P>
where
    P::DocumentId: PartialEq,
{
    fn eq(&self, other: &Self) -> bool {
        self.h == other.h && self.s == other.s
    }
}

impl<P: Model> Eq for BucketId<P> where P::DocumentId: Eq {}

impl<P: Model> Hash for BucketId<P>
where
    P::DocumentId: Hash,
{
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.h.hash(state);
        self.s.hash(state);
    }
}

impl<P: Model> fmt::Debug for BucketId<P>
where
    P::DocumentId: fmt::Debug,
{
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("BucketId")
            .field(&self.h)
            .field(&self.s)
            .finish()
    }
}

impl<P: Model> Value for BucketId<P>
where
    P::DocumentId: Value,
{
    type Elem = Self;
    type Sub<Q: Path> = NoFields;
    const KIND: Kind = Kind::Document;
    const SHAPE: Option<&'static Shape> = Some(&Shape {
        name: "BucketId",
        fields: Self::FIELDS,
    });
    const FIELDS: &'static [FieldRow] = &[row::<P::DocumentId>("h", "h"), row::<i64>("s", "s")];
    const SIZE: Size = Size::of(Self::FIELDS, 0, 2);
}

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
