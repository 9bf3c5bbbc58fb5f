//! The amount that a child adds to a number of its parent: one, or the value of a field, if it meets the conditions.

use bson::{Bson, Decimal128, Document, RawBsonRef, RawDocument, doc};

use crate::bson_util::amount::{self, Amount, INEXACT};
use crate::bson_util::id_key::IdKey;
use crate::bson_util::path::raw_at;

/// The amount that each child adds to a number of its parent.
#[derive(Debug)]
pub(crate) struct Addend {
    pub(crate) term: Term,
    /// The stored paths of fields, each with the value that a child must have there to add anything.
    pub(crate) only: Vec<(&'static str, Bson)>,
}

/// The amount of a child that meets the conditions: one, or a value of the child.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Term {
    /// The amount is one.
    Child,
    /// The amount is a value of the child.
    Value(Summand),
    /// The amount is one, if the child has that value.
    HasValue(Summand),
}

/// The number in a field, or the product of two. Only integers are added, and decimals if `decimal` is true.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Summand {
    /// The stored path of the field.
    pub(crate) field: &'static str,
    /// The stored path of the field by which it is multiplied.
    pub(crate) times: Option<&'static str>,
    /// True if a factor is a decimal.
    pub(crate) decimal: bool,
}

impl Summand {
    fn fields(self) -> impl Iterator<Item = &'static str> {
        std::iter::once(self.field).chain(self.times)
    }

    /// The server's names of the types that are added.
    fn types(self) -> &'static [&'static str] {
        match self.decimal {
            true => &["int", "long", "decimal"],
            false => &["int", "long"],
        }
    }

    /// Reads the value from a child; `None` if a field has no number of these types.
    fn read(self, child: &RawDocument) -> Option<Result<Amount, Inexact>> {
        let read = |field: &str| {
            let value = raw_at(child, field)?;
            match value {
                RawBsonRef::Int32(_) | RawBsonRef::Int64(_) => {}
                RawBsonRef::Decimal128(_) if self.decimal => {}
                _ => return None,
            }
            Some(Amount::read(&Bson::try_from(value).ok()?))
        };
        let (value, times) = (read(self.field)?, self.times.map(read));
        let product = match times {
            None => value,
            Some(times) => value
                .zip(times?)
                .and_then(|(value, times)| value.times(times)),
        };
        let exact = product.filter(|amount| amount.is_addable());
        Some(exact.ok_or(Inexact))
    }

    /// The value as an expression, for fields that have numbers. The server refuses the command if the value cannot be added exactly.
    fn expression(self, value: &impl Fn(&str) -> Bson) -> Bson {
        let of = value(self.field);
        let product = match self.times {
            None => of.clone(),
            Some(times) => doc! { "$multiply": [of.clone(), value(times)] }.into(),
        };
        if !self.decimal {
            return doc! { "$toLong": product }.into();
        }
        let digits = self.times.map_or(amount::DIGITS, |_| amount::FACTOR_DIGITS);
        let factors = self.fields().map(|field| {
            let factor = value(field);
            doc! { "$eq": [{ "$trunc": [&factor, digits] }, factor] }
        });
        exact_decimal(product, amount::WHOLE_DIGITS, factors.collect()).into()
    }
}

/// An expression for a decimal: the server refuses the command if the conditions `all` do not hold, or if the decimal has more digits
/// before the point.
pub(crate) fn exact_decimal(number: Bson, whole_digits: u32, mut all: Vec<Document>) -> Document {
    let limit = |sign: &str| {
        let limit = format!("{sign}1E+{whole_digits}").parse::<Decimal128>();
        limit.map_or(Bson::Null, Bson::Decimal128)
    };
    // NaN is less than every number.
    all.push(doc! { "$gt": ["$$n", limit("-")] });
    all.push(doc! { "$lt": ["$$n", limit("")] });
    let checked = doc! { "$cond": [{ "$and": all }, "$$n", INEXACT] };
    doc! { "$toDecimal": { "$let": { "vars": { "n": number }, "in": checked } } }
}

/// An amount that cannot be added exactly.
#[derive(Debug)]
pub(crate) struct Inexact;

impl Term {
    fn summand(self) -> Option<Summand> {
        match self {
            Term::Child => None,
            Term::Value(value) | Term::HasValue(value) => Some(value),
        }
    }
}

impl Addend {
    /// Adds one for each child.
    pub(crate) const ONE: Self = Addend {
        term: Term::Child,
        only: Vec::new(),
    };

    /// True if each child adds one.
    pub(crate) fn is_one(&self) -> bool {
        self.term.summand().is_none() && self.only.is_empty()
    }

    /// The number of a parent to which no child has added anything.
    pub(crate) fn zero(&self) -> Amount {
        match self.term {
            Term::Value(value) if value.decimal => Amount::ZERO_DECIMAL,
            _ => Amount::default(),
        }
    }

    /// The stored paths of the fields that the amount depends on.
    pub(crate) fn fields(&self) -> impl Iterator<Item = &'static str> {
        let only = self.only.iter().map(|(name, _)| *name);
        let value = self.term.summand().into_iter().flat_map(Summand::fields);
        value.chain(only)
    }

    /// The amount that this child adds.
    pub(crate) fn amount_of(&self, child: &RawDocument) -> Result<Amount, Inexact> {
        let meets = |(path, want): &(&str, Bson)| {
            raw_at(child, path).is_some_and(|value| IdKey::of_raw(value) == IdKey::new(want))
        };
        if !self.only.iter().all(meets) {
            return Ok(self.zero());
        }
        match self.term {
            Term::Child => Ok(1.into()),
            Term::Value(value) => value.read(child).unwrap_or_else(|| Ok(self.zero())),
            Term::HasValue(value) => Ok(i64::from(value.read(child).is_some()).into()),
        }
    }

    /// An expression for the amount that a child adds; `value` gives the expression of a field.
    pub(crate) fn expression(&self, value: impl Fn(&str) -> Bson) -> Bson {
        let zero = self.zero().to_bson().unwrap_or(Bson::Null);
        let where_there = |summand: Summand, amount: Bson| {
            let types = summand.types();
            let are_numbers = summand.fields();
            let are_numbers =
                are_numbers.map(|field| doc! { "$in": [{ "$type": value(field) }, types] });
            let are_numbers: Vec<Document> = are_numbers.collect();
            let are_numbers = match <[Document; 1]>::try_from(are_numbers) {
                Ok([one]) => one,
                Err(all) => doc! { "$and": all },
            };
            Bson::from(doc! { "$cond": [are_numbers, amount, &zero] })
        };
        let amount = match self.term {
            Term::Child => Bson::Int64(1),
            Term::Value(summand) => where_there(summand, summand.expression(&value)),
            Term::HasValue(summand) => where_there(summand, Bson::Int64(1)),
        };
        if self.only.is_empty() {
            return amount;
        }
        let only = self.only.iter();
        let meets = only.map(|(name, want)| doc! { "$eq": [value(name), { "$literal": want }] });
        let meets: Vec<Document> = meets.collect();
        doc! { "$cond": [{ "$and": meets }, amount, zero] }.into()
    }

    /// The amount that a stored child adds, as an expression.
    pub(crate) fn stored(&self) -> Bson {
        self.expression(|name| format!("${name}").into())
    }
}
