//! Field handles: the values of `|p| p.name`. They are zero-sized; everything is in the type.

pub(crate) mod place;

use std::fmt;
use std::marker::PhantomData;
use std::ops::Deref;

use serde::Serialize;

use self::place::{Path, path};
use crate::bson_util::id::Id;
use crate::codec::{CodecError, Encode, encode_value};
use crate::schema::index_row::{CollationRow, ConditionOp};
use crate::schema::model::{Model, store_id};
use crate::schema::value::Value;

/// A struct of field handles, one per model and embedded document.
pub trait Handles: Copy + 'static {
    /// The only value.
    const VALUE: Self;
    /// The only value, behind a reference.
    const REF: &'static Self;
}

/// The handles of a value that has no fields.
#[derive(Debug, Clone, Copy)]
pub struct NoFields;

impl Handles for NoFields {
    const VALUE: Self = NoFields;
    const REF: &'static Self = &NoFields;
}

/// A field of type `T` at path `P`; `I` says which index serves it, `W` how it may be written.
pub struct Field<P, T: ?Sized, I, W>(PhantomData<Typed<P, T, I, W>>);

/// Neither owned nor borrowed: only named.
type Typed<P, T, I, W> = fn() -> (P, Box<T>, I, W);

impl<P, T: ?Sized, I, W> Field<P, T, I, W> {
    /// The only value.
    pub const NEW: Self = Field(PhantomData);
}

impl<P, T: ?Sized, I, W> Clone for Field<P, T, I, W> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<P, T: ?Sized, I, W> Copy for Field<P, T, I, W> {}

impl<P: Path, T: ?Sized, I, W> fmt::Debug for Field<P, T, I, W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Field({})", path::<P>())
    }
}

/// The fields inside: `p.address.city`, `o.cart.product_id`. Of an id they are those of its model, so that a filter on them
/// says what is wrong with it.
impl<P: Path, T: Value + ?Sized, I, W: Inside<T::Sub<P>>> Deref for Field<P, T, I, W> {
    type Target = W::Fields;

    fn deref(&self) -> &Self::Target {
        <W::Fields as Handles>::REF
    }
}

/// The fields inside a field whose own type has the fields `S`.
pub trait Inside<S> {
    /// The fields.
    type Fields: Handles;
}

impl<S: Handles> Inside<S> for Own {
    type Fields = S;
}
impl<S: Handles, M> Inside<S> for Key<M> {
    type Fields = S;
}
impl<S: Handles, M> Inside<S> for VersionOf<M> {
    type Fields = S;
}
impl<S: Handles, M> Inside<S> for StampOf<M> {
    type Fields = S;
}
impl<S: Handles, M> Inside<S> for Immutable<M> {
    type Fields = S;
}
impl<S: Handles, M> Inside<S> for CopyOf<M> {
    type Fields = S;
}
impl<S: Handles, M, K> Inside<S> for Reference<M, (), K> {
    type Fields = S;
}
impl<S: Handles, M, K> Inside<S> for ReferenceWithCopies<M, (), K> {
    type Fields = S;
}
impl<S: Handles, M> Inside<S> for FromChildren<M> {
    type Fields = S;
}
impl<S, M, W: Inside<S>> Inside<S> for OfBucket<M, W> {
    type Fields = W::Fields;
}
impl<S: Handles, M> Inside<S> for Overflowing<M> {
    type Fields = S;
}
impl<S: Handles, M> Inside<S> for OtherSide<M, ()> {
    type Fields = S;
}
impl<S: Handles, M> Inside<S> for Memberships<M> {
    type Fields = S;
}
impl<S, M: Model> Inside<S> for OtherSide<M, Scalar> {
    type Fields = M::FieldHandles;
}
impl<S, M: Model, K> Inside<S> for Reference<M, Scalar, K> {
    type Fields = M::FieldHandles;
}
impl<S, M: Model, K> Inside<S> for ReferenceWithCopies<M, Scalar, K> {
    type Fields = M::FieldHandles;
}

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
    /// It.
    const COLLATION: CollationRow;
}

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
    /// That collation.
    const COLLATION: Option<&'static CollationRow> = None;
    /// True if the index leaves out documents with null.
    const NO_NULLS: bool = false;
    /// Conditions to be added to the filter, so that the planner may use the index.
    const CONDITIONS: &'static [ConditionOp] = &[];
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
    Indexed, []: Indexed, Indexed, Indexed, NoTextIndex, NoGeoIndex, NoCircleIndex;
    Sparse, []: Indexed, Indexed, NullsNotIndexed, NoTextIndex, NoGeoIndex, NoCircleIndex, NO_NULLS: bool = true;
    Partial<S>, [S: Conditions]: Indexed, Indexed, NullsNotIndexed, NoTextIndex, NoGeoIndex, NoCircleIndex, NO_NULLS: bool = true, CONDITIONS: &'static [ConditionOp] = S::ALL;
    Hashed<S>, [S]: Indexed, NotIndexed<S>, Indexed, NoTextIndex, NoGeoIndex, NoCircleIndex;
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

