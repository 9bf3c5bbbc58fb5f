//! The role of a field, as a type: the model's own, a reference, a copy, derived. It decides how the field may be written and loaded.

use std::marker::PhantomData;

use serde::Serialize;

use crate::codec::{CodecError, encode_value};
use crate::schema::model::{Model, store_id};

/// The field is the model's own: it is set freely.
#[derive(Debug)]
pub enum Own {}
/// The field refers to `M`, and nothing is copied along it. `V` is [`Scalar`] where the id is certainly one value, `K` names the field
/// of the target whose values it holds.
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
/// The field is derived from the documents of `M` that refer to its model: their number, or the last of them.
pub struct FromChildren<M>(PhantomData<M>);
/// The field is an array of references to `M`, where a field of `M` refers back. `V` as in [`Reference`].
pub struct OtherSide<M, V = ()>(PhantomData<(M, V)>);
/// The field is an array of embedded documents that refer to `M` each, where a field of `M` refers back.
pub struct Memberships<M>(PhantomData<M>);
/// The field is the `_id` of `M`; `W` is the role that it would have otherwise, such as a reference to a parent.
pub struct Key<M, W = Own>(PhantomData<(M, W)>);
/// The field is the version of `M`.
pub struct VersionOf<M>(PhantomData<M>);

/// The field is a time that the server writes in documents of `M`.
pub struct StampOf<M>(PhantomData<M>);
/// The field is set when a document of `M` is first stored, and never again.
pub struct Immutable<M>(PhantomData<M>);

/// The field says which tenant a document of `M` belongs to.
pub struct TenantOf<M>(PhantomData<M>);

/// The field says where a document of `M` stands in its tree; `W` is the role that it would have otherwise, such as a reference to the
/// parent.
pub struct OfTree<M, W = Own>(PhantomData<(M, W)>);

/// The field follows from the items that are pushed to `M`, which is a bucket; `W` is the role that it would have otherwise.
pub struct OfBucket<M, W>(PhantomData<(M, W)>);

/// The field is an array of `M` that overflows into buckets, or the field that says if the array has overflowed.
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
/// Roles that refer as the role inside of them does.
macro_rules! refer_as_inside {
    ($($role:ident)*) => {$(
        #[diagnostic::do_not_recommend]
        impl<M, W: Refers> Refers for $role<M, W> {
            type Target = W::Target;
            type Id = W::Id;
            fn encode(id: &W::Id) -> Result<bson::Bson, CodecError>
            where
                W::Id: Serialize,
            {
                W::encode(id)
            }
        }
    )*};
}

refer_as_inside! { Key OfBucket OfTree }
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
impl<M, W> Settable for Key<M, W> where (): SetKey<M> {}
impl<M> Settable for VersionOf<M> where (): SetVersionOf<M> {}
impl<M> Settable for StampOf<M> where (): SetStampOf<M> {}
impl<M> Settable for Immutable<M> where (): SetImmutable<M> {}
impl<M> Settable for TenantOf<M> where (): SetTenantOf<M> {}
impl<M, W> Settable for OfTree<M, W> where (): SetOfTree<M> {}
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
impl<M, W> Growable for Key<M, W> where (): SetKey<M> {}
impl<M> Growable for Immutable<M> where (): SetImmutable<M> {}
impl<M, W> Growable for OfTree<M, W> where (): SetOfTree<M> {}
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
    note = "`add_<element>` and `remove_<element>` of the model change both sides; so does setting the reference in `{M}` where that is a `parent`"
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
impl<M, W> WithElements for Key<M, W> where (): SetKey<M> {}
impl<M> WithElements for Immutable<M> where (): SetImmutable<M> {}
impl<M, W> WithElements for OfTree<M, W> where (): SetOfTree<M> {}
impl<M, W> WithElements for OfBucket<M, W> where (): SetOfBucket<M> {}
impl<M> WithElements for Overflowing<M> where (): SetOverflowing<M> {}

/// An array whose items are all in the document.
#[diagnostic::on_unimplemented(
    message = "`unwind` would leave out items of this array, which are in buckets",
    label = "overflows into buckets",
    note = "`all_<array>` of the model gives the items of one document; `unwind` the array of the bucket's model"
)]
pub trait InDocument {}

macro_rules! in_document {
    ($($role:ident $(<$($p:ident),*>)?)*) => {$(
        #[diagnostic::do_not_recommend]
        impl$(<$($p),*>)? InDocument for $role$(<$($p),*>)? {}
    )*};
}

in_document! {
    Own Reference<M, V, K> ReferenceWithCopies<M, V, K> CopyOf<M> FromChildren<M> OtherSide<M, V>
    Memberships<M> Key<M, W> Immutable<M> OfTree<M, W> OfBucket<M, W>
}

/// Never implemented: it carries the message.
#[diagnostic::on_unimplemented(
    message = "this array cannot be changed as a whole: a field of `{M}` is its other side",
    label = "one side of two",
    note = "`add_<element>`, `remove_<element>` and `replace_<field>` of the model change both sides; `set_where` changes a field of an entry"
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
    note = "add and remove items: `push_<item>` and `remove_<item>` of `{M}`"
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

/// Never implemented: it carries the message.
#[diagnostic::on_unimplemented(
    message = "this field cannot be set: it says which tenant a `{M}` belongs to",
    label = "never changes",
    note = "the first store of a `{M}` sets it; `move_tenant` gives a document another one"
)]
pub trait SetTenantOf<M> {}

/// Never implemented: it carries the message.
#[diagnostic::on_unimplemented(
    message = "this field cannot be set: it says where a `{M}` stands in its tree",
    label = "keeps its place",
    note = "the first store of a `{M}` puts it below its parent"
)]
pub trait SetOfTree<M> {}
