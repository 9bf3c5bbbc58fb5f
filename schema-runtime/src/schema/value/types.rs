//! [`Value`] for the types that BSON and the standard library have.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet, LinkedList, VecDeque};
use std::rc::Rc;
use std::sync::Arc;

use super::{Cardinality, Missing, SerdePitfall, UNBOUNDED, Value};
use crate::bson_util::id::Id;
use crate::schema::field::NoFields;
use crate::schema::field::place::{Path, Through};
use crate::schema::rank::Rank;
use crate::schema::rows::{Kind, Shape};

macro_rules! scalars {
    ($($ty:ty: $kind:ident $worst:literal $(to $most:tt)? $(in $least:literal..$greatest:expr)? $(, $extra:ident = $value:expr)?;)*) => {$(
        #[diagnostic::do_not_recommend]
        impl Value for $ty {
            type Elem = $ty;
            type Sub<P: Path> = NoFields;
            const KIND: Kind = Kind::$kind;
            const WORST: u64 = $worst;
            const MOST: u64 = [$worst, $($most)?][const { [$worst, $($most)?].len() - 1 }];
            $(const RANGE: Option<(i64, i64)> = Some(($least, $greatest as i64));)?
            $(const $extra: bool = $value;)?
        }
    )*};
}

scalars! {
    bool: Bool 1;
    i8: Int 4 in -0x80..i8::MAX;
    i16: Int 4 in -0x8000..i16::MAX;
    i32: Int 4 in -0x8000_0000..i32::MAX;
    i64: Int 8 in -0x8000_0000_0000_0000..i64::MAX;
    isize: Int 8 in -0x8000_0000_0000_0000..i64::MAX;
    u8: Int 4 in 0..u8::MAX, BYTE = true;
    u16: Int 4 in 0..u16::MAX;
    u32: Int 8 in 0..u32::MAX;
    u64: Int 8 in 0..i64::MAX;
    usize: Int 8 in 0..i64::MAX;
    f32: Double 8; f64: Double 8;
    String: String 5 to UNBOUNDED, MAP_KEY = true;
    char: String 5 to 9;
    Rank: String 7 to 205;
    bson::oid::ObjectId: ObjectId 12;
    bson::DateTime: Date 8;
    bson::Decimal128: Decimal 16;
    bson::Binary: Binary 5 to UNBOUNDED;
    bson::Uuid: Binary 21;
    bson::Timestamp: Timestamp 8;
    bson::Regex: Any 2 to UNBOUNDED, COMPARED_IN_LISTS = false;
    bson::Bson: Any 0 to UNBOUNDED, COMPARED_IN_LISTS = false;
    bson::Document: Map 5 to UNBOUNDED, COMPARED_IN_LISTS = false;
    bson::RawDocumentBuf: Map 5 to UNBOUNDED, COMPARED_IN_LISTS = false;
    Missing: Any 0;
}

