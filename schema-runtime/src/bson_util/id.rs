//! A typed id: `Id<Part>` cannot be mistaken for the id of a host.

use std::any::type_name;
use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::marker::PhantomData;
use std::str::FromStr;

use bson::Bson;
use bson::oid::ObjectId;
use serde::ser::Impossible;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// The `_id` of a model `T`, stored as its raw value `R` and nothing else.
///
/// Serde writes and reads `R` itself, so that a field may change between `ObjectId` and `Id<T>` without touching stored data. Only as
/// the key of a map, which is a string, is an ObjectId written as its 24 hexadecimal digits.
///
/// ```
/// use mongo_model::Id;
/// struct Part;
/// let id: Id<Part> = Id::new();
/// assert_eq!(id.to_string().len(), 24);
/// ```
pub struct Id<T: ?Sized, R = ObjectId> {
    raw: R,
    model: PhantomData<fn() -> Box<T>>,
}

impl<T: ?Sized> Id<T> {
    /// A new ObjectId, unique as MongoDB's drivers make them.
    #[must_use]
    pub fn new() -> Self {
        Id::from_raw(ObjectId::new())
    }
}

/// A new id, as [`Id::new`] makes it: each default is another id, so that a document with `..Default::default()` has one of its own.
impl<T: ?Sized> Default for Id<T> {
    fn default() -> Self {
        Id::new()
    }
}

impl<T: ?Sized, R> Id<T, R> {
    /// Makes `raw` the id of a `T`.
    #[must_use]
    pub const fn from_raw(raw: R) -> Self {
        Id {
            raw,
            model: PhantomData,
        }
    }

    /// The stored value.
    #[must_use]
    pub const fn as_raw(&self) -> &R {
        &self.raw
    }

    /// The stored value, owned.
    #[must_use]
    pub fn into_raw(self) -> R {
        self.raw
    }
}

impl<T: ?Sized, R> From<R> for Id<T, R> {
    fn from(raw: R) -> Self {
        Id::from_raw(raw)
    }
}

/// The stored value, for documents that a program builds for the driver: `doc! { "_id": id }`.
impl<T: ?Sized, R: Into<Bson>> From<Id<T, R>> for Bson {
    fn from(id: Id<T, R>) -> Self {
        id.into_raw().into()
    }
}

impl<T: ?Sized, R: FromStr> FromStr for Id<T, R> {
    type Err = R::Err;

    fn from_str(text: &str) -> Result<Self, R::Err> {
        R::from_str(text).map(Id::from_raw)
    }
}

impl<T: ?Sized, R: Clone> Clone for Id<T, R> {
    fn clone(&self) -> Self {
        Id::from_raw(self.raw.clone())
    }
}

impl<T: ?Sized, R: Copy> Copy for Id<T, R> {}

impl<T: ?Sized, R: PartialEq> PartialEq for Id<T, R> {
    fn eq(&self, other: &Self) -> bool {
        self.raw == other.raw
    }
}

impl<T: ?Sized, R: Eq> Eq for Id<T, R> {}

impl<T: ?Sized, R: PartialOrd> PartialOrd for Id<T, R> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        self.raw.partial_cmp(&other.raw)
    }
}

impl<T: ?Sized, R: Ord> Ord for Id<T, R> {
    fn cmp(&self, other: &Self) -> Ordering {
        self.raw.cmp(&other.raw)
    }
}

impl<T: ?Sized, R: Hash> Hash for Id<T, R> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.raw.hash(state);
    }
}

impl<T: ?Sized, R: fmt::Debug> fmt::Debug for Id<T, R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.raw.fmt(f)
    }
}

impl<T: ?Sized, R: fmt::Display> fmt::Display for Id<T, R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.raw.fmt(f)
    }
}

impl<T: ?Sized, R: Serialize> Serialize for Id<T, R> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        // An ObjectId is no key of a map, but its text is.
        if takes_no_documents::<S>()
            && let Ok(Bson::ObjectId(raw)) = bson::serialize_to_bson(&self.raw)
        {
            return serializer.serialize_str(&raw.to_hex());
        }
        self.raw.serialize(serializer)
    }
}

/// True for a serializer that takes no documents, for example the serializer of a map's keys: its type for structs has no values.
fn takes_no_documents<S: Serializer>() -> bool {
    size_of::<S::SerializeStruct>() == 0
        && type_name::<S::SerializeStruct>() == type_name::<Impossible<S::Ok, S::Error>>()
}

impl<'de, T: ?Sized, R: Deserialize<'de>> Deserialize<'de> for Id<T, R> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        R::deserialize(deserializer).map(Id::from_raw)
    }
}
