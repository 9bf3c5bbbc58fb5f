//! The order of results.

use std::fmt;
use std::marker::PhantomData;

use bson::{Bson, Document};

use crate::schema::field::place::{Path, path};
use crate::schema::field::{CollatedKind, Field};
use crate::schema::index_row::CollationRow;

/// An order of results: `|m| m.time.desc()`. `C` is [`ByCollation`] if strings are ordered as the collation of an index says.
pub struct Sort<M, C = ()> {
    keys: Vec<(String, i32)>,
    pub(super) collations: Vec<&'static CollationRow>,
    types: PhantomData<fn() -> (M, C)>,
}

/// The order is that of a collation.
#[derive(Debug)]
pub enum ByCollation {}

/// The order of a sort by `Self` and then by `C`.
pub trait ThenBy<C> {
    /// The order of both: by a collation if one of them is.
    type Out;
}
impl<C> ThenBy<C> for () {
    type Out = C;
}
impl<C> ThenBy<C> for ByCollation {
    type Out = ByCollation;
}

impl<M, C> Sort<M, C> {
    fn by(path: String, order: i32, collation: Option<&'static CollationRow>) -> Self {
        Sort {
            keys: vec![(path, order)],
            collations: collation.into_iter().collect(),
            types: PhantomData,
        }
    }

    /// Orders documents that are equal so far by `next`. If one of the two uses a collation, all strings of the order
    /// do.
    #[must_use]
    pub fn then<C2, S: IntoSort<M, C2>>(mut self, next: S) -> Sort<M, C::Out>
    where
        C: ThenBy<C2>,
    {
        let next = next.into_sort();
        self.keys.extend(next.keys);
        self.collations.extend(next.collations);
        Sort {
            keys: self.keys,
            collations: self.collations,
            types: PhantomData,
        }
    }

    pub(super) fn keys(self) -> Document {
        self.keys
            .into_iter()
            .map(|(path, order)| (path, Bson::Int32(order)))
            .collect()
    }
}

/// The result of `asc` and `desc` of a field, which a closure of `sort` returns.
#[diagnostic::on_unimplemented(
    message = "a field alone is no order: it has no direction",
    label = "no direction",
    note = "write `.asc()` or `.desc()` behind the field"
)]
pub trait IntoSort<M, C = ()> {
    /// The order.
    fn into_sort(self) -> Sort<M, C>;
}
#[diagnostic::do_not_recommend]
impl<M, C> IntoSort<M, C> for Sort<M, C> {
    fn into_sort(self) -> Sort<M, C> {
        self
    }
}

impl<M> Sort<M> {
    pub(crate) fn into_document(self) -> Document {
        self.keys()
    }
}

impl<M, C> fmt::Debug for Sort<M, C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Sort").field(&self.keys).finish()
    }
}

impl<P: Path, T: ?Sized, I, W> Field<P, T, I, W> {
    /// Smallest first, in BSON's order.
    #[must_use]
    pub fn asc(self) -> Sort<P::Root> {
        Sort::by(path::<P>(), 1, None)
    }

    /// Largest first, in BSON's order.
    #[must_use]
    pub fn desc(self) -> Sort<P::Root> {
        Sort::by(path::<P>(), -1, None)
    }

    /// Smallest first, in the order of the collation of the field's index.
    #[must_use]
    pub fn asc_ci(self) -> Sort<P::Root, ByCollation>
    where
        I: CollatedKind,
    {
        Sort::by(path::<P>(), 1, I::COLLATION)
    }

    /// Largest first, in the order of the collation of the field's index.
    #[must_use]
    pub fn desc_ci(self) -> Sort<P::Root, ByCollation>
    where
        I: CollatedKind,
    {
        Sort::by(path::<P>(), -1, I::COLLATION)
    }
}
