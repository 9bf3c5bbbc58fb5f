//! A field of a generated codec: by [`Element`] where its type has it, else by serde for that field alone. The method call decides between
//! the two: an inherent method hides a trait's, and a call finds [`ByNobody`] and [`PutByNobody`] last, because their receivers borrow once
//! more, or mutably. So a type with neither is not refused here as well. The methods say with a `bool` whether the value was taken: an
//! expansion calls each of them once per field, and a `Result` would be one more call for the compiler to look up.

use std::marker::PhantomData;

use bson::RawDocument;
use serde::Serialize;
use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, Visitor};
use serde::ser::{SerializeMap, Serializer};

use super::{Decode, Element, Encode, Plain, Reader, Refused, Writer, kind};
use crate::bson_util::depth::deeper_than;

/// The place of a field that is being read; `C` is the codec of its values.
#[derive(Debug)]
pub struct Slot<T, C = Plain>(Option<T>, PhantomData<C>);

impl<T, C> Slot<T, C> {
    /// Nothing was read yet.
    #[must_use]
    #[inline(always)]
    #[expect(clippy::new_without_default, reason = "used by expansions only")]
    pub const fn new() -> Self {
        Slot(None, PhantomData)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_none()
    }

    /// Keeps the value that was read; `false` where it was refused.
    #[inline(always)]
    pub(super) fn put(&mut self, read: Result<T, Refused>) -> bool {
        match read {
            Ok(value) => self.0 = Some(value),
            Err(Refused) => return false,
        }
        true
    }

    #[inline(always)]
    pub(super) fn taken(&mut self) -> Option<T> {
        self.0.take()
    }

    /// The value that was read, or the field's `#[serde(default)]`.
    #[inline(always)]
    pub fn or(&mut self, default: impl FnOnce() -> T) -> T {
        self.0.take().unwrap_or_else(default)
    }

    /// The value that was read.
    ///
    /// # Errors
    /// No value was read.
    #[inline(always)]
    pub fn present(self) -> Result<T, Refused> {
        self.0.ok_or(Refused)
    }
}

impl<T: Element> Slot<T> {
    /// Reads the next element if it has this key. `false` where its value is refused.
    #[inline(always)]
    pub fn next<const N: usize>(&mut self, from: &mut Reader<'_>, key: &[u8; N]) -> bool {
        if let Some(kind) = from.next_is(key) {
            match T::read(kind, from) {
                Ok(value) => self.0 = Some(value),
                Err(Refused) => return false,
            }
        }
        true
    }

    /// Reads a value. `false` where it is refused, or the field was there before.
    #[inline(always)]
    pub fn fill(&mut self, kind: u8, from: &mut Reader<'_>) -> bool {
        if self.0.is_some() {
            return false;
        }
        match read_out_of_order(kind, from) {
            Ok(value) => {
                self.0 = Some(value);
                true
            }
            Err(Refused) => false,
        }
    }

    /// The value that was read, or the type's value for an absent field.
    ///
    /// # Errors
    /// There is no such value.
    #[inline(always)]
    pub fn take(&mut self) -> Result<T, Refused> {
        self.0.take().or_else(T::absent).ok_or(Refused)
    }
}

/// Not inlined, unlike the readers of fields that come in order: those shall stay in registers.
#[inline(never)]
fn read_out_of_order<T: Element>(kind: u8, from: &mut Reader<'_>) -> Result<T, Refused> {
    T::read(kind, from)
}