/// Types whose serde form is not the BSON type one expects: allowed only with a `with = ..` that puts it right.
macro_rules! traps {
    ($($(#[$meta:meta])* $ty:ty: $kind:ident $trap:ident;)*) => {$(
        $(#[$meta])*
        #[diagnostic::do_not_recommend]
        impl Value for $ty {
            type Elem = $ty;
            type Sub<P: Path> = NoFields;
            const KIND: Kind = Kind::$kind;
            const TRAP: SerdePitfall = SerdePitfall::$trap;
            const WORST: u64 = 5;
            const MOST: u64 = UNBOUNDED;
        }
    )*};
}

traps! {
    std::time::SystemTime: Document Date;
    std::time::Duration: Document Date;
    #[cfg(feature = "chrono")] chrono::NaiveDateTime: String Date;
    #[cfg(feature = "chrono")] chrono::NaiveDate: String Date;
    #[cfg(feature = "chrono")] chrono::NaiveTime: String Date;
    #[cfg(feature = "time")] time::OffsetDateTime: Array Date;
    #[cfg(feature = "time")] time::PrimitiveDateTime: Array Date;
    #[cfg(feature = "time")] time::Date: Array Date;
    #[cfg(feature = "uuid")] uuid::Uuid: Binary Uuid;
}

#[cfg(feature = "chrono")]
#[diagnostic::do_not_recommend]
impl<Z: chrono::TimeZone> Value for chrono::DateTime<Z> {
    type Elem = Self;
    type Sub<P: Path> = NoFields;
    const KIND: Kind = Kind::String;
    const TRAP: SerdePitfall = SerdePitfall::Date;
    const WORST: u64 = 5;
    const MOST: u64 = UNBOUNDED;
}

#[cfg(feature = "rust_decimal")]
#[diagnostic::do_not_recommend]
impl Value for rust_decimal::Decimal {
    type Elem = Self;
    type Sub<P: Path> = NoFields;
    const KIND: Kind = Kind::String;
    const TRAP: SerdePitfall = SerdePitfall::Decimal;
    const WORST: u64 = 5;
    // 29 digits, a sign and a point.
    const MOST: u64 = 5 + 31;
}

#[diagnostic::do_not_recommend]
impl<T: ?Sized, R: Value> Value for Id<T, R> {
    type Elem = Self;
    type Sub<P: Path> = R::Sub<P>;
    const KIND: Kind = R::KIND;
    const COMPARED_IN_LISTS: bool = R::COMPARED_IN_LISTS;
    // As a key, an ObjectId is written as text.
    const MAP_KEY: bool = R::MAP_KEY || matches!(R::KIND, Kind::ObjectId);
    const SHAPE: Option<&'static Shape> = R::SHAPE;
    const RANGE: Option<(i64, i64)> = R::RANGE;
    const TRAP: SerdePitfall = R::TRAP;
    const WORST: u64 = R::WORST;
    const MOST: u64 = R::MOST;
    const DEPTH: u64 = R::DEPTH;
}

/// Wrappers that serde writes as the value that they hold.
macro_rules! transparent {
    ($($ty:ident nullable $nullable:expr;)*) => {$(
        #[diagnostic::do_not_recommend]
        impl<T: Value> Value for $ty<T> {
            type Elem = T::Elem;
            type Sub<P: Path> = T::Sub<P>;
            const CARD: Cardinality = T::CARD;
            const KIND: Kind = T::KIND;
            const NULLABLE: bool = $nullable;
            const TRAP: SerdePitfall = T::TRAP;
            const COMPARED_IN_LISTS: bool = T::COMPARED_IN_LISTS;
            const MAP_KEY: bool = T::MAP_KEY && !$nullable;
            const MAP_KEYS_OK: bool = T::MAP_KEYS_OK;
            const SHAPE: Option<&'static Shape> = T::SHAPE;
            const WORST: u64 = T::WORST;
            const MOST: u64 = T::MOST;
            const TAGS: &'static [&'static str] = T::TAGS;
            const RANGE: Option<(i64, i64)> = T::RANGE;
            const DIMENSIONS: u64 = T::DIMENSIONS;
            const ELEMS: u64 = T::ELEMS;
            const DEPTH: u64 = T::DEPTH;
            const COPY_ARRAYS: u64 = T::COPY_ARRAYS;
            const HOLDS_COPIES: bool = T::HOLDS_COPIES;
        }
    )*};
}

transparent! {
    Option nullable true;
    Box nullable T::NULLABLE;
    Arc nullable T::NULLABLE;
    Rc nullable T::NULLABLE;
}

macro_rules! arrays {
    ($($name:ident<T $(, $extra:ident)?>: $trap:expr;)*) => {$(
        #[diagnostic::do_not_recommend]
        impl<T: Value $(, $extra)?> Value for $name<T $(, $extra)?> {
            type Elem = T;
            type Sub<P: Path> = T::Sub<Through<P>>;
            const CARD: Cardinality = Cardinality::Array;
            const KIND: Kind = Kind::Array;
            const TRAP: SerdePitfall = $trap;
            const SHAPE: Option<&'static Shape> = T::SHAPE;
            const WORST: u64 = 5;
            const MOST: u64 = UNBOUNDED;
            const ELEMS: u64 = T::ELEMS;
            const DEPTH: u64 = T::DEPTH + 1;
            const COPY_ARRAYS: u64 = super::copy_arrays::<T>();
            const HOLDS_COPIES: bool = T::HOLDS_COPIES;
        }
    )*};
}

arrays! {
    Vec<T>: super::element_trap::<T>();
    VecDeque<T>: super::element_trap::<T>();
    LinkedList<T>: super::element_trap::<T>();
    BTreeSet<T>: T::TRAP;
    HashSet<T, S>: T::TRAP;
}

#[diagnostic::do_not_recommend]
impl<T: Value> Value for Box<[T]> {
    type Elem = T;
    type Sub<P: Path> = T::Sub<Through<P>>;
    const CARD: Cardinality = Cardinality::Array;
    const KIND: Kind = Kind::Array;
    const TRAP: SerdePitfall = super::element_trap::<T>();
    const SHAPE: Option<&'static Shape> = T::SHAPE;
    const WORST: u64 = 5;
    const MOST: u64 = UNBOUNDED;
    const ELEMS: u64 = T::ELEMS;
    const DEPTH: u64 = T::DEPTH + 1;
    const COPY_ARRAYS: u64 = super::copy_arrays::<T>();
    const HOLDS_COPIES: bool = T::HOLDS_COPIES;
}

/// A Rust array never grows: its length is its bound.
#[diagnostic::do_not_recommend]
impl<T: Value, const N: usize> Value for [T; N] {
    type Elem = T;
    type Sub<P: Path> = T::Sub<Through<P>>;
    const KIND: Kind = Kind::Array;
    const TRAP: SerdePitfall = super::element_trap::<T>();
    const SHAPE: Option<&'static Shape> = T::SHAPE;
    const WORST: u64 = super::array_bytes(N as u64, T::WORST);
    const MOST: u64 = super::array_bytes(N as u64, T::MOST);
    const ELEMS: u64 = N as u64 * if T::ELEMS == 0 { 1 } else { T::ELEMS };
    const DEPTH: u64 = T::DEPTH + 1;
    const COPY_ARRAYS: u64 = super::copy_arrays::<T>();
    const HOLDS_COPIES: bool = T::HOLDS_COPIES;
}

macro_rules! maps {
    ($($name:ident<K, V $(, $extra:ident)?>;)*) => {$(
        #[diagnostic::do_not_recommend]
        impl<K: Value, V: Value $(, $extra)?> Value for $name<K, V $(, $extra)?> {
            type Elem = V;
            type Sub<P: Path> = NoFields;
            const CARD: Cardinality = Cardinality::Map;
            const KIND: Kind = Kind::Map;
            const TRAP: SerdePitfall = V::TRAP;
            const MAP_KEYS_OK: bool = K::MAP_KEY;
            const SHAPE: Option<&'static Shape> = V::SHAPE;
            const WORST: u64 = 5;
            const MOST: u64 = UNBOUNDED;
            const ELEMS: u64 = V::ELEMS;
            const DEPTH: u64 = V::DEPTH + 1;
            // No update can match a copy under a map by its id: more than any limit allows.
            const COPY_ARRAYS: u64 = V::COPY_ARRAYS + 100;
            const HOLDS_COPIES: bool = V::HOLDS_COPIES;
        }
    )*};
}

maps! {
    HashMap<K, V, S>;
    BTreeMap<K, V>;
}

macro_rules! tuples {
    ($($($t:ident)+;)*) => {$(
        /// Stored as an array of fixed length.
        #[diagnostic::do_not_recommend]
        impl<$($t: Value),+> Value for ($($t,)+) {
            type Elem = Self;
            type Sub<P: Path> = NoFields;
            const KIND: Kind = Kind::Array;
            const WORST: u64 = 5 $(+ 3 + $t::WORST)+;
            const MOST: u64 = 5_u64$(.saturating_add(3).saturating_add($t::MOST))+;
            const DEPTH: u64 = 1;
        }
    )*};
}

tuples! {
    A B;
    A B C;
    A B C D;
}
