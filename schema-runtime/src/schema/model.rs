//! A model: its tables, and the trait that the derive implements.

use std::sync::OnceLock;

use bson::Bson;
use serde::de::{Deserialize, DeserializeOwned, Deserializer};
use serde::ser::{Serialize, Serializer};

use crate::schema::access::AccessRow;
use crate::schema::bucket::BucketRow;
use crate::schema::checks::{DocumentJudge, Rules};
use crate::schema::comparison::Comparison;
use crate::schema::events::EventsRow;
use crate::schema::field::Handles;
use crate::schema::history::HistoryRow;
use crate::schema::index_row::IndexRow;
use crate::schema::migration::SchemaRow;
use crate::schema::queue::QueueRow;
use crate::schema::rows::{Advice, Shape};
use crate::schema::value::{Size, Value};

/// The default options for reading and writing the documents of a model: `#[model(options(..))]`. An option that is
/// `None` is taken from the database handle.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OptionsRow {
    /// `primary`, `primaryPreferred`, `secondary`, `secondaryPreferred` or `nearest`.
    pub read_preference: Option<&'static str>,
    /// The level of a read concern.
    pub read_concern: Option<&'static str>,
    /// `majority`, or the number of servers.
    pub write_concern: Option<&'static str>,
    /// The time in milliseconds after which the server gives up on a read.
    pub max_time_ms: Option<u64>,
}

impl OptionsRow {
    /// No options.
    pub const NONE: OptionsRow = OptionsRow {
        read_preference: None,
        read_concern: None,
        write_concern: None,
        max_time_ms: None,
    };
}

/// The key by which a sharded cluster distributes the documents of a model: `#[model(shard_key(..))]`. It ends with the `_id`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ShardKeyRow {
    /// True if the tenant stands before the `_id`.
    pub by_tenant: bool,
    /// True if the `_id` is hashed.
    pub hashed: bool,
}

/// A model: one collection, its fields, its indexes. Written by `#[derive(MongoModel)]` as a static.
#[derive(Debug)]
pub struct ModelMeta {
    /// The Rust name: `Product`.
    pub name: &'static str,
    /// The collection: `products`.
    pub collection: &'static str,
    /// The fields.
    pub shape: &'static Shape,
    /// Indexes declared on the model itself; those on fields are in the field rows.
    pub indexes: &'static [IndexRow],
    /// Sizes of the model's documents, as far as bounds determine them.
    pub size: Size,
    /// The derive's advice (levels below an error).
    pub advice: &'static [Advice],
    /// The codes of the rules that are allowed, on the model or on a field of the model.
    pub allowed: &'static [&'static str],
    /// The fields by which documents are taken as jobs, if the model is a queue.
    pub queue: Option<QueueRow>,
    /// The events that writes of the documents emit, if the model has any.
    pub events: Option<EventsRow>,
    /// The history of the documents, if the model keeps it.
    pub history: Option<HistoryRow>,
    /// The default options for reading and writing documents of the model.
    pub options: OptionsRow,
    /// The fields in which the model keeps its items, if it is a bucket.
    pub bucket: Option<BucketRow>,
    /// The version of the model's schema, if it declares one.
    pub schema: Option<SchemaRow>,
    /// The access patterns that the model declares.
    pub accesses: &'static [AccessRow],
    /// The model whose collection this one shares, if it declares one.
    pub shares: Option<fn() -> &'static ModelMeta>,
    /// The comparisons of fields that every document meets.
    pub comparisons: &'static [Comparison],
    /// The functions that judge whole documents.
    pub judges: &'static [DocumentJudge],
    /// True if the model is `strict`.
    pub strict: bool,
    /// The key by which a sharded cluster distributes the documents, if the model declares one.
    pub shard_key: Option<ShardKeyRow>,
    #[doc(hidden)]
    pub cache: OnceLock<crate::schema::flat::Flat>,
}

