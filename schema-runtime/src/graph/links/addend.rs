//! The amount that a child adds to a number of its parent: one, or the value of a field, if it meets the conditions.

use bson::{Bson, Document, RawDocument, doc};

use crate::bson_util::id_key::IdKey;

/// The amount that each child adds to a number of its parent.
#[derive(Debug)]
pub(crate) struct Addend {
    pub(crate) term: Term,
    /// The stored names of fields, each with the value that a child must have there to add anything.
    pub(crate) only: Vec<(&'static str, Bson)>,
}

/// The amount of a child that meets the conditions.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Term {
    /// One.
    Child,
    /// The integer in the field with this stored name; nothing but an integer is added.
    Value(&'static str),
    /// One, if that field has an integer.
    HasValue(&'static str),
}

impl Term {
    fn field(self) -> Option<&'static str> {
        match self {
            Term::Child => None,
            Term::Value(field) | Term::HasValue(field) => Some(field),
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
        self.term.field().is_none() && self.only.is_empty()
    }

    /// The stored names of the fields that the amount depends on.
    pub(crate) fn fields(&self) -> impl Iterator<Item = &'static str> {
        let only = self.only.iter().map(|(name, _)| *name);
        self.term.field().into_iter().chain(only)
    }

    /// The amount that this child adds.
    pub(crate) fn amount_of(&self, child: &RawDocument) -> i64 {
        let at = |name: &str| child.get(name).ok().flatten();
        let meets = |(name, want): &(&str, Bson)| {
            at(name).is_some_and(|value| IdKey::of_raw(value) == IdKey::new(want))
        };
        if !self.only.iter().all(meets) {
            return 0;
        }
        let integer = |field| {
            let value = at(field)?;
            value.as_i64().or_else(|| value.as_i32().map(i64::from))
        };
        match self.term {
            Term::Child => 1,
            Term::Value(field) => integer(field).unwrap_or(0),
            Term::HasValue(field) => i64::from(integer(field).is_some()),
        }
    }

    /// The same as an expression; `value` gives that of a field.
    pub(crate) fn expression(&self, value: impl Fn(&str) -> Bson) -> Bson {
        let of_integer = |field, amount: fn(Bson) -> Bson| {
            let value = value(field);
            let is_integer = doc! { "$in": [{ "$type": &value }, ["int", "long"]] };
            Bson::from(doc! { "$cond": [is_integer, amount(value), 0_i64] })
        };
        let amount = match self.term {
            Term::Child => Bson::Int64(1),
            Term::Value(field) => of_integer(field, |value| doc! { "$toLong": value }.into()),
            Term::HasValue(field) => of_integer(field, |_| Bson::Int64(1)),
        };
        if self.only.is_empty() {
            return amount;
        }
        let only = self.only.iter();
        let meets = only.map(|(name, want)| doc! { "$eq": [value(name), { "$literal": want }] });
        let meets: Vec<Document> = meets.collect();
        doc! { "$cond": [{ "$and": meets }, amount, 0_i64] }.into()
    }

    /// The amount that a stored child adds, as an expression.
    pub(crate) fn stored(&self) -> Bson {
        self.expression(|name| format!("${name}").into())
    }
}
