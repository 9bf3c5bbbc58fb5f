//! Groups that are selected by their totals: conditions, an order, and a limit.

use std::fmt;
use std::marker::PhantomData;

use bson::{Bson, Document, doc};

use crate::find::Types;

/// The name of the `n`-th total in a group.
pub(super) fn name(n: usize) -> String {
    format!("t{n}")
}

/// The total at a place in the tuple, in conditions on groups and in their order.
pub struct TotalOf<A> {
    n: usize,
    total: Types<A>,
}

impl<A> TotalOf<A> {
    pub(super) const fn at(n: usize) -> Self {
        TotalOf {
            n,
            total: PhantomData,
        }
    }

    /// Groups with the largest total first. Those with the same total are in the order of their keys.
    pub fn desc(self) -> GroupOrder {
        GroupOrder {
            n: self.n,
            direction: -1,
        }
    }

    /// Groups with the smallest total first. Those with the same total are in the order of their keys.
    pub fn asc(self) -> GroupOrder {
        GroupOrder {
            n: self.n,
            direction: 1,
        }
    }
}

macro_rules! comparisons {
    ($($name:ident $op:literal $doc:literal)*) => {
        impl<A> TotalOf<A> {$(
            #[doc = concat!("The total is ", $doc, " the value.")]
            pub fn $name(self, value: A::Operand) -> OfGroup
            where
                A: ComparedTotal,
            {
                OfGroup(doc! { name(self.n): { $op: A::encode(value) } })
            }
        )*}
    };
}

comparisons! {
    eq "$eq" "equal to"
    gt "$gt" "greater than"
    gte "$gte" "at least"
    lt "$lt" "less than"
    lte "$lte" "at most"
}

impl<A> Clone for TotalOf<A> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<A> Copy for TotalOf<A> {}

impl<A> fmt::Debug for TotalOf<A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("TotalOf").field(&self.n).finish()
    }
}

/// A condition on the totals of a group.
#[derive(Clone, PartialEq)]
pub struct OfGroup(pub(super) Document);

impl fmt::Debug for OfGroup {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        crate::bson_util::redacted::Redacted(&self.0).fmt(f)
    }
}

impl OfGroup {
    /// Both conditions.
    pub fn and(self, other: OfGroup) -> OfGroup {
        OfGroup(doc! { "$and": [self.0, other.0] })
    }

    /// One of the conditions, or both.
    pub fn or(self, other: OfGroup) -> OfGroup {
        OfGroup(doc! { "$or": [self.0, other.0] })
    }
}

/// An order of groups by a total.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GroupOrder {
    pub(super) n: usize,
    pub(super) direction: i32,
}

/// A total that is compared with a value.
#[diagnostic::on_unimplemented(
    message = "this total is not compared with a value",
    label = "not a count or sum",
    note = "counts and sums are; compare others in the rows"
)]
pub trait ComparedTotal {
    /// The type of the value.
    type Operand;
    #[doc(hidden)]
    fn encode(operand: Self::Operand) -> Bson;
}
