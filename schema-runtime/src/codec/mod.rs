//! The one place where values become BSON and BSON becomes values.
//!
//! Everything goes through serde's *raw* (not human-readable) form, the one that the driver stores documents in. A filter or
//! an update that was built in the other form would never match what is stored: uuids would be strings, for one.
//!
//! Models have a codec of their own beside serde's, which the derives generate: see [`Element`]. Its meaning is serde's. It takes
//! what it surely understands and refuses everything else, and serde then does the whole document again, so that every
//! oddity and every error is serde's own.

pub(crate) mod borrowed;
pub(crate) mod by_serde;
pub(crate) mod checked;
pub(crate) mod element;
pub(crate) mod error;
pub(crate) mod field;
pub(crate) mod kind;
pub(crate) mod outdated;
mod reader;
pub(crate) mod tagged;
mod text;
pub(crate) mod witness;
mod writer;

use bson::{Bson, RawDocument, RawDocumentBuf};
use serde::de::{DeserializeOwned, Deserializer};
use serde::ser::{SerializeStruct, Serializer};
use serde::{Deserialize, Serialize};

pub use self::borrowed::{AskBorrowed, Borrows, Lent};
pub use self::checked::{Checked, PutChecked, PutUnchecked};
pub use self::element::Element;
pub use self::error::CodecError;
pub(crate) use self::field::Put;
pub use self::field::{ByNobody, BySerde, PutByNobody, PutBySerde, Slot, done, put, put_by};
pub use self::reader::Reader;
pub use self::tagged::{Beside, RestNone, UnderNone};
pub use self::witness::{Answer, Ask, Form, NoAnswer};
pub(crate) use self::writer::Index;
pub use self::writer::Writer;

/// A generated codec does not handle this value; serde has to.
#[derive(Debug, Clone, Copy)]
pub struct Refused;

/// Reads a payload of a type: [`Element::read`].
pub type Read<T> = fn(u8, &mut Reader<'_>) -> Result<T, Refused>;

/// Reads a payload of a type that borrows: [`Borrows::read`].
pub type ReadBorrowed<'d, T> = fn(u8, &mut Reader<'d>) -> Result<T, Refused>;

/// The generated codec of a model.
pub struct Codec<T> {
    write: fn(&T, &[u8], &mut Writer) -> Result<(), Refused>,
    read: Read<T>,
    checked: &'static Checked,
}

impl<T: Element> Codec<T> {
    /// The codec that the derive has generated.
    #[must_use]
    pub const fn generated(checked: &'static Checked) -> Self {
        Codec {
            write: T::write,
            read: T::read,
            checked,
        }
    }
}

impl<T> Codec<T> {
    /// Appends the stored form of a document; where serde has to make it, nothing.
    ///
    /// # Errors
    /// [`Refused`].
    #[inline(always)]
    pub fn append(&self, value: &T, to: &mut Vec<u8>) -> Result<(), Refused> {
        let start = to.len();
        let mut document = Writer::after(std::mem::take(to), self.checked.size());
        let done = (self.write)(value, &[], &mut document);
        *to = document.into_bytes();
        match done {
            Ok(()) => self.checked.was(to.len() - start),
            Err(Refused) => to.truncate(start),
        }
        done
    }

    /// Bytes that a document needs at most, as far as is known.
    #[inline(always)]
    pub(crate) fn room(&self) -> usize {
        self.checked.size()
    }

    /// Reads a stored document.
    ///
    /// # Errors
    /// [`Refused`] where serde has to read the document.
    #[inline(always)]
    pub fn decode(&self, raw: &RawDocument) -> Result<T, Refused> {
        read_whole(self.read, raw)
    }
}

#[inline(always)]
pub(crate) fn read_whole<'d, T>(
    read: impl FnOnce(u8, &mut Reader<'d>) -> Result<T, Refused>,
    raw: &'d RawDocument,
) -> Result<T, Refused> {
    let mut all = Reader::new(raw.as_bytes());
    match read(kind::DOCUMENT, &mut all) {
        Ok(_) if !all.rest().is_empty() => Err(Refused),
        read => read,
    }
}

/// A part of a document, read where it lies: as `decode_projection`.
#[inline]
pub fn decode_part<'d, T: Deserialize<'d>>(
    raw: &'d RawDocument,
    read: Option<ReadBorrowed<'d, T>>,
) -> Result<T, CodecError> {
    match read.map(|read| read_whole(read, raw)) {
        Some(Ok(value)) => Ok(value),
        _ => by_serde::borrow(raw),
    }
}

/// The way in which the values of a field are written: [`Plain`], or a marker that the derive makes for a field with `#[serde(with = ..)]`.
pub trait Encode<T: ?Sized> {
    /// Writes a value through serde.
    ///
    /// # Errors
    /// The serializer's.
    fn write<S: Serializer>(value: &T, serializer: S) -> Result<S::Ok, S::Error>;

    /// The stored form of a value.
    ///
    /// # Errors
    /// The value's serializer fails, or BSON cannot hold the value (a `u64` above `i64::MAX`).
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

/// The way in which the values of a field are read.
pub trait Decode<T> {
    /// Reads a value through serde.
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

/// Encodes a value exactly as it is inside a stored document.
pub fn encode_value<T: Serialize + ?Sized>(value: &T) -> Result<Bson, CodecError> {
    struct One<'a, T: ?Sized>(&'a T);
    impl<T: Serialize + ?Sized> Serialize for One<'_, T> {
        fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            let mut document = serializer.serialize_struct("One", 1)?;
            document.serialize_field("", self.0)?;
            document.end()
        }
    }
    let raw = by_serde::encode(&One(value))?;
    match raw.iter().next() {
        Some(element) => Ok(Bson::try_from(element?.1)?),
        None => Ok(Bson::Null),
    }
}

/// Reads a value back from the form that [`encode_value`] gave.
pub(crate) fn decode_value<T: DeserializeOwned>(value: &Bson) -> Result<T, CodecError> {
    #[derive(serde::Deserialize)]
    struct One<T> {
        #[serde(rename = "")]
        value: T,
    }
    let raw = RawDocumentBuf::try_from(&bson::doc! { "": value.clone() })?;
    Ok(by_serde::decode::<One<T>>(&raw, None)?.value)
}
