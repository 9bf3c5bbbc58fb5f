//! The trait `MongoModel` of a build without the driver: the items of `items.rs` alone.

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
    table_items!();
}

impl<M: Model> MongoModel for M {
    type Id = M::DocumentId;
    type Fields = M::FieldHandles;
}
