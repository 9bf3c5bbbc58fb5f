//! The totals of a grouping: accumulators, and the types of their values.

use std::marker::PhantomData;

use bson::{Bson, Decimal128, Document, RawDocument, doc};
use serde::de::Error as _;

use super::selected::{ComparedTotal, TotalOf, name};
use crate::codec::{CodecError, Decode};
use crate::error::Error;
use crate::error::Result;
use crate::find::Types;
use crate::schema::field::place::{Optional, Path, Required, path};

/// The name of the accumulator that counts the values which the `n`-th one leaves out.
pub(super) fn misfits_name(n: usize) -> String {
    format!("m{n}")
}

/// The expression that a value, as far as there is one, is of a type that fields of type `T` read.
pub(super) fn fits<T: Numbers>(value: &str) -> Document {
    let mut types = vec!["missing", "null", "undefined"];
    types.extend(T::TYPES);
    doc! { "$in": [{ "$type": value }, types] }
}

/// The fields that an expression names.
pub(super) fn fields(expression: &Bson, out: &mut Vec<String>) {
    match expression {
        Bson::String(name) => out.extend(name.strip_prefix('$').map(str::to_owned)),
        Bson::Document(inner) => inner.values().for_each(|value| fields(value, out)),
        Bson::Array(inner) => inner.iter().for_each(|value| fields(value, out)),
        _ => {}
    }
}

/// The value of a field of a group; null where there is none.
pub(super) fn get(raw: &RawDocument, name: &str) -> Bson {
    let value = raw.get(name).ok().flatten();
    value
        .and_then(|value| Bson::try_from(value).ok())
        .unwrap_or(Bson::Null)
}

/// The error for a group that cannot be read.
pub(super) fn unreadable(model: &'static str, source: CodecError) -> Error {
    Error::Decode {
        model,
        id: "of a group".to_owned(),
        source: Box::new(source),
    }
}

/// A group as the server sends it.
#[doc(hidden)]
#[derive(Debug)]
pub struct Read<'r> {
    pub(super) raw: &'r RawDocument,
    pub(super) model: &'static str,
}

impl Read<'_> {
    fn value(&self, n: usize) -> Bson {
        get(self.raw, &name(n))
    }

    fn failed<P: Path>(&self, source: CodecError) -> Error {
        unreadable(self.model, source.in_field(&path::<P>()))
    }

    fn decode<P: Path, T>(&self, value: &Bson) -> Result<T>
    where
        P::Codec: Decode<T>,
    {
        super::decode::<P, T>(value).map_err(|error| unreadable(self.model, error))
    }

    /// A number of a field at `P`.
    fn number<P: Path, T: Numbers, R>(
        &self,
        n: usize,
        read: impl FnOnce(Bson) -> Option<R>,
    ) -> Result<R> {
        let misfits = integer(get(self.raw, &misfits_name(n))).unwrap_or_default();
        if misfits > 0 {
            let types = T::TYPES.join(" or ");
            let text = format!("{misfits} of the group's values are not of the type {types}");
            return Err(self.failed::<P>(bson::error::Error::custom(text).into()));
        }
        let value = self.value(n);
        let shown = value.to_string();
        read(value).ok_or_else(|| Error::SumTooLarge {
            field: format!("{}.{}", self.model, path::<P>()),
            sum: shown,
        })
    }
}

/// Fields that are added up.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be added up",
    label = "not a number that the server adds up",
    note = "amounts of money are `Decimal128`, or integers in the smallest unit"
)]
pub trait Numbers {
    /// Integers, decimals or floats.
    type Class;
    /// The type of a sum.
    type Sum: Send;
    /// The type of an average.
    type Average: Send;
    /// True if floats take no part.
    const EXACT: bool;
    /// The BSON types that the field reads, by the server's names.
    const TYPES: &'static [&'static str];
    #[doc(hidden)]
    fn sum(value: Bson) -> Option<Self::Sum>;
    #[doc(hidden)]
    fn average(value: Bson) -> Option<Self::Average>;
}

