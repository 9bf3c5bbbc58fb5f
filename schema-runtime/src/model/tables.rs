//! The trait `MongoModel` of a build without the driver: a model tells its tables. `methods.rs` has the same items beside the operations.

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::schema::field::Handles;
use crate::schema::model::{Model, ModelMeta};
use crate::schema::value;
use crate::schema::value::Value;

/// A struct that owns a collection. Implemented by `#[derive(MongoModel)]`, which shares its name.
///
/// With the feature `driver` it has a method for each operation on documents.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a model: it owns no collection",
    label = "not a model",
    note = "add `#[derive(MongoModel)]` and `#[model(collection = \"..\")]` to `{Self}`"
)]
pub trait MongoModel:
    Model<DocumentId = <Self as MongoModel>::Id, FieldHandles = <Self as MongoModel>::Fields>
{
    /// The type of the `_id`.
    type Id: Serialize + DeserializeOwned + Clone + Send + Sync + 'static;
    /// The field handles.
    type Fields: Handles;

    /// Bytes of the largest document that the bounds allow (`max` on arrays, `max_len` on strings and binary); `None`
    /// if a field has no bound. The library's own fields in documents with copies or links, `_dn` and `_r`, are not
    /// counted.
    const MAX_BSON_SIZE: Option<u64> = match <Self as Value>::SIZE.most {
        value::UNBOUNDED => None,
        most => Some(most),
    };

    /// The model's tables.
    fn meta() -> &'static ModelMeta {
        Self::model_meta()
    }

    /// The `_id` of this document.
    ///
    /// # Panics
    /// On the `#[serde(other)]` variant of a model that is an enum: the `_id` is all that is in memory of a document of
    /// an unknown kind.
    fn id(&self) -> &Self::Id {
        self.document_id()
    }
}

impl<M: Model> MongoModel for M {
    type Id = M::DocumentId;
    type Fields = M::FieldHandles;
}
