//! Values and documents read back for the functions of `check(with = ..)`.

use bson::{Bson, RawBsonRef, RawDocument};
use serde::de::DeserializeOwned;

use super::decode_document;
use crate::codec::decode_value;
use crate::schema::model::Model;

/// The reason why `accept` refuses a stored value. A value of another type is for the codec to report.
pub fn judge_value<T: DeserializeOwned>(
    value: RawBsonRef<'_>,
    accept: impl FnOnce(&T) -> Result<(), &'static str>,
) -> Option<&'static str> {
    let value = Bson::try_from(value).ok()?;
    accept(&decode_value::<T>(&value).ok()?).err()
}

/// The reason why `accept` refuses a document.
pub fn judge_document<M: Model>(
    raw: &RawDocument,
    accept: impl FnOnce(&M) -> Result<(), &'static str>,
) -> Option<&'static str> {
    accept(&decode_document::<M>(raw).ok()?).err()
}