fn decimal(value: Bson) -> Option<Decimal128> {
    match value {
        Bson::Decimal128(value) => Some(value),
        // The sum of nothing.
        Bson::Int32(0) => "0".parse().ok(),
        _ => None,
    }
}

fn float(value: Bson) -> Option<f64> {
    match value {
        Bson::Double(value) => Some(value),
        Bson::Int32(value) => Some(f64::from(value)),
        // Other programs store whole numbers so.
        #[expect(clippy::cast_precision_loss, reason = "as the codec reads the field")]
        Bson::Int64(value) => Some(value as f64),
        _ => None,
    }
}

fn integer(value: Bson) -> Option<i64> {
    match value {
        Bson::Int64(value) => Some(value),
        Bson::Int32(value) => Some(i64::from(value)),
        // The server gives a float where 64 bits do not hold the sum.
        _ => None,
    }
}

/// Integers.
#[derive(Debug)]
pub enum Integers {}
/// Decimals.
#[derive(Debug)]
pub enum Decimals {}
/// Floats.
#[derive(Debug)]
pub enum Floats {}

/// Numbers that are multiplied with others.
#[diagnostic::on_unimplemented(
    message = "a decimal is not multiplied with a float",
    label = "no exact product",
    note = "amounts of money are `Decimal128`, or integers in the smallest unit"
)]
pub trait Times<Other> {
    /// The type of the product.
    type Product: Numbers;
}

macro_rules! products {
    ($($a:ty, $b:ty: $product:ty;)*) => {$(
        #[diagnostic::do_not_recommend]
        impl Times<$b> for $a {
            type Product = $product;
        }
    )*};
}

products! {
    Integers, Integers: i64;
    Integers, Decimals: Decimal128;
    Decimals, Integers: Decimal128;
    Decimals, Decimals: Decimal128;
    Integers, Floats: f64;
    Floats, Integers: f64;
    Floats, Floats: f64;
}

const INTEGERS: &[&str] = &["int", "long"];
const FLOATS: &[&str] = &["double", "int", "long"];
const DECIMALS: &[&str] = &["decimal"];

macro_rules! numbers {
    ($($ty:ty: $class:ty, $sum:ty, $average:ty, $exact:literal, $types:ident, $read_sum:path, $read_average:path;)*) => {$(
        #[diagnostic::do_not_recommend]
        impl Numbers for $ty {
            type Class = $class;
            type Sum = $sum;
            type Average = Option<$average>;
            const EXACT: bool = $exact;
            const TYPES: &'static [&'static str] = $types;
            fn sum(value: Bson) -> Option<$sum> {
                $read_sum(value)
            }
            fn average(value: Bson) -> Option<Option<$average>> {
                match value {
                    Bson::Null => Some(None),
                    value => $read_average(value).map(Some),
                }
            }
        }
    )*};
}

numbers! {
    i8: Integers, i64, Decimal128, true, INTEGERS, integer, decimal;
    i16: Integers, i64, Decimal128, true, INTEGERS, integer, decimal;
    i32: Integers, i64, Decimal128, true, INTEGERS, integer, decimal;
    i64: Integers, i64, Decimal128, true, INTEGERS, integer, decimal;
    u8: Integers, i64, Decimal128, true, INTEGERS, integer, decimal;
    u16: Integers, i64, Decimal128, true, INTEGERS, integer, decimal;
    u32: Integers, i64, Decimal128, true, INTEGERS, integer, decimal;
    u64: Integers, i64, Decimal128, true, INTEGERS, integer, decimal;
    f32: Floats, f64, f64, false, FLOATS, float, float;
    f64: Floats, f64, f64, false, FLOATS, float, float;
    Decimal128: Decimals, Decimal128, Decimal128, true, DECIMALS, decimal, decimal;
}

#[diagnostic::do_not_recommend]
impl<T: Numbers> Numbers for Option<T> {
    type Class = T::Class;
    type Sum = T::Sum;
    type Average = T::Average;
    const EXACT: bool = T::EXACT;
    const TYPES: &'static [&'static str] = T::TYPES;
    fn sum(value: Bson) -> Option<T::Sum> {
        T::sum(value)
    }
    fn average(value: Bson) -> Option<T::Average> {
        T::average(value)
    }
}

