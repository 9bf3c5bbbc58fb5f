//! Checks by types that an index serves a filter.

use super::Filter;
use crate::schema::field::place::Anchored;
use crate::schema::field::{
    ByDistance, Indexed, KeysBeforeText, NoCircleIndex, NoCollatedIndex, NoGeoIndex, NoTextIndex,
    NotIndexed, NullsNotIndexed, OtherOrder,
};
use crate::schema::model::Model;

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
impl<M> Served<M> for NoCircleIndex where (): CircleIndexed<M> {}
impl<M> Served<M> for NoCollatedIndex where (): CaseIndexed<M> {}
impl<M> Scanned<M> for NoCollatedIndex where (): CaseIndexed<M> {}
impl<M> Served<M> for ByDistance {}
impl<M> Served<M> for NearInside where (): NearOutside<M> {}
impl<M> Served<M> for NearTwice where (): NearOnce<M> {}

/// A closure from field handles of `M` to a filter that an index serves. `C` is the model that the filter is about: `M`, unless it
/// followed a reference.
pub trait Query<M: Model, S, C = M>: FnOnce(M::FieldHandles) -> Filter<C, S> {}
impl<M, S, C, F> Query<M, S, C> for F
where
    M: Model,
    S: ServedBy<M, C>,
    F: FnOnce(M::FieldHandles) -> Filter<C, S>,
{
}

/// The model whose fields a filter of `M` may use: `M`.
#[diagnostic::on_unimplemented(
    message = "a filter of `{M}` cannot ask about a field of `{C}`, another collection [FILTER_CHILD]",
    label = "asks about a field of `{C}`",
    note = "copy what you filter by to where you filter, and index the copy: `#[denorm(from = {C}, field = ..)]` on the reference and `#[model(index(keys(<reference>.<field>)))]`, or beside a `#[parent({C})]` a field with `#[denorm(from = {C}, field = ..)] #[index]`",
    note = "MongoDB filters one collection at a time: a copy makes it one indexed query (rule of thumb 6)"
)]
pub trait ServedBy<M, C> {}
impl<M, S: Served<M>> ServedBy<M, M> for S {}

/// As [`ServedBy`], for a scan.
#[diagnostic::on_unimplemented(
    message = "a filter of `{M}` cannot ask about a field of `{C}`, another collection [FILTER_CHILD]",
    label = "asks about a field of `{C}`",
    note = "copy what you filter by to where you filter, and index the copy: `#[denorm(from = {C}, field = ..)]` on the reference and `#[model(index(keys(<reference>.<field>)))]`, or beside a `#[parent({C})]` a field with `#[denorm(from = {C}, field = ..)] #[index]`",
    note = "MongoDB filters one collection at a time: a copy makes it one indexed query (rule of thumb 6)"
)]
pub trait AskedOf<M, C>: Orders {}
impl<M, S: Scanned<M> + Orders> AskedOf<M, M> for S {}

/// Carries the message of rule `IDX_FILTER`. Implemented only for fields of embedded documents that an index of the model `M`
/// leads with (`index(keys(address.city))`), at just the place `A`.
#[diagnostic::on_unimplemented(
    message = "no index of `{M}` serves a filter on `{Self}` [IDX_FILTER]",
    label = "this filter would scan the whole collection",
    note = "add `#[index]` to the field, or put it first in an `index(keys(..))` of the model",
    note = "for an intentional scan write `scan(..)`"
)]
pub trait IndexedField<M, A> {}

/// Never implemented: it carries the message.
#[diagnostic::on_unimplemented(
    message = "this reads every document of `{M}` [IDX_FILTER]",
    label = "the whole collection",
    note = "for an intentional scan write `scan(..)`"
)]
pub trait AskedOnPurpose<M> {}

/// Never implemented: it carries the message.
#[diagnostic::on_unimplemented(
    message = "no index of `{M}` serves `ne`, `not_in`, `exists`, `is_some`, `len_is`, `lt_field` or a negation [IDX_FILTER]",
    label = "this filter would scan the whole collection",
    note = "join it by `and` with a condition that an index serves; for an intentional scan write `scan(..)`"
)]
pub trait ServedOperator<M> {}

/// Never implemented: it carries the message.
#[diagnostic::on_unimplemented(
    message = "the index of `{M}` on this field is sparse or partial and leaves out documents without it [IDX_FILTER]",
    label = "this filter would scan the whole collection",
    note = "for an intentional scan write `scan(..)`"
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
    note = "for an intentional scan write `scan(..)`"
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

/// Never implemented: it carries the message.
#[diagnostic::on_unimplemented(
    message = "`{M}` has no 2dsphere index on this field [IDX_FILTER]",
    label = "this filter would scan the whole collection",
    note = "`#[index(geo)]` serves filters on places",
    note = "for an intentional scan write `scan(..)`"
)]
pub trait CircleIndexed<M> {}

/// Never implemented: it carries the message.
#[diagnostic::on_unimplemented(
    message = "no index of `{M}` with a collation leads with this field [IDX_FILTER]",
    label = "a comparison without regard to case needs one",
    note = "declare it: `#[index(collation(locale = \"en\", strength = 2))]`; a second `#[index]` beside it serves exact comparisons",
    note = "strength 1 ignores case and accents, 2 ignores case, 3 ignores neither but sorts as the language does"
)]
pub trait CaseIndexed<M> {}