/// [`Slot`] of a type that only serde knows, or that has functions of its own.
pub trait BySerde<T> {
    /// See [`Slot::next`].
    fn next<const N: usize>(&mut self, from: &mut Reader<'_>, key: &[u8; N]) -> bool;
    /// See [`Slot::fill`].
    fn fill(&mut self, kind: u8, from: &mut Reader<'_>) -> bool;
    /// See [`Slot::take`].
    fn take(&mut self) -> Result<T, Refused>;
}

impl<T, C: Decode<T>> BySerde<T> for Slot<T, C> {
    fn next<const N: usize>(&mut self, from: &mut Reader<'_>, key: &[u8; N]) -> bool {
        match from.next_is(key) {
            Some(kind) => BySerde::fill(self, kind, from),
            None => true,
        }
    }

    fn fill(&mut self, kind: u8, from: &mut Reader<'_>) -> bool {
        if self.0.is_some() {
            return false;
        }
        self.0 = by_serde::<C, T>(kind, from).ok();
        self.0.is_some()
    }

    fn take(&mut self) -> Result<T, Refused> {
        self.0.take().ok_or(Refused)
    }
}

/// [`Slot`] of a type that has no `Deserialize`, which serde's derive has reported to the user.
pub trait ByNobody<T> {
    /// See [`Slot::next`].
    fn next<const N: usize>(&self, _: &mut Reader<'_>, _: &[u8; N]) -> bool {
        false
    }
    /// See [`Slot::fill`].
    fn fill(&self, _: u8, _: &mut Reader<'_>) -> bool {
        false
    }
    /// See [`Slot::take`].
    ///
    /// # Errors
    /// Always.
    fn take(&self) -> Result<T, Refused> {
        Err(Refused)
    }
}

impl<T, C> ByNobody<T> for &mut Slot<T, C> {}

/// A value that is being written; `C` is its codec.
#[derive(Debug)]
pub struct Put<'a, T, C = Plain>(pub(super) &'a T, PhantomData<C>);

/// A value that is written as its type says.
#[inline(always)]
pub fn put<T>(value: &T) -> Put<'_, T> {
    Put(value, PhantomData)
}

/// A value that is written by functions of its own.
#[inline(always)]
pub fn put_by<C, T>(value: &T) -> Put<'_, T, C> {
    Put(value, PhantomData)
}

impl<T: Element> Put<'_, T> {
    /// Writes the value. `false` where it is refused.
    #[inline(always)]
    pub fn put(&self, key: &[u8], to: &mut Writer) -> bool {
        self.0.write(key, to).is_ok()
    }
}

/// `Put` of a type that only serde knows, or that has functions of its own.
pub trait PutBySerde {
    /// See `Put::put`.
    fn put(&self, key: &[u8], to: &mut Writer) -> bool;
}

impl<T, C: Encode<T>> PutBySerde for Put<'_, T, C> {
    fn put(&self, key: &[u8], to: &mut Writer) -> bool {
        append::<C, T>(self.0, key, to).is_ok()
    }
}

/// `Put` of a type that has no `Serialize`.
pub trait PutByNobody {
    /// See `Put::put`.
    fn put(&mut self, _: &[u8], _: &mut Writer) -> bool {
        false
    }
}

/// Turns the outcome for a single value into a `Result`.
///
/// # Errors
/// The value was refused.
#[inline(always)]
pub const fn done(fine: bool) -> Result<(), Refused> {
    if fine { Ok(()) } else { Err(Refused) }
}

impl<T, C> PutByNobody for Put<'_, T, C> {}

/// Appends what serde makes of a value: a document of one element, without its frame.
pub(super) fn append<C: Encode<T>, T>(
    value: &T,
    key: &[u8],
    to: &mut Writer,
) -> Result<(), Refused> {
    struct As<'a, C, T>(&'a T, PhantomData<C>);
    impl<C: Encode<T>, T> Serialize for As<'_, C, T> {
        fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            C::write(self.0, serializer)
        }
    }
    struct One<'a, V>(&'a str, V);
    impl<V: Serialize> Serialize for One<'_, V> {
        fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            let mut document = serializer.serialize_map(Some(1))?;
            document.serialize_entry(self.0, &self.1)?;
            document.end()
        }
    }
    let [name @ .., 0] = key else {
        return Err(Refused);
    };
    let name = std::str::from_utf8(name).map_err(|_| Refused)?;
    let one = One(name, As::<C, T>(value, PhantomData));
    // The frame of the value counts as the document that the value is in.
    let levels = to.levels() + 1;
    to.append_with(|bytes| {
        let start = bytes.len();
        bson::serialize_to_buffer(&one, bytes).map_err(|_| Refused)?;
        let written = RawDocument::from_bytes(&bytes[start..]).map_err(|_| Refused)?;
        if deeper_than(written, levels).is_some() {
            return Err(Refused);
        }
        let end = bytes.len();
        bytes.copy_within(start + 4.., start);
        bytes.truncate(end - 5);
        Ok(())
    })
}

