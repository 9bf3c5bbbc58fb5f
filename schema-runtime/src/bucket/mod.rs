//! Buckets: models with `bucket(..)`, whose documents hold many small items each; and arrays that overflow into them.
//!
//! The items of one parent fill numbered buckets, one behind the other: bucket 0 until it has taken as many as its array may hold,
//! then bucket 1, and so on. The `_id` of a bucket is its parent and its number ([`BucketId`]), so that of all who open the next one
//! at the same time one does. Every item has an id, and is stored once:
//!
//! * a push asks for the newest bucket and, after that, whether any bucket of the parent holds the item;
//! * then it adds the item to that bucket, while that has room and does not hold it, or opens the next one;
//! * where another was faster it begins again.
//!
//! How many items a bucket has ever taken stands in the document (`_dn.n`), and never gets less: where an item is removed, the number
//! `count` is one less, but a bucket that has been full stays closed. So an item that was not found can only come to be in the newest
//! bucket or in one behind it, and whoever sends it again looks there: sent twice, late, or after the next buckets were opened, it is
//! stored once. An item that was removed is gone, and stored again if it is sent again.
//!
//! An emptied bucket stays, so that the pages keep their numbers.

mod id;
#[cfg(feature = "driver")]
mod look;
mod overflow;
mod push;
mod read;
mod remove;

use std::borrow::Borrow;

use serde::Serialize;
use serde::de::DeserializeOwned;

pub use self::id::BucketId;
pub use self::overflow::{
    AllItems, Placed, PushOver, RemoveOver, SavedWhole, all_over, push_over, remove_over,
};
pub use self::push::{Push, PushMany, Pushed, PushedMany};
pub use self::read::{CountItems, Iterate};
pub use self::remove::{RemoveItem, Removed};
use crate::Database;
use crate::codec::Plain;
use crate::crud::FindOne;
use crate::field::{IntoArg, OneField, Path};
use crate::model::{FieldRow, Model, ModelMeta};

/// How many items a bucket has ever taken.
pub(crate) const TAKEN: &str = "_dn.n";

/// A model with `bucket(..)`. The derive also writes its methods on the model, where they need no import.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a bucket",
    label = "no `bucket(..)`",
    note = "say so on the model: `#[model(collection = \"..\", bucket(<items>))]`"
)]
pub trait Bucketed: Model {
    /// The model that the buckets belong to.
    type Parent: Model;
    /// What a bucket holds many of.
    type Item: Serialize + DeserializeOwned + Send + Sync;
    #[doc(hidden)]
    type Items: Path<Root = Self, Codec = Plain>;
    /// The handle of what tells two items apart.
    #[doc(hidden)]
    type ItemId: OneField;

    /// A bucket without items.
    #[doc(hidden)]
    fn open(parent: &<Self::Parent as Model>::Id, sequence: i64) -> Self;

    /// Its items.
    #[doc(hidden)]
    fn into_items(self) -> Vec<Self::Item>;
}

/// What a field of a new bucket begins with, beside those that a bucket has for itself.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no default: nobody says what this field of a new bucket holds [BUCKET_FIELD]",
    label = "has no `Default`",
    note = "a bucket is opened by pushing items: its other fields begin with their defaults, copies with what their source holds",
    note = "add `#[derive(Default)]` to `{Self}`, or make the field an `Option`"
)]
pub trait InNewBucket {
    /// The value.
    fn begin() -> Self;
}
#[diagnostic::do_not_recommend]
impl<T: Default> InNewBucket for T {
    fn begin() -> Self {
        T::default()
    }
}

/// A model whose documents are stored as a whole: every one but buckets, which are opened by a push.
#[diagnostic::on_unimplemented(
    message = "documents of `{Self}` are not stored as a whole: it is a bucket, or generic code does not say that it is none",
    label = "a bucket, or any model",
    note = "a bucket is opened by pushing items: `{Self}::push(&db, parent, item)`, or `{Self}::push_many(&db, parent, items)`; its other fields are changed with `{Self}::update(&db, id)`",
    note = "generic code: add the bound `{Self}: mongo_model::StoredWhole`, which every model has but buckets"
)]
pub trait StoredWhole {}

/// Where a bucket keeps what.
#[derive(Debug, Clone, Copy)]
pub struct BucketRow {
    items: &'static str,
    parent: &'static str,
    count: &'static str,
    id: &'static str,
}

impl BucketRow {
    /// By the Rust names of the model's fields, and that of what tells two items apart.
    #[must_use]
    pub const fn new(
        items: &'static str,
        parent: &'static str,
        count: &'static str,
        id: &'static str,
    ) -> Self {
        BucketRow {
            items,
            parent,
            count,
            id,
        }
    }