/// Never implemented: it carries the message.
#[diagnostic::on_unimplemented(
    message = "`near` stands inside an `or`, a negation or `any` in this filter of `{M}` [IDX_FILTER]",
    label = "the server refuses this filter",
    note = "`within_circle(point, meters)` is the same circle without the order by distance, and may stand anywhere",
    note = "the server takes `$nearSphere` at the top of a filter only, because it sorts the result"
)]
pub trait NearOutside<M> {}

/// Never implemented: it carries the message.
#[diagnostic::on_unimplemented(
    message = "this filter of `{M}` has `near` twice [IDX_FILTER]",
    label = "the server refuses this filter",
    note = "make all but one of them `within_circle(point, meters)`: the same circle without the order by distance",
    note = "the server sorts by one distance only"
)]
pub trait NearOnce<M> {}

/// A filter that the server can count: it sets no order of its own.
#[diagnostic::on_unimplemented(
    message = "a filter with `near` cannot be counted",
    label = "sorts by distance",
    note = "count with `within_circle(point, meters)`: the same circle without the order by distance",
    note = "the server takes `$nearSphere` in a `find` only"
)]
pub trait Countable {}
impl Countable for () {}

/// The order that a filter sets by itself, added to `K`: [`ByDistance`] for one with `near`.
pub trait Orders<K = ()> {
    /// The order.
    type Order: 'static;
}

/// The filter turned around.
pub trait Negated {
    /// The result.
    type Out;
}

/// The filter inside `any`.
pub trait InElement {
    /// The result.
    type Out;
}

/// A filter that a scan may use.
pub trait Scanned<M> {}
impl<M> Scanned<M> for NearInside where (): NearOutside<M> {}
impl<M> Scanned<M> for NearTwice where (): NearOnce<M> {}

/// `near` where the server refuses it.
#[derive(Debug)]
pub enum NearInside {}

/// `near` beside `near`.
#[derive(Debug)]
pub enum NearTwice {}

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
impl<B: Otherwise<B>> Or<B> for Indexed {
    type Out = B::Out;
}

/// Filters that set no order: all but those with `near`.
macro_rules! unordered {
    ($($kind:ty, [$($s:ident),*];)*) => {$(
        impl<$($s,)* K: 'static> Orders<K> for $kind {
            type Order = K;
        }
        impl<$($s,)* K> Otherwise<K> for $kind {
            type Out = K;
        }
        impl<$($s,)* M> Scanned<M> for $kind {}
        impl<$($s),*> Negated for $kind {
            type Out = NotServed;
        }
        impl<$($s),*> InElement for $kind {
            type Out = $kind;
        }
    )*};
}

macro_rules! unserved {
    ($($kind:ty, [$($s:ident),*];)*) => {$(
        impl<$($s,)* B: Unless<$kind>> And<B> for $kind {
            type Out = B::Out;
        }
        impl<$($s,)* B: Otherwise<$kind>> Or<B> for $kind {
            type Out = B::Out;
        }
        impl<$($s,)* A> Unless<A> for $kind {
            type Out = A;
        }
        impl<$($s),*> WithNear for $kind {
            type Out = ByDistance;
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
        impl WithNear for $kind {
            type Out = $kind;
        }
    )*};
}

/// The second side of an `and` whose first side is `A`.
pub trait Unless<A> {
    /// `Indexed` if this side is served, else the first side, which carries the message; this side where nothing serves it.
    type Out;
}
impl<A> Unless<A> for Indexed {
    type Out = Indexed;
}

/// A side of an `or`, which is `K` if the server takes this side.
pub trait Otherwise<K> {
    /// `K`, or this side, which carries the message.
    type Out;
}

/// The second side of an `and` whose first side has `near`.
pub trait WithNear {
    /// `ByDistance`, or this side, which carries the message.
    type Out;
}
impl WithNear for Indexed {
    type Out = ByDistance;
}
impl WithNear for ByDistance {
    type Out = NearTwice;
}

impl<B: WithNear> And<B> for ByDistance {
    type Out = B::Out;
}
impl<B> Or<B> for ByDistance {
    type Out = NearInside;
}
impl<A: WithNear> Unless<A> for ByDistance {
    type Out = A::Out;
}
impl<K> Otherwise<K> for ByDistance {
    type Out = NearInside;
}
impl<K> Orders<K> for ByDistance {
    type Order = ByDistance;
}
impl<M> Scanned<M> for ByDistance {}
impl Negated for ByDistance {
    type Out = NearInside;
}
impl InElement for ByDistance {
    type Out = NearInside;
}

macro_rules! misplaced {
    ($($kind:ty),*) => {$(
        impl<K> Otherwise<K> for $kind {
            type Out = $kind;
        }
        impl<K: 'static> Orders<K> for $kind {
            type Order = K;
        }
        impl Negated for $kind {
            type Out = $kind;
        }
        impl InElement for $kind {
            type Out = $kind;
        }
    )*};
}

unserved! {
    NotIndexed<S, Q>, [S, Q];
    Everything, [];
    NotServed, [];
    NullsNotIndexed, [];
    OtherOrder, [];
    NoCircleIndex, [];
}

refused! {
    NoTextIndex;
    KeysBeforeText;
    NoGeoIndex;
    NearInside;
    NearTwice;
    NoCollatedIndex;
}

misplaced!(NearInside, NearTwice, NoCollatedIndex);

unordered! {
    Indexed, [];
    NotIndexed<S, Q>, [S, Q];
    Everything, [];
    NotServed, [];
    NullsNotIndexed, [];
    OtherOrder, [];
    NoCircleIndex, [];
    NoTextIndex, [];
    KeysBeforeText, [];
    NoGeoIndex, [];
}