/// The number of documents.
#[derive(Debug)]
pub enum Counted {}
/// The number of different values of the field at `P`.
#[derive(Debug)]
pub struct Distinct<P>(PhantomData<fn() -> P>);
/// The sum of the products of the fields at `A` and `B`.
#[derive(Debug)]
pub struct Multiplied<A, B, T>(Types<(A, B, T)>);
/// The sum of the field at `P`.
#[derive(Debug)]
pub struct Summed<P, T>(PhantomData<fn() -> (P, T)>);
/// The average of the field at `P`.
#[derive(Debug)]
pub struct Averaged<P, T>(PhantomData<fn() -> (P, T)>);
/// The smallest value of the field at `P`.
#[derive(Debug)]
pub struct Least<P, T>(PhantomData<fn() -> (P, T)>);
/// The largest value of the field at `P`.
#[derive(Debug)]
pub struct Most<P, T>(PhantomData<fn() -> (P, T)>);

/// The value of the field at `P` in the first document.
#[derive(Debug)]
pub struct First<P, T>(PhantomData<fn() -> (P, T)>);
/// The value of the field at `P` in the last document.
#[derive(Debug)]
pub struct Last<P, T>(PhantomData<fn() -> (P, T)>);

/// A total that a grouping asks for.
pub trait Total {
    /// The type of its value.
    type Value: Send;
    #[doc(hidden)]
    fn read(group: &Read<'_>, n: usize) -> Result<Self::Value>;
}

impl Total for Counted {
    type Value = u64;
    fn read(group: &Read<'_>, n: usize) -> Result<u64> {
        let counted = integer(group.value(n)).and_then(|n| u64::try_from(n).ok());
        Ok(counted.unwrap_or_default())
    }
}

impl<P> Total for Distinct<P> {
    type Value = u64;
    fn read(group: &Read<'_>, n: usize) -> Result<u64> {
        <Counted as Total>::read(group, n)
    }
}

impl<A: Path, B, T: Numbers> Total for Multiplied<A, B, T> {
    type Value = T::Sum;
    fn read(group: &Read<'_>, n: usize) -> Result<T::Sum> {
        group.number::<A, T, _>(n, T::sum)
    }
}

impl<P: Path, T: Numbers> Total for Summed<P, T> {
    type Value = T::Sum;
    fn read(group: &Read<'_>, n: usize) -> Result<T::Sum> {
        group.number::<P, T, _>(n, T::sum)
    }
}

impl<P: Path, T: Numbers> Total for Averaged<P, T> {
    type Value = T::Average;
    fn read(group: &Read<'_>, n: usize) -> Result<T::Average> {
        group.number::<P, T, _>(n, T::average)
    }
}

/// The type of a minimum or maximum: an `Option` of the field's type, or that type itself where it is an `Option`.
pub trait Extreme<Codec, Presence> {
    /// The type of the result.
    type Value: Send;
    #[doc(hidden)]
    fn read<P: Path<Codec = Codec>>(group: &Read<'_>, n: usize) -> Result<Self::Value>;
}

impl<C: Decode<T>, T: Send> Extreme<C, Required> for T {
    type Value = Option<T>;
    fn read<P: Path<Codec = C>>(group: &Read<'_>, n: usize) -> Result<Option<T>> {
        match group.value(n) {
            Bson::Null => Ok(None),
            value => group.decode::<P, T>(&value).map(Some),
        }
    }
}

impl<C: Decode<Option<T>>, T: Send> Extreme<C, Optional> for Option<T> {
    type Value = Option<T>;
    fn read<P: Path<Codec = C>>(group: &Read<'_>, n: usize) -> Result<Option<T>> {
        match group.value(n) {
            Bson::Null => Ok(None),
            value => group.decode::<P, Option<T>>(&value),
        }
    }
}

macro_rules! extremes {
    ($($name:ident)*) => {$(
        impl<P: Path, T: Extreme<P::Codec, P::Presence>> Total for $name<P, T> {
            type Value = T::Value;
            fn read(group: &Read<'_>, n: usize) -> Result<T::Value> {
                T::read::<P>(group, n)
            }
        }
    )*};
}

extremes!(Least Most First Last);

#[diagnostic::do_not_recommend]
impl ComparedTotal for Counted {
    type Operand = i64;
    fn encode(operand: i64) -> Bson {
        operand.into()
    }
}

#[diagnostic::do_not_recommend]
impl<P> ComparedTotal for Distinct<P> {
    type Operand = i64;
    fn encode(operand: i64) -> Bson {
        operand.into()
    }
}

#[diagnostic::do_not_recommend]
impl<P, T: Numbers<Sum: Into<Bson>>> ComparedTotal for Summed<P, T> {
    type Operand = T::Sum;
    fn encode(operand: T::Sum) -> Bson {
        operand.into()
    }
}

#[diagnostic::do_not_recommend]
impl<A, B, T: Numbers<Sum: Into<Bson>>> ComparedTotal for Multiplied<A, B, T> {
    type Operand = T::Sum;
    fn encode(operand: T::Sum) -> Bson {
        operand.into()
    }
}

/// All totals that a grouping asks for: a tuple of at most eight.
pub trait Totals {
    /// The tuple of their values.
    type Values: Send;
    /// The totals in conditions on groups.
    type Handles;
    #[doc(hidden)]
    fn handles() -> Self::Handles;
    #[doc(hidden)]
    fn read(group: &Read<'_>) -> Result<Self::Values>;
}

/// Totals of which there is one at least.
#[diagnostic::on_unimplemented(
    message = "`only` restricts the total before it, and this grouping has none yet",
    label = "no total before it",
    note = "write it behind a total: `.count().only(..)`, `.sum(..).only(..)`; a filter for all totals is one of the documents: `find(..).group_by(..)`"
)]
pub trait SomeTotals: Totals {
    /// The last of them.
    type Last;
}

/// A total of those documents of a group that meet a filter.
#[diagnostic::on_unimplemented(
    message = "`only` does not restrict `first` and `last`",
    label = "the value of one document",
    note = "filter the documents of the grouping: `find(..).filter(..).sort(..).group_by(..)`"
)]
pub trait Restricted {}