/// Reads a value through serde. An embedded document is read where it lies, anything else out of a frame of its own.
fn by_serde<C: Decode<T>, T>(kind: u8, from: &mut Reader<'_>) -> Result<T, Refused> {
    struct Itself<C, T>(T, PhantomData<C>);
    impl<'de, C: Decode<T>, T> Deserialize<'de> for Itself<C, T> {
        fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
            C::read(deserializer).map(|value| Itself(value, PhantomData))
        }
    }
    struct First<C, T>(T, PhantomData<C>);
    impl<'de, C: Decode<T>, T> Deserialize<'de> for First<C, T> {
        fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
            deserializer.deserialize_map(FirstOf(PhantomData))
        }
    }
    struct FirstOf<C, T>(PhantomData<(C, T)>);
    impl<'de, C: Decode<T>, T> Visitor<'de> for FirstOf<C, T> {
        type Value = First<C, T>;

        fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            f.write_str("a document of one element")
        }

        fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
            map.next_key::<IgnoredAny>()?;
            let value: Itself<C, T> = map.next_value()?;
            Ok(First(value.0, PhantomData))
        }
    }
    /// Serde has looked for a tag: the value comes out of its buffer.
    #[derive(serde::Deserialize)]
    #[serde(tag = "t", bound = "C: Decode<T>")]
    enum Buffered<C, T> {
        #[serde(rename = "")]
        One {
            #[serde(rename = "")]
            value: Itself<C, T>,
        },
    }
    if from.opened() {
        return Err(Refused);
    }
    let mut after = *from;
    after.skip(kind)?;
    let payload = from.bytes(from.rest().len() - after.rest().len())?;
    if from.buffered() {
        // Length, tag, type, the NUL of an empty key, payload, end.
        let len = i32::try_from(payload.len() + 15).map_err(|_| Refused)?;
        let mut frame = Vec::with_capacity(payload.len() + 15);
        frame.extend(len.to_le_bytes());
        frame.extend(*b"\x02t\0\x01\0\0\0\0");
        frame.extend([kind, 0]);
        frame.extend(payload);
        frame.push(0);
        let Buffered::One { value } =
            bson::deserialize_from_slice::<Buffered<C, T>>(&frame).map_err(|_| Refused)?;
        return Ok(value.0);
    }
    if kind == kind::DOCUMENT {
        let read: Itself<C, T> = bson::deserialize_from_slice(payload).map_err(|_| Refused)?;
        return Ok(read.0);
    }
    // Length, type, the NUL of an empty key, payload, end.
    let len = payload.len() + 7;
    let mut near = [0; 32];
    let mut far = Vec::new();
    let frame = match near.get_mut(..len) {
        Some(near) => near,
        None => {
            far.resize(len, 0);
            &mut far
        }
    };
    let (head, rest) = frame.split_at_mut(6);
    head[..4].copy_from_slice(&i32::try_from(len).map_err(|_| Refused)?.to_le_bytes());
    head[4] = kind;
    rest[..payload.len()].copy_from_slice(payload);
    let read: First<C, T> = bson::deserialize_from_slice(frame).map_err(|_| Refused)?;
    Ok(read.0)
}
