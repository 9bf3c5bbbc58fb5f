//! Checks by types that an index serves a filter.

use crate::schema::field::place::Anchored;
use crate::schema::field::{
    Indexed, KeysBeforeText, NoGeoIndex, NoTextIndex, NotIndexed, NullsNotIndexed, OtherOrder,
};

/// Every document.
#[derive(Debug)]
pub enum Everything {}

/// A filter that an index of `M` can serve.
pub trait Served<M> {}
impl<M> Served<M> for Indexed {}
impl<M, S: IndexedField<M, P::Anchor>, P: Anchored> Served<M> for NotIndexed<S, P> {}
impl<M> Served<M> for Everything where (): AskedOnPurpose<M> {}
impl<M> Served<M> for NotServed where (): ServedOperator<M> {}
impl<M> Served<M> for NullsNotIndexed where (): IndexedNull<M> {}
impl<M> Served<M> for NoTextIndex where (): TextIndexed<M> {}
impl<M> Served<M> for OtherOrder where (): SameOrder<M> {}
impl<M> Served<M> for KeysBeforeText where (): TextFixed<M> {}
impl<M> Served<M> for NoGeoIndex where (): GeoIndexed<M> {}

/// Carries the message of rule `IDX_FILTER`. Implemented only for fields of embedded documents that an index of the model `M`
/// leads with (`index(keys(address.city))`), at just the place `A`.
#[diagnostic::on_unimplemented(
    message = "no index of `{M}` serves a filter on `{Self}` [IDX_FILTER]",
    label = "this filter would scan the whole collection",
    note = "add `#[index]` to the field, or put it first in an `index(keys(..))` of the model",
    note = "a scan on purpose is spelled `scan(..)`"
)]
pub trait IndexedField<M, A> {}

/// Never implemented: it carries the message.
#[diagnostic::on_unimplemented(
    message = "this reads every document of `{M}` [IDX_FILTER]",
    label = "the whole collection",
    note = "a scan on purpose is spelled `scan(..)`"
)]
pub trait AskedOnPurpose<M> {}

/// Never implemented: it carries the message.
#[diagnostic::on_unimplemented(
    message = "no index of `{M}` serves `ne`, `not_in`, `exists`, `is_some`, `len_is` or a negation [IDX_FILTER]",
    label = "this filter would scan the whole collection",
    note = "join it by `and` with a condition that an index serves; a scan on purpose is spelled `scan(..)`"
)]
pub trait ServedOperator<M> {}

/// Never implemented: it carries the message.
#[diagnostic::on_unimplemented(
    message = "the index of `{M}` on this field is sparse or partial and leaves out documents without it [IDX_FILTER]",
    label = "this filter would scan the whole collection",
    note = "a scan on purpose is spelled `scan(..)`"
)]
pub trait IndexedNull<M> {}

/// Never implemented: it carries the message.
#[diagnostic::on_unimplemented(
    message = "`{M}` has no text index on this field [IDX_FILTER]",
    label = "text search needs `#[index(text)]`",
    note = "the server refuses `$text` without a text index"
)]
pub trait TextIndexed<M> {}

/// Never implemented: it carries the message.
#[diagnostic::on_unimplemented(
    message = "the index of `{M}` on this field has a collation, and does not serve a filter that compares letter for letter [IDX_FILTER]",
    label = "this filter would scan the whole collection",
    note = "declare a second index, without a collation: `#[index]`",
    note = "a scan on purpose is spelled `scan(..)`"
)]
pub trait SameOrder<M> {}

/// Never implemented: it carries the message.
#[diagnostic::on_unimplemented(
    message = "the text index of `{M}` has other keys before its text [IDX_FILTER]",
    label = "the server refuses this search unless each of those keys is fixed",
    note = "add an equality with each of them, and spell it `scan(..)`: `scan(db, |m| m.key.eq(..).and(m.text.text(..)))` is served by the text index",
    note = "or put the text first in the index: `index(keys(text(..), ..))`",
    note = "the server refuses `$text` without an equality on the keys before the text (error 291)"
)]
pub trait TextFixed<M> {}

/// Never implemented: it carries the message.
#[diagnostic::on_unimplemented(
    message = "`{M}` has no 2dsphere index on this field [IDX_FILTER]",
    label = "nearness needs `#[index(geo)]`",
    note = "the server refuses `$nearSphere` without a 2dsphere index"
)]
pub trait GeoIndexed<M> {}

/// An operator that no index serves.
#[derive(Debug)]
pub enum NotServed {}

/// Checks if an index serves `self and Other`: it does if it serves one side.
pub trait And<Other> {
    /// The result.
    type Out;
}
impl<B: Unless<Indexed>> And<B> for Indexed {
    type Out = B::Out;
}

/// Checks if indexes serve `self or Other`: they do if they serve both sides.
pub trait Or<Other> {
    /// The result.
    type Out;
}
impl<B> Or<B> for Indexed {
    type Out = B;
}

macro_rules! unserved {
    ($($kind:ty, [$($s:ident),*];)*) => {$(
        impl<$($s,)* B: Unless<$kind>> And<B> for $kind {
            type Out = B::Out;
        }
        impl<$($s,)* B> Or<B> for $kind {
            type Out = $kind;
        }
        impl<$($s,)* A> Unless<A> for $kind {
            type Out = A;
        }
    )*};
}

/// An operator that the server refuses without its index, whatever the rest of the filter: no other side of an `and` serves it.
macro_rules! refused {
    ($($kind:ty;)*) => {$(
        impl<B> And<B> for $kind {
            type Out = $kind;
        }
        impl<B> Or<B> for $kind {
            type Out = $kind;
        }
        impl<A> Unless<A> for $kind {
            type Out = $kind;
        }
    )*};
}

/// The other side of an `and` whose first side is `A`.
pub trait Unless<A> {
    /// `Indexed` if this side is served, else the first side, which carries the message; this side where nothing serves it.
    type Out;
}
impl<A> Unless<A> for Indexed {
    type Out = Indexed;
}

unserved! {
    NotIndexed<S, Q>, [S, Q];
    Everything, [];
    NotServed, [];
    NullsNotIndexed, [];
    OtherOrder, [];
}

refused! {
    NoTextIndex;
    KeysBeforeText;
    NoGeoIndex;
}
