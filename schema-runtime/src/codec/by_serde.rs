//! Documents made and read by serde, where no generated codec does it.
//!
//! All of it says where it fails, also where nothing fails: what serde generates for a type is large, and there is one of it
//! for each direction.

use std::cell::RefCell;

use bson::{RawDocument, RawDocumentBuf};
use serde::de::DeserializeOwned;
use serde::ser::Serializer;
use serde::{Deserialize, Serialize};
use serde_path_to_error::{Path, Track};

use super::error::{CodecError, ReadOrder, located, steps, text};

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
    bson::serialize_to_raw_document_buf(&tracked).map_err(|source| {
        let path = steps(&tracked.1.into_inner().path(), |_, _| false);
        CodecError::at(path, source)
    })
}

/// A document read by serde, which says where it fails. `order` is that of the model, where there is one.
pub(crate) fn decode<T: DeserializeOwned>(
    document: &RawDocument,
    order: Option<&'static dyn ReadOrder>,
) -> Result<T, CodecError> {
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
    read(document).map_err(|failed| located(document, failed, None))
}

/// The error, and its path as far as serde knows it.
pub(super) type Failed = (Option<Path>, bson::error::Error);

fn read<'de, T: Deserialize<'de>>(document: &'de RawDocument) -> Result<T, Failed> {
    let reader = bson::RawDeserializer::new(document.as_bytes());
    let reader = reader.map_err(|source| (None, source))?;
    let read = serde_path_to_error::deserialize::<_, T>(reader);
    read.map_err(|error| (Some(error.path().clone()), error.into_inner()))
}