/// The field is the model's own: it is set freely.
#[derive(Debug)]
pub enum Own {}
/// The field refers to `M`, and nothing is copied along it. `V` is [`Scalar`] where the id is certainly one value, `K` says what
/// it refers by.
pub struct Reference<M, V = (), K = ById>(PhantomData<(M, V, K)>);
/// An id without fields of its own.
#[derive(Debug)]
pub enum Scalar {}
/// The field refers to `M`, and holds copies of `M`'s fields.
pub struct ReferenceWithCopies<M, V = (), K = ById>(PhantomData<(M, V, K)>);
/// The reference holds the target's `_id`.
#[derive(Debug)]
pub enum ById {}
/// The reference holds values of another field of its target, which are `K`: the option `key`.
pub struct ByKey<K>(PhantomData<K>);
/// The field is a copy of a field of `M`.
pub struct CopyOf<M>(PhantomData<M>);
/// The field is derived from the `M` that refer to its model: how many there are, or which are the last.
pub struct FromChildren<M>(PhantomData<M>);
/// The field is an array of references to `M`, where a field of `M` refers back. `V` as in [`Reference`].
pub struct OtherSide<M, V = ()>(PhantomData<(M, V)>);
/// The field is an array of embedded documents that refer to `M` each, where a field of `M` refers back.
pub struct Memberships<M>(PhantomData<M>);
/// The field is the `_id` of `M`.
pub struct Key<M>(PhantomData<M>);
/// The field is the version of `M`.
pub struct VersionOf<M>(PhantomData<M>);

/// The field is a time that the server writes in documents of `M`.
pub struct StampOf<M>(PhantomData<M>);
/// The field is set when a document of `M` is first stored, and never again.
pub struct Immutable<M>(PhantomData<M>);

/// The field follows from the items that are pushed to `M`, which is a bucket; `W` is what it would be otherwise.
pub struct OfBucket<M, W>(PhantomData<(M, W)>);

/// The field is an array of `M` that overflows into buckets, or says whether it has.
pub struct Overflowing<M>(PhantomData<M>);

/// A field that refers to another model.
#[diagnostic::on_unimplemented(
    message = "this field is no reference: there is nothing to load",
    label = "not a reference",
    note = "a reference is declared with `#[refs(..)]` or `#[parent(..)]`; one to one of several models is loaded with `load_any`"
)]
pub trait Refers {
    /// The model it refers to.
    type Target: Model;
    /// The type of the target's `_id`, or of the key that it refers by.
    type Id;
    /// The stored form of such an id.
    #[doc(hidden)]
    fn encode(id: &Self::Id) -> Result<bson::Bson, CodecError>
    where
        Self::Id: Serialize,
    {
        encode_value(id)
    }
}
#[diagnostic::do_not_recommend]
impl<M: Model, V> Refers for Reference<M, V> {
    type Target = M;
    type Id = M::DocumentId;
    fn encode(id: &M::DocumentId) -> Result<bson::Bson, CodecError> {
        store_id::<M>(id)
    }
}
#[diagnostic::do_not_recommend]
impl<M, W: Refers> Refers for OfBucket<M, W> {
    type Target = W::Target;
    type Id = W::Id;
    fn encode(id: &W::Id) -> Result<bson::Bson, CodecError>
    where
        W::Id: Serialize,
    {
        W::encode(id)
    }
}
#[diagnostic::do_not_recommend]
impl<M: Model, V> Refers for ReferenceWithCopies<M, V> {
    type Target = M;
    type Id = M::DocumentId;
    fn encode(id: &M::DocumentId) -> Result<bson::Bson, CodecError> {
        store_id::<M>(id)
    }
}
#[diagnostic::do_not_recommend]
impl<M: Model, V> Refers for OtherSide<M, V> {
    type Target = M;
    type Id = M::DocumentId;
    fn encode(id: &M::DocumentId) -> Result<bson::Bson, CodecError> {
        store_id::<M>(id)
    }
}
#[diagnostic::do_not_recommend]
impl<M: Model> Refers for Memberships<M> {
    type Target = M;
    type Id = M::DocumentId;
    fn encode(id: &M::DocumentId) -> Result<bson::Bson, CodecError> {
        store_id::<M>(id)
    }
}
#[diagnostic::do_not_recommend]
impl<M: Model, V, K> Refers for Reference<M, V, ByKey<K>> {
    type Target = M;
    type Id = K;
}
#[diagnostic::do_not_recommend]
impl<M: Model, V, K> Refers for ReferenceWithCopies<M, V, ByKey<K>> {
    type Target = M;
    type Id = K;
}

