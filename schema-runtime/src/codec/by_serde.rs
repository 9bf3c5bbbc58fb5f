//! Documents made and read by serde, where no generated codec does it.
//!
//! An error names the path at which it occurred. What serde generates for a type is large, so each type is compiled as few times
//! as possible. A writer always tracks the path. A reader that tracks it is an erased type: otherwise a type would be compiled for
//! each kind of BSON value and each level of tracking, which was half of the code of a program with many models. Erased types cost
//! time, so an optimised build first reads without them, and tracks only to locate an error. A writer is not erased:
//! [`Id`](crate::Id) sees by its type whether it writes the key of a map.

use std::cell::RefCell;

use bson::{RawDocument, RawDocumentBuf};
use serde::de::{DeserializeOwned, Error};
use serde::ser::Serializer;
use serde::{Deserialize, Serialize};
use serde_path_to_error::Track;

use super::error::{CodecError, Failed, ReadOrder, located, steps, text};
use crate::bson_util::depth::{LEVELS, deeper_than};

/// A document made by serde, which says where it fails.
#[cold]
pub(crate) fn encode<T: Serialize + ?Sized>(value: &T) -> Result<RawDocumentBuf, CodecError> {
    struct Tracked<'a, T: ?Sized>(&'a T, RefCell<Track>);
    impl<T: Serialize + ?Sized> Serialize for Tracked<'_, T> {
        fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            let mut track = self.1.borrow_mut();
            self.0
                .serialize(serde_path_to_error::Serializer::new(serializer, &mut track))
        }
    }
    let tracked = Tracked(value, RefCell::new(Track::new()));
    let encoded = bson::serialize_to_raw_document_buf(&tracked).map_err(|source| {
        let path = steps(&tracked.1.into_inner().path(), |_, _| false);
        CodecError::at(path, source)
    })?;
    check_depth(&encoded)?;
    Ok(encoded)
}

/// Refuses a document that is nested too deep for serde, which recurses once a level.
fn check_depth(document: &RawDocument) -> Result<(), CodecError> {
    deeper_than(document, LEVELS).map_or(Ok(()), |field| Err(CodecError::too_deep(field)))
}

/// A document read by serde, which says where it fails. `order` is that of the model, where there is one.
pub(crate) fn decode<T: DeserializeOwned>(
    document: &RawDocument,
    order: Option<&'static dyn ReadOrder>,
) -> Result<T, CodecError> {
    check_depth(document)?;
    let says = |document: &RawDocument| {
        let read = read::<T>(document);
        read.err().map(|(_, source)| text(&source))
    };
    read(document).map_err(|failed| located(document, failed, Some((&says, order))))
}

/// As [`decode`], for a type that borrows from its document: no other document can be read to locate an error.
pub(super) fn borrow<'de, T: Deserialize<'de>>(
    document: &'de RawDocument,
) -> Result<T, CodecError> {
    check_depth(document)?;
    read(document).map_err(|failed| located(document, failed, None))
}

fn read<'de, T: Deserialize<'de>>(document: &'de RawDocument) -> Result<T, Failed> {
    #[cfg(not(debug_assertions))]
    if let Ok(value) = bson::deserialize_from_slice(document.as_bytes()) {
        return Ok(value);
    }
    let mut value = None;
    read_erased(document, &mut |reader| {
        value = Some(erased_serde::deserialize(reader)?);
        Ok(())
    })?;
    value.ok_or_else(|| {
        (
            None,
            <bson::error::Error as Error>::custom("nothing was read"),
        )
    })
}

fn read_erased<'de>(
    document: &'de RawDocument,
    read: &mut dyn FnMut(&mut dyn erased_serde::Deserializer<'de>) -> erased_serde::Result<()>,
) -> Result<(), Failed> {
    let reader = bson::RawDeserializer::new(document.as_bytes());
    let reader = reader.map_err(|source| (None, source))?;
    let mut track = Track::new();
    let done = {
        let reader = serde_path_to_error::Deserializer::new(reader, &mut track);
        read(&mut <dyn erased_serde::Deserializer<'_>>::erase(reader))
    };
    done.map_err(|error| {
        let source = bson::error::Error::custom(innermost(&error.to_string()));
        (Some(track.path()), source)
    })
}

/// The message itself. Each document around the culprit has put BSON's words for a failed deserialization around it.
fn innermost(text: &str) -> &str {
    let around = bson::error::Error::custom("\0").to_string();
    let Some((before, after)) = around.split_once('\0') else {
        return text;
    };
    let mut text = text;
    while let Some(inner) = text
        .strip_prefix(before)
        .and_then(|text| text.strip_suffix(after))
    {
        text = inner;
    }
    text
}