impl ModelMeta {
    /// The tables of a model that declares nothing but its fields.
    #[doc(hidden)]
    #[must_use]
    pub const fn new(name: &'static str, collection: &'static str, shape: &'static Shape) -> Self {
        ModelMeta {
            name,
            collection,
            shape,
            indexes: &[],
            size: Size::SCALAR,
            advice: &[],
            allowed: &[],
            queue: None,
            events: None,
            history: None,
            options: OptionsRow::NONE,
            bucket: None,
            schema: None,
            accesses: &[],
            shares: None,
            comparisons: &[],
            judges: &[],
            strict: false,
            shard_key: None,
            cache: OnceLock::new(),
        }
    }

    /// The rules about values that count in a write (`write` true), or in stored documents.
    pub(crate) const fn rules(&self, write: bool) -> Rules {
        Rules {
            strict: self.strict,
            write,
        }
    }

    /// The comparisons of fields that stored documents have to meet.
    pub fn stored_comparisons(&self) -> impl Iterator<Item = &'static Comparison> + use<> {
        let all = self.comparisons.iter();
        all.filter(|comparison| !comparison.on_write)
    }
}

/// The part of a model that the derive writes. Users name [`MongoModel`](crate::MongoModel), which every model is.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a model: it owns no collection",
    label = "not a model",
    note = "add `#[derive(MongoModel)]` and `#[model(collection = \"..\")]` to `{Self}`"
)]
pub trait Model: Value + Serialize + DeserializeOwned + Send + Sync + 'static {
    /// The type of the `_id`.
    type DocumentId: Serialize + DeserializeOwned + Clone + Send + Sync + 'static;
    /// The field handles.
    type FieldHandles: Handles;
    /// The type of the database handle that calls of the model take.
    #[cfg(feature = "driver")]
    type DatabaseHandle: Send + Sync + 'static;
    /// That handle without the name of an actor: equal for models behind one wall.
    #[cfg(feature = "driver")]
    type TenantHandle: Send + Sync + 'static;

    /// The generated codec, where the derive has made one.
    const CODEC: Option<crate::codec::Codec<Self>> = None;

    /// The version of the model's schema, if it declares one.
    const SCHEMA: Option<SchemaRow> = None;

    /// The model's tables.
    fn model_meta() -> &'static ModelMeta;

    /// The `_id` of this document.
    ///
    /// # Panics
    /// On the `#[serde(other)]` variant of an enum model: a document of an unknown kind has no `_id` in memory.
    fn document_id(&self) -> &Self::DocumentId;

    /// True if the document is the `#[serde(other)]` variant of an enum model, which holds no document.
    fn is_unknown(&self) -> bool {
        false
    }

    /// Writes an `_id` as documents store it: by the functions of its `#[serde(with = ..)]`, if it has one.
    fn write_id<S: Serializer>(id: &Self::DocumentId, serializer: S) -> Result<S::Ok, S::Error> {
        id.serialize(serializer)
    }

    /// Reads an `_id` as documents store it.
    fn read_id<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Self::DocumentId, D::Error> {
        Self::DocumentId::deserialize(deserializer)
    }
}

/// An id that is written as the documents of `M` store it.
pub(crate) struct StoredIdRef<'a, M: Model>(&'a M::DocumentId);

impl<M: Model> Serialize for StoredIdRef<'_, M> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        M::write_id(self.0, serializer)
    }
}

/// An id that is read as the documents of `M` store it.
pub(crate) struct StoredId<M: Model>(pub(crate) M::DocumentId);

impl<'de, M: Model> Deserialize<'de> for StoredId<M> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        M::read_id(deserializer).map(StoredId)
    }
}

/// The stored form of an id.
pub(crate) fn store_id<M: Model>(
    id: &M::DocumentId,
) -> Result<Bson, crate::codec::error::CodecError> {
    crate::codec::encode_value(&StoredIdRef::<M>(id))
}