/// A field that `set`, `unset`, `inc` and the like may change.
pub trait Settable {}
impl Settable for Own {}
impl<M, V, K> Settable for Reference<M, V, K> {}
impl<M> Settable for CopyOf<M> where (): SetCopyOf<M> {}
impl<M, V, K> Settable for ReferenceWithCopies<M, V, K> {}
impl<M> Settable for FromChildren<M> where (): SetFromChildren<M> {}
impl<M, V> Settable for OtherSide<M, V> where (): SetOtherSide<M> {}
impl<M> Settable for Memberships<M> where (): SetMemberships<M> {}
impl<M> Settable for Key<M> where (): SetKey<M> {}
impl<M> Settable for VersionOf<M> where (): SetVersionOf<M> {}
impl<M> Settable for StampOf<M> where (): SetStampOf<M> {}
impl<M> Settable for Immutable<M> where (): SetImmutable<M> {}
impl<M, W> Settable for OfBucket<M, W> where (): SetOfBucket<M> {}
impl<M> Settable for Overflowing<M> where (): SetOverflowing<M> {}

/// A field of an array's elements that `set_where` and the like may change.
#[diagnostic::on_unimplemented(
    message = "this field of an element cannot be set by itself: it is a reference, a copy, or follows from other documents",
    label = "not the element's own",
    note = "remove the element with `pull_where` and `push` another, or `set` the whole array"
)]
pub trait ElementField {}
#[diagnostic::do_not_recommend]
impl ElementField for Own {}

/// An array that `push`, `pull` and the like may change.
pub trait Growable {}
impl Growable for Own {}
impl<M, V, K> Growable for Reference<M, V, K> {}
impl<M, V, K> Growable for ReferenceWithCopies<M, V, K> {}
impl<M> Growable for CopyOf<M> where (): SetCopyOf<M> {}
impl<M> Growable for FromChildren<M> where (): SetFromChildren<M> {}
impl<M, V> Growable for OtherSide<M, V> where (): SetOtherSide<M> {}
impl<M> Growable for Memberships<M> where (): SetMemberships<M> {}
impl<M> Growable for Key<M> where (): SetKey<M> {}
impl<M> Growable for Immutable<M> where (): SetImmutable<M> {}
impl<M, W> Growable for OfBucket<M, W> where (): SetOfBucket<M> {}
impl<M> Growable for Overflowing<M> where (): SetOverflowing<M> {}

/// Never implemented: it carries the message.
#[diagnostic::on_unimplemented(
    message = "this field cannot be set: it is a copy of a field of `{M}`",
    label = "a copy",
    note = "change it in `{M}`: copies follow their source"
)]
pub trait SetCopyOf<M> {}

/// Never implemented: it carries the message.
#[diagnostic::on_unimplemented(
    message = "this field cannot be set: it follows from the `{M}` documents that refer to this one",
    label = "follows from its children",
    note = "insert, change or delete a `{M}`: the list of the last ones and their number follow"
)]
pub trait SetFromChildren<M> {}

/// Never implemented: it carries the message.
#[diagnostic::on_unimplemented(
    message = "this field cannot be set: it is one side of a reference that `{M}` has the other side of",
    label = "one side of two",
    note = "`add_<field>` and `remove_<field>` of the model change both sides; so does setting the reference in `{M}` where that is a `parent`"
)]
pub trait SetOtherSide<M> {}

/// An array of whose elements `set_where` and the like may change single fields.
pub trait WithElements {}
impl WithElements for Own {}
impl<M> WithElements for Memberships<M> {}
impl<M, V, K> WithElements for Reference<M, V, K> {}
impl<M, V, K> WithElements for ReferenceWithCopies<M, V, K> {}
impl<M> WithElements for CopyOf<M> where (): SetCopyOf<M> {}
impl<M> WithElements for FromChildren<M> where (): SetFromChildren<M> {}
impl<M, V> WithElements for OtherSide<M, V> where (): SetOtherSide<M> {}
impl<M> WithElements for Key<M> where (): SetKey<M> {}
impl<M> WithElements for Immutable<M> where (): SetImmutable<M> {}
impl<M, W> WithElements for OfBucket<M, W> where (): SetOfBucket<M> {}
impl<M> WithElements for Overflowing<M> where (): SetOverflowing<M> {}

/// Never implemented: it carries the message.
#[diagnostic::on_unimplemented(
    message = "this array cannot be changed as a whole: a field of `{M}` is its other side",
    label = "one side of two",
    note = "`add_<field>`, `remove_<field>` and `replace_<field>` of the model change both sides; `set_where` changes a field of an entry"
)]
pub trait SetMemberships<M> {}

