//! The traits and the table row that the derive writes for a bucket.

pub(crate) mod id;

use bson::doc;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::codec::Plain;
use crate::schema::field::OneField;
use crate::schema::field::place::Path;
use crate::schema::model::{Model, ModelMeta};
use crate::schema::rows::FieldRow;

/// A model without an array that overflows: a save can store its documents over stored ones.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not saved as a whole: it overflows into buckets, or generic code does not say that it does not",
    label = "has an array with `overflow`, or is any model",
    note = "saved as a whole, a document would take back what it says of its buckets: change what is stored with `{Self}::update(&db, id)`; items with `push_<item>` and `remove_<item>` of the model",
    note = "generic code: add the bound `{Self}: mongo_model::Replaceable`"
)]
pub trait Replaceable {}

/// A model with `bucket(..)`. The derive also writes its methods on the model, where they need no import.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a bucket",
    label = "no `bucket(..)`",
    note = "say so on the model: `#[model(collection = \"..\", bucket(<items>))]`"
)]
pub trait Bucketed: Model {
    /// The model that the buckets belong to.
    type Parent: Model;
    /// The type of the items in a bucket.
    type Item: Serialize + DeserializeOwned + Send + Sync;
    #[doc(hidden)]
    type Items: Path<Root = Self, Codec = Plain>;
    /// The handle of the value that distinguishes two items.
    #[doc(hidden)]
    type ItemId: OneField;

    /// A bucket without items.
    #[doc(hidden)]
    fn open(parent: &<Self::Parent as Model>::DocumentId, sequence: i64) -> Self;

    /// The items of the bucket.
    #[doc(hidden)]
    fn into_items(self) -> Vec<Self::Item>;
}

/// The initial value of a field in a new bucket, other than the fields that every bucket has.
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
    note = "generic code: add the bound `{Self}: mongo_model::Insertable`, which every model has but buckets"
)]
pub trait Insertable {}

/// The fields in which a bucket keeps its data.
#[derive(Debug, Clone, Copy)]
pub struct BucketRow {
    items: &'static str,
    parent: &'static str,
    count: &'static str,
    id: &'static str,
}

impl BucketRow {
    /// The row, by the Rust names of the model's fields, and of the value that distinguishes two items.
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

    /// The row by the stored names.
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

/// The stored names of the fields in which a bucket keeps its data.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Stored {
    pub(crate) items: &'static str,
    pub(crate) parent: &'static str,
    pub(crate) count: &'static str,
    pub(crate) id: &'static str,
    /// The largest number of items in a bucket.
    pub(crate) max: u64,
}

impl Stored {
    /// `lines.id`
    pub(crate) fn item_id(&self) -> String {
        format!("{}.{}", self.items, self.id)
    }
}

/// The number of items in a new document of this model, if the model is a bucket.
pub(crate) fn taken(meta: &ModelMeta, document: &bson::RawDocument) -> Option<i64> {
    let items = meta.bucket?.stored(meta).items;
    let items = document.get_array(items).ok();
    let len = items.map_or(0, |items| items.into_iter().count());
    Some(i64::try_from(len).unwrap_or(i64::MAX))
}
