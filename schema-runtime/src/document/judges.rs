//! Values and documents read back for the functions of `check(with = ..)` and the rules of other crates.

use std::borrow::Cow;

use bson::{Bson, RawBsonRef, RawDocument};
use serde::de::DeserializeOwned;

use super::crate_rules::{GardeRules, ValidatorRules};
use super::decode_document;
use crate::codec::decode_value;
use crate::schema::checks::Refusal;
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
) -> Vec<Refusal> {
    judge_read(raw, |document| {
        let reason = accept(document).err()?;
        let (path, reason) = (Vec::new(), Cow::Borrowed(reason));
        Some(vec![Refusal { path, reason }])
    })
}

/// The reasons why the rules of `garde` refuse a document.
pub fn judge_by_garde<M: Model + GardeRules>(raw: &RawDocument) -> Vec<Refusal> {
    judge_read(raw, |document: &M| Some(document.refusals()))
}

/// The reasons why the rules of `validator` refuse a document.
pub fn judge_by_validator<M: Model + ValidatorRules>(raw: &RawDocument) -> Vec<Refusal> {
    judge_read(raw, |document: &M| Some(document.refusals()))
}

fn judge_read<M: Model>(
    raw: &RawDocument,
    refusals: impl FnOnce(&M) -> Option<Vec<Refusal>>,
) -> Vec<Refusal> {
    let document = decode_document::<M>(raw).ok();
    let refusals = document.and_then(|document| refusals(&document));
    refusals.unwrap_or_default()
}
