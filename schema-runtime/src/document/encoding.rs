//! A document that cannot be encoded.

use crate::error::Error;
use crate::schema::model::ModelMeta;

pub(crate) fn unencodable(meta: &ModelMeta, error: bson::error::Error) -> Error {
    Error::Encode {
        model: meta.name,
        field: "document".to_owned(),
        source: Box::new(error.into()),
    }
}
