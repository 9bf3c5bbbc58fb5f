//! Field handles: the values of `|p| p.name`. They are zero-sized; everything is in the type.

mod index_kind;
pub(crate) mod place;
mod role;

use std::fmt;
use std::marker::PhantomData;
use std::ops::Deref;

pub use self::index_kind::*;
use self::place::{Path, path};
pub use self::role::*;
use crate::bson_util::id::Id;
use crate::codec::{CodecError, Encode};
use crate::schema::model::Model;
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
impl<S, M, W: Inside<S>> Inside<S> for Key<M, W> {
    type Fields = W::Fields;
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
impl<S: Handles, M> Inside<S> for TenantOf<M> {
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
impl<S, M, W: Inside<S>> Inside<S> for OfTree<M, W> {
    type Fields = W::Fields;
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

/// A value, or something that becomes one: `T`, `&T`, `T` for an `Option<T>`, `&str` for a string or an `Id<T, String>`. No two
/// options become the same one: the type of a bare `None` is that of the field.
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

/// The handle of a field: the type of its values, and the form in which they are stored.
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
