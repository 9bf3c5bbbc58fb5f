//! The largest value of a number of children: `#[count(.., max = ..)]`.

use bson::{Bson, Document, doc};

use crate::bson_util::number::integer;

/// The largest number of children that a parent can have.
#[derive(Debug)]
pub(crate) enum Bound {
    /// The same for all parents.
    Constant(i64),
    /// The stored name of the parent's field that has it. A parent where that is absent or null has no bound.
    Field(&'static str),
}

impl Bound {
    /// The parent's field that has it.
    pub(crate) fn field(&self) -> Option<&'static str> {
        match self {
            Bound::Constant(_) => None,
            Bound::Field(field) => Some(field),
        }
    }

    /// The bound of this parent.
    pub(crate) fn of(&self, parent: &Document) -> Option<i64> {
        match self {
            Bound::Constant(max) => Some(*max),
            Bound::Field(field) => integer(parent.get(field)),
        }
    }

    /// True if the number at `field` may grow by `gain`, as an expression about the stored parent.
    pub(crate) fn admits(&self, field: &str, gain: i64) -> Document {
        let next = doc! { "$add": [{ "$ifNull": [format!("${field}"), 0_i64] }, gain] };
        match self {
            Bound::Constant(max) => doc! { "$lte": [next, *max] },
            Bound::Field(of) => {
                let max = doc! { "$ifNull": [format!("${of}"), Bson::Null] };
                doc! { "$or": [{ "$eq": [&max, Bson::Null] }, { "$lte": [next, &max] }] }
            }
        }
    }
}
