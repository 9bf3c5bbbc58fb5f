//! The index that serves a field, as a type. It is separate from the role: the index is about filters, the role about writes.

use std::marker::PhantomData;

use crate::schema::index_row::{CollationRow, ConditionOp};

/// The field `S`, which no index leads with; `P` is where it is, `()` at the top of its model.
pub struct NotIndexed<S, P = ()>(PhantomData<(S, P)>);
/// A field that a btree index leads with.
#[derive(Debug)]
pub enum Indexed {}
/// A field that only a sparse index leads with: documents without it are not in the index.
#[derive(Debug)]
pub enum Sparse {}
/// A field that only a partial index leads with, whose condition is on the field itself.
pub struct Partial<S>(PhantomData<S>);
/// A field that only a hashed index leads with.
pub struct Hashed<S>(PhantomData<S>);
/// A field of a text index, led by no other.
pub struct Text<S>(PhantomData<S>);
/// A field of a text index that has other keys before its text, led by no other.
pub struct TextBehind<S>(PhantomData<S>);
/// A field that only an index with a collation of its own leads with.
pub struct Collated<S>(PhantomData<S>);
/// A field that an index with a collation leads with, and for exact comparisons another one, which is `I`.
pub struct AlsoCollated<I, S>(PhantomData<(I, S)>);

/// The collation of the index that leads with a field.
pub trait Collates {
    /// The collation.
    const COLLATION: CollationRow;
}

/// A field whose texts are found by their parts, and for other filters by the index `I`.
pub struct WithParts<I>(PhantomData<I>);

/// A field that an index of vectors is on, and for filters the index `I`.
pub struct WithVectors<I>(PhantomData<I>);

/// Kinds that filters use as the kind `I`.
macro_rules! filtered_as_inner {
    ($($kind:ident)*) => {$(
        impl<I: IndexKind> IndexKind for $kind<I> {
            type Eq = I::Eq;
            type Range = I::Range;
            type Null = I::Null;
            type Text = I::Text;
            type Geo = I::Geo;
            type Circle = I::Circle;
            type Folded = I::Folded;
            const COLLATION: Option<&'static CollationRow> = I::COLLATION;
            const NO_NULLS: bool = I::NO_NULLS;
            const CONDITIONS: &'static [ConditionOp] = I::CONDITIONS;
            const OF_WHOLE: bool = I::OF_WHOLE;
        }
    )*};
}
filtered_as_inner!(WithParts WithVectors);

#[diagnostic::do_not_recommend]
impl<I: CollatedKind> CollatedKind for WithParts<I> {}

/// A field whose texts are found by their parts.
#[diagnostic::on_unimplemented(
    message = "no index has the parts of this text [IDX_FILTER]",
    label = "`contains_ci` and searches for words need one",
    note = "declare it: `#[index(contains, min = 3)]`",
    note = "for an intentional scan write `scan(..)` with another condition on the text"
)]
pub trait FoundByParts: IndexKind {}
#[diagnostic::do_not_recommend]
impl<I: IndexKind> FoundByParts for WithParts<I> {}

/// A field with an index of its vectors.
#[diagnostic::on_unimplemented(
    message = "no index compares the vectors of this field [IDX_FILTER]",
    label = "`find_nearest` needs one",
    note = "declare it: `#[index(vector(1536, cosine))]`"
)]
pub trait FoundByVectors: IndexKind {}
#[diagnostic::do_not_recommend]
impl<I: IndexKind> FoundByVectors for WithVectors<I> {}

/// A field that only a 2dsphere index leads with.
pub struct Geo<S>(PhantomData<S>);

/// The conditions of a partial index on its own leading field.
pub trait Conditions {
    /// All of them hold for every document in the index.
    const ALL: &'static [ConditionOp];
}

/// The queries that a field's index serves. [`Served`](crate::filter::Served) checks the result.
pub trait IndexKind {
    /// Equality and `is_in`.
    type Eq;
    /// Ranges and prefixes.
    type Range;
    /// Equality with null.
    type Null;
    /// Text search.
    type Text;
    /// Nearness.
    type Geo;
    /// A circle without an order.
    type Circle;
    /// Comparisons by the collation of an index that leads with the field.
    type Folded;
    /// The collation of that index.
    const COLLATION: Option<&'static CollationRow> = None;
    /// True if the index leaves out documents with null.
    const NO_NULLS: bool = false;
    /// Conditions to be added to the filter, so that the planner may use the index.
    const CONDITIONS: &'static [ConditionOp] = &[];
    /// True if the index serves equality with the field as a whole: all keys in the stored order, where it is a document.
    const OF_WHOLE: bool = false;
}

