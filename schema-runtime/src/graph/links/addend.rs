//! The amount that a child adds to a number of its parent: one, or the value of a field, if it meets the conditions.

use bson::{Bson, Document, RawDocument, doc};

use crate::bson_util::id_key::IdKey;

/// The amount that each child adds to a number of its parent.
#[derive(Debug)]
pub(crate) struct Addend {
    /// The stored name of the children's field that is added; `None` where each child adds one.
    pub(crate) field: Option<&'static str>,
    /// The stored names of fields, each with the value that a child must have there to add anything.
    pub(crate) only: Vec<(&'static str, Bson)>,
}

impl Addend {
    /// True if each child adds one.
    pub(crate) fn is_one(&self) -> bool {
        self.field.is_none() && self.only.is_empty()
    }

    /// The stored names of the fields that the amount depends on.
    pub(crate) fn fields(&self) -> impl Iterator<Item = &'static str> {
        let only = self.only.iter().map(|(name, _)| *name);
        self.field.into_iter().chain(only)
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
        let Some(field) = self.field else { return 1 };
        let value = at(field);
        let long = value.and_then(|value| value.as_i64());
        let int = || value.and_then(|value| value.as_i32()).map(i64::from);
        long.or_else(int).unwrap_or(0)
    }

    /// The same as an expression; `value` gives that of a field. Nothing but an integer is added.
    pub(crate) fn expression(&self, value: impl Fn(&str) -> Bson) -> Bson {
        let amount = self.field.map_or(Bson::Int64(1), |field| {
            let value = value(field);
            let is_integer = doc! { "$in": [{ "$type": &value }, ["int", "long"]] };
            doc! { "$cond": [is_integer, { "$toLong": value }, 0_i64] }.into()
        });
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
