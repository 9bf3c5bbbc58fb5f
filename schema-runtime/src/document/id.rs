//! The `_id` of a model's document, as it is stored.

use bson::{Bson, Document, doc};

use crate::error::Result;
use crate::schema::model::{Model, store_id};

/// The stored form of an id.
pub(crate) fn encode_id<M: Model>(id: &M::DocumentId) -> Result<Bson, crate::error::Error> {
    store_id::<M>(id).map_err(|source| crate::error::Error::Encode {
        model: M::model_meta().name,
        field: "_id".to_owned(),
        source: Box::new(source),
    })
}

/// The filter for one `_id`. A bare value lets every server go straight to the document; `$eq` stands where a bare value could
/// be taken for operators or for a pattern.
pub(crate) fn by_id<M: Model>(id: &M::DocumentId) -> Result<Document> {
    Ok(match encode_id::<M>(id)? {
        id @ (Bson::Document(_) | Bson::RegularExpression(_)) => doc! { "_id": { "$eq": id } },
        id => doc! { "_id": id },
    })
}