    /// The same by the stored names.
    pub(crate) fn stored(self, meta: &ModelMeta) -> Stored {
        let row = |rust: &str| meta.shape.fields.iter().find(|row| row.rust == rust);
        let name = |rust| row(rust).map_or(rust, |row| row.name);
        let items = row(self.items);
        let inner = items.and_then(|row| row.shape);
        let inner: &[FieldRow] = inner.map_or(&[], |shape| shape.fields);
        let id = inner.iter().find(|row| row.rust == self.id);
        Stored {
            items: name(self.items),
            parent: name(self.parent),
            count: name(self.count),
            id: id.map_or(self.id, |row| row.name),
            max: items.map_or(0, |row| row.max),
        }
    }
}

/// The stored names of what a bucket keeps.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Stored {
    pub(crate) items: &'static str,
    pub(crate) parent: &'static str,
    pub(crate) count: &'static str,
    pub(crate) id: &'static str,
    /// How many items a bucket takes.
    pub(crate) max: u64,
}

impl Stored {
    /// `lines.id`
    pub(crate) fn item_id(&self) -> String {
        format!("{}.{}", self.items, self.id)
    }
}

/// How many items a new document of this model begins with, where it is a bucket.
#[cfg(feature = "driver")]
pub(crate) fn taken(meta: &ModelMeta, document: &bson::RawDocument) -> Option<i64> {
    let items = meta.bucket?.stored(meta).items;
    let items = document.get_array(items).ok();
    let len = items.map_or(0, |items| items.into_iter().count());
    Some(i64::try_from(len).unwrap_or(i64::MAX))
}

/// Stores an item in the newest bucket of its parent, or opens the next one; once, whoever sends it and when. The derive writes it on
/// the model: `LogPage::push(&db, host, line)`.
///
/// Sends one `aggregate` (which is the newest bucket, and is the item there: both by indexes), and one `update`, or one `insert` where a
/// bucket is opened; all again where another writer was faster or an answer was lost. Each write is atomic.
///
/// # Errors
/// Those of [`insert`](crate::MongoModel::insert) and [`update`](crate::MongoModel::update); [`Error::Unsettled`](crate::Error::Unsettled).
pub fn push<'a, M: Bucketed>(
    db: &'a Database,
    parent: impl IntoArg<<M::Parent as Model>::Id>,
    item: impl Borrow<M::Item>,
) -> Push<'a, M> {
    Push::new(db, &parent.into_arg(), item.borrow())
}

/// As [`push`] for many, in their order: `LogPage::push_many(&db, host, lines)`.
///
/// Sends, per 1,000 items, one `aggregate`, one `update` where the newest bucket has room, and one `insert` for all that are opened.
/// Each bucket is written atomically, the whole is not. What had to follow writes before an error is found by
/// [`recover`](crate::recover).
///
/// # Errors
/// Those of `push`; once something is stored, inside [`Error::PushedInPart`](crate::Error::PushedInPart).
pub fn push_many<'a, M: Bucketed>(
    db: &'a Database,
    parent: impl IntoArg<<M::Parent as Model>::Id>,
    items: impl IntoIterator<Item = impl Borrow<M::Item>>,
) -> PushMany<'a, M> {
    PushMany::new(db, &parent.into_arg(), items)
}

/// The bucket with this number, counted from 0: `LogPage::page(&db, host, 3)`. Sends one `find` by `_id`.
///
/// # Errors
/// As [`get`](crate::MongoModel::get).
pub fn page<M: Bucketed>(
    db: &Database,
    parent: impl IntoArg<<M::Parent as Model>::Id>,
    sequence: i64,
) -> FindOne<'_, M> {
    FindOne::new(db, read::one::<M>(&parent.into_arg(), sequence))
}

/// All items of a parent, in the order in which they were stored: `LogPage::iterate(&db, host)`. Sends one `find` along the `_id`s, and
/// `getMore` as the result is read; it is no snapshot.
///
/// # Errors
/// As [`find`](crate::MongoModel::find).
pub fn iterate<M: Bucketed>(
    db: &Database,
    parent: impl IntoArg<<M::Parent as Model>::Id>,
) -> Iterate<'_, M> {
    Iterate::new(db, &parent.into_arg())
}

/// How many items a parent has: `LogPage::count_items(&db, host)`. Sends one `aggregate` along the `_id`s, which reads the number of each
/// bucket.
///
/// # Errors
/// The driver's.
pub fn count_items<M: Bucketed>(
    db: &Database,
    parent: impl IntoArg<<M::Parent as Model>::Id>,
) -> CountItems<'_, M> {
    CountItems::new(db, &parent.into_arg())
}

/// Removes the item with this id: `LogPage::remove_item(&db, host, &id)`. Sends one `find` by index and one `update`, atomic; where the
/// item is nowhere, the `find` alone.
///
/// # Errors
/// Those of [`update`](crate::MongoModel::update).
pub fn remove_item<'a, M: Bucketed>(
    db: &'a Database,
    parent: impl IntoArg<<M::Parent as Model>::Id>,
    id: &<M::ItemId as OneField>::Value,
) -> RemoveItem<'a, M> {
    RemoveItem::new(db, &parent.into_arg(), id)
}