/// Never implemented: it carries the message.
#[diagnostic::on_unimplemented(
    message = "this field cannot be set: it follows from the items of the bucket `{M}`",
    label = "follows from the items",
    note = "add and remove items: `{M}::push(&db, parent, item)`, `{M}::remove_item(&db, parent, &id)`"
)]
pub trait SetOfBucket<M> {}

/// Never implemented: it carries the message.
#[diagnostic::on_unimplemented(
    message = "this field cannot be set: `{M}` has more of it in other documents, or says whether it has",
    label = "overflows into buckets",
    note = "add and remove items: `push_<field>` and `remove_<field>` of `{M}`"
)]
pub trait SetOverflowing<M> {}

/// Never implemented: it carries the message.
#[diagnostic::on_unimplemented(
    message = "this field cannot be set: it is the `_id` of `{M}`",
    label = "never changes",
    note = "MongoDB refuses to change an `_id` (error 66)"
)]
pub trait SetKey<M> {}

/// Never implemented: it carries the message.
#[diagnostic::on_unimplemented(
    message = "this field cannot be set: it is the version of `{M}`",
    label = "follows from the writes",
    note = "an update of `{M}` adds 1 to it, whatever it changes"
)]
pub trait SetVersionOf<M> {}

/// Never implemented: it carries the message.
#[diagnostic::on_unimplemented(
    message = "this field cannot be set: it is a time that the server writes in `{M}`",
    label = "the server's time",
    note = "`#[created]` is set when a `{M}` is stored first, `#[updated]` by every write of it, `#[deleted]` by its soft delete"
)]
pub trait SetStampOf<M> {}

/// Never implemented: it carries the message.
#[diagnostic::on_unimplemented(
    message = "this field cannot be set: it is immutable in `{M}`",
    label = "never changes",
    note = "the first store of a `{M}` sets it; to change it, remove `#[immutable]`"
)]
pub trait SetImmutable<M> {}

/// A value, or something that becomes one: `T`, `&T`, `T` for an `Option<T>`, `&str` for a string or an `Id<T, String>`, `Option<&str>`
/// for an `Option<String>`.
#[diagnostic::on_unimplemented(
    message = "this field holds `{T}`, not `{Self}`",
    label = "expected `{T}`"
)]
pub trait IntoArg<T> {
    /// The value.
    fn into_arg(self) -> T;
}

#[diagnostic::do_not_recommend]
impl<T> IntoArg<T> for T {
    fn into_arg(self) -> T {
        self
    }
}

#[diagnostic::do_not_recommend]
impl<T: Clone> IntoArg<T> for &T {
    fn into_arg(self) -> T {
        self.clone()
    }
}

#[diagnostic::do_not_recommend]
impl<T> IntoArg<Option<T>> for T {
    fn into_arg(self) -> Option<T> {
        Some(self)
    }
}

#[diagnostic::do_not_recommend]
impl IntoArg<String> for &str {
    fn into_arg(self) -> String {
        self.to_owned()
    }
}

#[diagnostic::do_not_recommend]
impl IntoArg<Option<String>> for &str {
    fn into_arg(self) -> Option<String> {
        Some(self.to_owned())
    }
}

#[diagnostic::do_not_recommend]
impl IntoArg<Option<String>> for Option<&str> {
    fn into_arg(self) -> Option<String> {
        self.map(str::to_owned)
    }
}

#[diagnostic::do_not_recommend]
impl<T: ?Sized> IntoArg<Id<T, String>> for &str {
    fn into_arg(self) -> Id<T, String> {
        Id::from_raw(self.to_owned())
    }
}

#[diagnostic::do_not_recommend]
impl<T: ?Sized> IntoArg<Option<Id<T, String>>> for &str {
    fn into_arg(self) -> Option<Id<T, String>> {
        Some(Id::from_raw(self.to_owned()))
    }
}

/// The handle of a field, as what its values are and how they are stored.
pub trait OneField {
    /// The type of the field.
    type Value;
    /// A value as the field stores it.
    ///
    /// # Errors
    /// The encoder's error.
    fn encode(value: &Self::Value) -> Result<bson::Bson, CodecError>;
}
impl<P: Path, T, I, W> OneField for Field<P, T, I, W>
where
    P::Codec: Encode<T>,
{
    type Value = T;
    fn encode(value: &T) -> Result<bson::Bson, CodecError> {
        encode::<P, T>(value)
    }
}

/// Encodes a value as the field at `P` stores it.
pub(crate) fn encode<P: Path, T: ?Sized>(value: &T) -> Result<bson::Bson, CodecError>
where
    P::Codec: Encode<T>,
{
    <P::Codec as Encode<T>>::encode(value)
}