macro_rules! kinds {
    ($($kind:ty, [$($s:ident $(: $bound:ident)?)?]: $eq:ty, $range:ty, $null:ty, $text:ty, $geo:ty, $circle:ty $(, $key:ident: $vty:ty = $value:expr)*;)*) => {$(
        impl$(<$s $(: $bound)?>)? IndexKind for $kind {
            type Eq = $eq;
            type Range = $range;
            type Null = $null;
            type Text = $text;
            type Geo = $geo;
            type Circle = $circle;
            type Folded = NoCollatedIndex;
            $(const $key: $vty = $value;)*
        }
    )*};
}

kinds! {
    Indexed, []: Indexed, Indexed, Indexed, NoTextIndex, NoGeoIndex, NoCircleIndex, OF_WHOLE: bool = true;
    Sparse, []: Indexed, Indexed, NullsNotIndexed, NoTextIndex, NoGeoIndex, NoCircleIndex, NO_NULLS: bool = true, OF_WHOLE: bool = true;
    Partial<S>, [S: Conditions]: Indexed, Indexed, NullsNotIndexed, NoTextIndex, NoGeoIndex, NoCircleIndex, NO_NULLS: bool = true, CONDITIONS: &'static [ConditionOp] = S::ALL, OF_WHOLE: bool = true;
    Hashed<S>, [S]: Indexed, NotIndexed<S>, Indexed, NoTextIndex, NoGeoIndex, NoCircleIndex, OF_WHOLE: bool = true;
    Text<S>, [S]: NotIndexed<S>, NotIndexed<S>, NotIndexed<S>, Indexed, NoGeoIndex, NoCircleIndex;
    TextBehind<S>, [S]: NotIndexed<S>, NotIndexed<S>, NotIndexed<S>, KeysBeforeText, NoGeoIndex, NoCircleIndex;
    Geo<S>, [S]: NotIndexed<S>, NotIndexed<S>, NotIndexed<S>, NoTextIndex, ByDistance, Indexed;
}

impl<S: Collates> IndexKind for Collated<S> {
    type Eq = OtherOrder;
    type Range = OtherOrder;
    type Null = OtherOrder;
    type Text = NoTextIndex;
    type Geo = NoGeoIndex;
    type Circle = NoCircleIndex;
    type Folded = Indexed;
    const COLLATION: Option<&'static CollationRow> = Some(&S::COLLATION);
}

impl<I: IndexKind, S: Collates> IndexKind for AlsoCollated<I, S> {
    type Eq = I::Eq;
    type Range = I::Range;
    type Null = I::Null;
    type Text = I::Text;
    type Geo = I::Geo;
    type Circle = I::Circle;
    type Folded = Indexed;
    const COLLATION: Option<&'static CollationRow> = Some(&S::COLLATION);
    const NO_NULLS: bool = I::NO_NULLS;
    const CONDITIONS: &'static [ConditionOp] = I::CONDITIONS;
    const OF_WHOLE: bool = I::OF_WHOLE;
}

/// A field whose index has a collation, by which it can be sorted.
#[diagnostic::on_unimplemented(
    message = "no index with a collation leads with this field [IDX_FILTER]",
    label = "has no order without regard to case",
    note = "declare one: `#[index(collation(locale = \"en\", strength = 2))]`; a second `#[index]` beside it serves exact comparisons",
    note = "strength 1 ignores case and accents, 2 ignores case, 3 ignores neither but sorts as the language does"
)]
pub trait CollatedKind: IndexKind {}
#[diagnostic::do_not_recommend]
impl<S: Collates> CollatedKind for Collated<S> {}
#[diagnostic::do_not_recommend]
impl<I: IndexKind, S: Collates> CollatedKind for AlsoCollated<I, S> {}

impl<S, P> IndexKind for NotIndexed<S, P> {
    type Eq = Self;
    type Range = Self;
    type Null = Self;
    type Text = NoTextIndex;
    type Geo = NoGeoIndex;
    type Circle = NoCircleIndex;
    type Folded = NoCollatedIndex;
}

/// A comparison by a collation, without an index that has one.
#[derive(Debug)]
pub enum NoCollatedIndex {}

/// Text search without a text index: the server refuses it.
#[derive(Debug)]
pub enum NoTextIndex {}
/// Text search by an index that has other keys before its text: the server refuses it without an equality with each of them.
#[derive(Debug)]
pub enum KeysBeforeText {}
/// A comparison letter for letter, with an index that compares strings by a collation of its own.
#[derive(Debug)]
pub enum OtherOrder {}
/// Nearness without a 2dsphere index: the server refuses it.
#[derive(Debug)]
pub enum NoGeoIndex {}
/// A circle without a 2dsphere index: it reads every document.
#[derive(Debug)]
pub enum NoCircleIndex {}
/// Nearness, which sorts by distance.
#[derive(Debug)]
pub enum ByDistance {}
/// A comparison with null, by an index that leaves such documents out.
#[derive(Debug)]
pub enum NullsNotIndexed {}
