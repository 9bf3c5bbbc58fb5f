//! The one place where values become BSON and BSON becomes values.
//!
//! Everything goes through serde's *raw* (not human-readable) form, the one that the driver stores documents in. A filter or
//! an update that was built in the other form would never match what is stored: uuids would be strings, for one.

use bson::{Bson, Document, RawDocument, RawDocumentBuf};
use serde::Serialize;
use serde::de::{DeserializeOwned, Deserializer};
use serde::ser::{SerializeStruct, Serializer};

/// An error of encoding or decoding.
pub type CodecError = bson::error::Error;

/// A whole document as it is stored.
pub(crate) fn encode_document<T: Serialize>(value: &T) -> Result<RawDocumentBuf, CodecError> {
    bson::serialize_to_raw_document_buf(value)
}

/// A document read back.
pub(crate) fn decode_document<T: DeserializeOwned>(raw: &RawDocument) -> Result<T, CodecError> {
    bson::deserialize_from_slice(raw.as_bytes())
}

/// How the values of a field are written: [`Plain`], or a marker that the derive makes for a field with `#[serde(with = ..)]`.
pub trait Encode<T: ?Sized> {
    /// Writes one value through serde.
    ///
    /// # Errors
    /// The serializer's.
    fn write<S: Serializer>(value: &T, serializer: S) -> Result<S::Ok, S::Error>;

    /// The stored form of one value.
    ///
    /// # Errors
    /// What the value's serializer says, or that BSON cannot hold it (a `u64` above `i64::MAX`).
    fn encode(value: &T) -> Result<Bson, CodecError>
    where
        Self: Sized,
    {
        struct As<'a, C, T: ?Sized>(&'a T, std::marker::PhantomData<C>);
        impl<C: Encode<T>, T: ?Sized> Serialize for As<'_, C, T> {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                C::write(self.0, serializer)
            }
        }
        encode_value(&As::<Self, T>(value, std::marker::PhantomData))
    }
}

/// How the values of a field are read.
pub trait Decode<T> {
    /// Reads one value through serde.
    ///
    /// # Errors
    /// The deserializer's.
    fn read<'de, D: Deserializer<'de>>(deserializer: D) -> Result<T, D::Error>;
}

/// The value's own `Serialize` and `Deserialize`.
#[derive(Debug)]
pub enum Plain {}

impl<T: Serialize + ?Sized> Encode<T> for Plain {
    fn write<S: Serializer>(value: &T, serializer: S) -> Result<S::Ok, S::Error> {
        value.serialize(serializer)
    }
}

impl<T: DeserializeOwned> Decode<T> for Plain {
    fn read<'de, D: Deserializer<'de>>(deserializer: D) -> Result<T, D::Error> {
        T::deserialize(deserializer)
    }
}

/// One value, encoded exactly as it is inside a stored document.
pub fn encode_value<T: Serialize + ?Sized>(value: &T) -> Result<Bson, CodecError> {
    struct One<'a, T: ?Sized>(&'a T);
    impl<T: Serialize + ?Sized> Serialize for One<'_, T> {
        fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            let mut document = serializer.serialize_struct("One", 1)?;
            document.serialize_field("v", self.0)?;
            document.end()
        }
    }
    let raw = encode_document(&One(value))?;
    let mut document = Document::try_from(raw.as_ref())?;
    Ok(document.remove("v").unwrap_or(Bson::Null))
}

/// One value read back from what [`encode_value`] gave.
pub(crate) fn decode_value<T: DeserializeOwned>(value: &Bson) -> Result<T, CodecError> {
    #[derive(serde::Deserialize)]
    struct One<T> {
        v: T,
    }
    let raw = RawDocumentBuf::try_from(&bson::doc! { "v": value.clone() })?;
    Ok(decode_document::<One<T>>(&raw)?.v)
}

/// A value that can be compared and hashed as MongoDB compares ids: numbers by value whatever their width, everything else
/// by its bytes.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct IdKey(Vec<u8>);

impl IdKey {
    pub(crate) fn new(value: &Bson) -> Self {
        let canonical = match value {
            Bson::Int32(n) => Bson::Int64(i64::from(*n)),
            // Every i64 that a double holds exactly lies in this range; outside, the double stays what it is.
            #[expect(clippy::cast_possible_truncation, reason = "integral and in range")]
            Bson::Double(n) if n.fract() == 0.0 && n.abs() < 9.0e18 => Bson::Int64(*n as i64),
            other => other.clone(),
        };
        let bytes =
            RawDocumentBuf::try_from(&bson::doc! { "": canonical }).map(RawDocumentBuf::into_bytes);
        IdKey(bytes.unwrap_or_default())
    }
}