macro_rules! restricted {
    ($($name:ident<$($p:ident),*>)*) => {$(
        #[diagnostic::do_not_recommend]
        impl<$($p),*> Restricted for $name<$($p),*> {}
    )*};
}

restricted!(Distinct<P> Multiplied<A, B, T> Summed<P, T> Averaged<P, T> Least<P, T> Most<P, T>);
#[diagnostic::do_not_recommend]
impl Restricted for Counted {}

/// Adds one more type to the end of a tuple.
#[diagnostic::on_unimplemented(
    message = "a grouping asks for at most eight totals",
    label = "one too many",
    note = "ask for the others in a second grouping"
)]
pub trait Append<A> {
    /// The longer tuple.
    type Out;
}

macro_rules! tuples {
    ($($name:ident $n:tt,)* | ) => {
        tuples!(@one $($name $n,)*);
    };
    ($($name:ident $n:tt,)* | $next:ident $m:tt, $($rest:tt)*) => {
        tuples!(@one $($name $n,)*);
        impl<$($name,)* New> Append<New> for ($($name,)*) {
            type Out = ($($name,)* New,);
        }
        #[diagnostic::do_not_recommend]
        impl<$($name: Total,)* New: Total> SomeTotals for ($($name,)* New,) {
            type Last = New;
        }
        tuples!($($name $n,)* $next $m, | $($rest)*);
    };
    (@one $($name:ident $n:tt,)*) => {
        impl<$($name: Total),*> Totals for ($($name,)*) {
            type Values = ($($name::Value,)*);
            type Handles = ($(TotalOf<$name>,)*);
            #[allow(clippy::unused_unit, reason = "of the tuple without elements")]
            fn handles() -> Self::Handles {
                ($(TotalOf::at($n),)*)
            }
            #[allow(unused_variables, clippy::unused_unit, reason = "of the tuple without elements")]
            fn read(group: &Read<'_>) -> Result<Self::Values> {
                Ok(($($name::read(group, $n)?,)*))
            }
        }
    };
}

tuples!(| A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7,);
