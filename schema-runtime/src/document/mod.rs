//! Whole documents of a model: encoded and decoded, without the library's own fields, with the version of their schema, within
//! their bounds.

mod checks;
pub(crate) mod comparisons;
mod crate_rules;
pub(crate) mod documents;
pub(crate) mod encoding;
mod flattened;
pub(crate) mod guard;
pub(crate) mod id;
mod judges;
pub(crate) mod key_order;
mod nulls;
pub(crate) mod own;
pub(crate) mod parts;
pub(crate) mod self_references;
pub(crate) mod shared;
mod text_ids;

pub use self::judges::{judge_by_garde, judge_by_validator, judge_document, judge_value};

use bson::{RawDocument, RawDocumentBuf};
use serde::de::DeserializeOwned;

use crate::codec::error::CodecError;
use crate::codec::{Read, by_serde, read_whole};
use crate::document::own::in_maps;
use crate::schema::migration;
use crate::schema::model::Model;
use crate::schema::rows::Shape;

/// Reads a document as one of `M`, and appends to `again` what a `save` of it stores.
///
/// # Errors
/// Why it is none.
pub fn decodes<M: Model>(raw: &RawDocument, again: Option<&mut Vec<u8>>) -> Result<(), CodecError> {
    let document = decode_document::<M>(raw)?;
    match again.filter(|_| !document.is_unknown()) {
        Some(again) => append_document(&document, again),
        None => Ok(()),
    }
}

/// A whole document as it is stored.
pub fn encode_document<M: Model>(value: &M) -> Result<RawDocumentBuf, CodecError> {
    let room = M::CODEC.map_or(0, |codec| codec.room());
    let mut bytes = Vec::with_capacity(room);
    append_whole(value, &mut bytes)?;
    Ok(RawDocumentBuf::from_bytes(bytes)?)
}

/// Appends a whole document as it is stored: a buffer that is used again costs no allocation. On an error nothing is
/// appended.
pub fn append_document<M: Model>(value: &M, to: &mut Vec<u8>) -> Result<(), CodecError> {
    append_whole(value, to)
}

#[inline(always)]
pub(crate) fn append_whole<M: Model>(value: &M, to: &mut Vec<u8>) -> Result<(), CodecError> {
    let start = to.len();
    append_fields(value, to)?;
    if const { parts::are_stored(M::SHAPE) }
        && let Some(shape) = M::SHAPE
        && let Err(error) = parts::append(shape, to, start)
    {
        to.truncate(start);
        return Err(error);
    }
    if let Some(schema) = M::SCHEMA {
        migration::stamp(schema, to, start);
    }
    Ok(())
}

#[inline(always)]
pub(crate) fn append_fields<M: Model>(value: &M, to: &mut Vec<u8>) -> Result<(), CodecError> {
    if const { in_maps(M::SHAPE) } {
        let document = by_serde::encode(value)?;
        own::check_names(&document, M::SHAPE, M::SCHEMA.is_some())?;
        let document = without_own::<M>(&document).unwrap_or(document);
        to.extend_from_slice(document.as_bytes());
        return Ok(());
    }
    if let Some(codec) = M::CODEC
        && let Ok(()) = codec.append(value, to)
    {
        return Ok(());
    }
    let document = by_serde::encode(value)?;
    own::check_names(&document, M::SHAPE, M::SCHEMA.is_some())?;
    to.extend_from_slice(document.as_bytes());
    Ok(())
}

/// A document read back; one of an older version is migrated first.
pub fn decode_document<M: Model>(raw: &RawDocument) -> Result<M, CodecError> {
    match M::SCHEMA {
        Some(schema) => decode_fields(&schema.current(raw)?),
        None => decode_fields(raw),
    }
}

#[inline(always)]
pub(crate) fn decode_fields<M: Model>(raw: &RawDocument) -> Result<M, CodecError> {
    if const { in_maps(M::SHAPE) }
        && let Some(without) = without_own::<M>(raw)
    {
        return decode_whole(&without);
    }
    decode_whole(raw)
}

/// The document without the library's own fields, where a flattened map would take them.
pub(crate) fn without_own<M: Model>(raw: &RawDocument) -> Option<RawDocumentBuf> {
    M::SHAPE.and_then(|shape| own::without(raw, shape, M::SCHEMA.is_some()))
}

#[inline(always)]
pub(crate) fn decode_whole<M: Model>(raw: &RawDocument) -> Result<M, CodecError> {
    if const { key_order::has_compared(M::SHAPE, "_id") }
        && let Some(shape) = M::SHAPE
    {
        key_order::check(raw, shape)?;
    }
    if let Some(codec) = M::CODEC
        && let Ok(value) = codec.decode(raw)
    {
        return Ok(value);
    }
    let without = M::SHAPE.and_then(|shape| nulls::without(raw, shape));
    if let (Some(codec), Some(raw)) = (M::CODEC, &without)
        && let Ok(value) = codec.decode(raw)
    {
        return Ok(value);
    }
    let raw = without.as_deref().unwrap_or(raw);
    let value = by_serde::decode(raw, M::SHAPE.map(|shape| shape as _))?;
    check_ids(raw, M::SHAPE)?;
    Ok(value)
}

/// The generated codec takes no text for an ObjectId, serde does.
fn check_ids(raw: &RawDocument, shape: Option<&'static Shape>) -> Result<(), CodecError> {
    shape.map_or(Ok(()), |shape| text_ids::check(raw, shape))
}

/// Decodes a part of a document: by `read`, if its derive has generated that, else by serde. `shape` is the shape of the model; `maps` is
/// true if it has a flattened map, and `compared` if structs are compared as a whole.
#[inline]
pub(crate) fn decode_projection<T: DeserializeOwned>(
    raw: &RawDocument,
    read: Option<Read<T>>,
    shape: Option<&'static Shape>,
    (maps, compared): (bool, bool),
) -> Result<T, CodecError> {
    if let Some(shape) = shape.filter(|_| compared) {
        key_order::check(raw, shape)?;
    }
    let without = shape
        .filter(|_| maps)
        .and_then(|shape| own::without(raw, shape, false));
    let raw = without.as_deref().unwrap_or(raw);
    match read.map(|read| read_whole(read, raw)) {
        Some(Ok(value)) => Ok(value),
        _ => {
            let without = shape.and_then(|shape| nulls::without(raw, shape));
            let raw = without.as_deref().unwrap_or(raw);
            let value = by_serde::decode(raw, shape.map(|shape| shape as _))?;
            check_ids(raw, shape)?;
            Ok(value)
        }
    }
}
