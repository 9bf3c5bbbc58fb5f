//! The facts about a model's `_id` and fields that the expansion of another model reads. Each mistake in them is one error.

use std::fmt;

use serde::de::Deserializer;
use serde::ser::Serializer;
use serde::{Deserialize, Serialize};

use crate::codec::{Decode, Encode, Plain};
use crate::schema::field::place::Path;
use crate::schema::field::{Field, Handles};
use crate::schema::model::ModelMeta;
use crate::schema::rows::Shape;
use crate::schema::value::{Missing, Value};

/// The facts that other models need about a type. Both derives implement it, so that a reference to an embedded document
/// is one error and not one per fact.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a model: its fields can neither be copied nor referred by [DENORM_SOURCE]",
    label = "owns no collection",
    note = "add `#[derive(MongoModel)]` and `#[model(collection = \"..\")]` to `{Self}`",
    note = "copies and references lead to a document in a collection of its own"
)]
pub trait Lookup {
    /// The field handles.
    type Fields: Handles;
    /// True if the type is a model.
    const IS_MODEL: bool = false;
    /// The names of the fields that other models may copy; none of an embedded document.
    const COPYABLE: &'static [&'static str] = &[];
    /// The slot of the `_id`: [`ID`], or [`MISSING`] for an embedded document.
    const ID: usize = MISSING;
    /// The function that writes the `_id`; empty where the type of the `_id` writes itself.
    const ID_FORM: &'static str = "";
    /// The names of the fields that a unique index of their own keeps apart, the `_id` among them; with a `!` in front where the
    /// index leaves documents without the field out.
    const UNIQUE: &'static [&'static str] = &[];
    /// The place of the model: its module and its name, which no other model has.
    const PLACE: &'static str = "";
    /// The references in the model's own fields; `None` if they are unknown because mistakes were reported.
    const REFERENCES: Option<&'static [Referring]> = None;
    /// True if an index of the model makes documents expire. Indexes that its fields declare are in the fields' rows.
    const EXPIRES: bool = false;
    /// True if serde refuses documents with fields that the model does not name.
    const DENIES_UNKNOWN: bool = false;
    /// True if a delete of a document only marks it as deleted.
    const SOFT_DELETE: bool = false;
    /// True if each of its documents belongs to a tenant.
    const WALLED: bool = false;
    /// The model's tables; empty for an embedded document, where nothing reads them: the reference was refused.
    fn tables() -> &'static ModelMeta {
        no_model()
    }
}

/// A field that refers to a model, as other models see it.
#[derive(Debug, Clone, Copy)]
pub struct Referring {
    /// The Rust name.
    pub field: &'static str,
    /// [`Lookup::PLACE`] of the model referred to.
    pub to: &'static str,
    /// An array of references rather than one.
    pub many: bool,
    /// True if the field is a single reference that may be absent.
    pub optional: bool,
    /// True if the field refers by a field other than the `_id`.
    pub by_key: bool,
    /// The field that refers back.
    pub inverse: Option<&'static str>,
    /// True if the elements are entries that hold the ids.
    pub entries: bool,
    /// True if these entries are structs of the program, which hold more than ids and copies.
    pub members: bool,
}

impl Referring {
    pub(crate) const NONE: Self = Referring {
        field: "",
        to: "",
        many: false,
        optional: false,
        by_key: false,
        inverse: None,
        entries: false,
        members: false,
    };
}

/// The tables of a type that is no model.
pub(crate) fn no_model() -> &'static ModelMeta {
    static NOTHING: Shape = Shape {
        name: "",
        fields: &[],
    };
    static NONE: ModelMeta = ModelMeta::new("", "", &NOTHING);
    &NONE
}

/// A type that holds the id of an `M`.
pub trait RefTo<M> {}
impl<M> RefTo<M> for Missing {}
// An element of an array in which some elements are null.
impl<M, T: RefTo<M>> RefTo<M> for Option<T> {}

/// The Rust names of a type's fields, in declaration order; with a `!` in front of a field that cannot be copied.
pub trait Names {
    /// All names.
    const NAMES: &'static [&'static str];
}

/// The slot of a name that no field has.
pub const MISSING: usize = usize::MAX;

/// The slot of a field that other models cannot name, because its type may be private.
pub const HIDDEN: usize = usize::MAX - 1;

/// The slot of the `_id` as the type of a reference, whatever the field is called.
pub const ID: usize = usize::MAX - 2;

/// The slot of the field with this name.
#[must_use]
pub const fn slot(names: &[&str], name: &str) -> usize {
    let mut n = 0;
    while n < names.len() {
        let candidate = names[n];
        if same(candidate, name) {
            return n;
        }
        if let Some((b'!', hidden)) = candidate.as_bytes().split_first()
            && same_bytes(hidden, name.as_bytes())
        {
            return HIDDEN;
        }
        n += 1;
    }
    MISSING
}

/// True if two names are equal.
pub(crate) const fn same(a: &str, b: &str) -> bool {
    same_bytes(a.as_bytes(), b.as_bytes())
}

const fn same_bytes(a: &[u8], b: &[u8]) -> bool {
    if a.len() != b.len() {
        return false;
    }
    let mut n = 0;
    while n < a.len() {
        if a[n] != b[n] {
            return false;
        }
        n += 1;
    }
    true
}

/// The field in slot `N`, as other models may copy it.
pub trait HasField<const N: usize> {
    /// The type of the field.
    type Type;
    /// The codec with which the source stores the field; copies are stored with the same one.
    type Codec: Encode<Self::Type> + Decode<Self::Type>;
    /// True if the field is the `_id`.
    const IS_ID: bool = false;
    /// True if the field is stored through its own `#[serde(with = ..)]`.
    const WITH: bool = false;
    /// True if the field is the version.
    const VERSION: bool = false;
    /// True if the field is the time of the last write.
    const UPDATED: bool = false;
    /// True if the field is marked `#[volatile]`.
    const VOLATILE: bool = false;
    /// The number of writes of the field per read, if the model declares it as written often.
    const WRITES: &'static str = "";
    /// The length that the field declares, which copies of it have too; 0 where there is none.
    const MAX_LEN: u64 = 0;
    /// The bound that an array, set or map declares, which copies of it have too; 0 where there is none.
    const MAX: u64 = 0;
    /// True if the field is derived from the documents that refer to its model, or is a side of a two-way reference.
    const DERIVED: bool = false;
    /// The source of the field, if it is a copy that follows its source.
    const ORIGIN_1: Option<Origin> = None;
    /// The source of that source. Each step has its own const: a single const for all steps would not end if copies form a circle.
    const ORIGIN_2: Option<Origin> = None;
    /// The source one step further.
    const ORIGIN_3: Option<Origin> = None;
    /// The last step that the compiler looks at.
    const ORIGIN_4: Option<Origin> = None;
}

/// A field that a copy follows.
#[derive(Debug, Clone, Copy)]
pub struct Origin {
    /// [`Lookup::PLACE`] of the field's model.
    pub place: &'static str,
    /// The model's name.
    pub model: &'static str,
    /// The field's Rust name.
    pub field: &'static str,
    /// True if the field is `#[personal]`, or something around it or inside of it.
    pub personal: bool,
}

impl<T: ?Sized> HasField<MISSING> for T {
    type Type = Missing;
    type Codec = Plain;
}

impl<T: ?Sized> HasField<HIDDEN> for T {
    type Type = Missing;
    type Codec = Plain;
}

/// An embedded document whose fields other models may copy one by one.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no fields that can be copied one by one [DENORM_FIELD]",
    label = "no embedded struct",
    note = "a struct with `#[derive(MongoEmbed)]` and without type parameters has them",
    note = "copy the field as a whole, or load the source where it is needed"
)]
pub trait Nested {
    /// The handles of the document's fields, outside of any model.
    type Inside: Handles;
    /// The names of the document's fields; with a `!` in front of a field that cannot be copied.
    const INSIDE: &'static [&'static str];
}

/// [`Nested`], as derives implement it. An attribute that keeps these types out of messages cannot stand in an expansion: where a module
/// has no prelude, `diagnostic` is no name.
pub trait CopyFields {
    /// See [`Nested::Inside`].
    type Inside: Handles;
    /// See [`Nested::INSIDE`].
    const INSIDE: &'static [&'static str];
}

#[diagnostic::do_not_recommend]
impl<T: CopyFields> Nested for T {
    type Inside = T::Inside;
    const INSIDE: &'static [&'static str] = T::INSIDE;
}

/// The embedded document in a field of type `T`: in an `Option` or a `Box`, or in an array of them, which no copy can lead through.
pub type Inner<T> = <<T as Value>::Elem as Value>::Elem;

/// The fields inside a field, on the way to one that is copied. It takes the handle, so that a misspelt field stops the question; a
/// method would not be found where the type has no fields.
pub const fn inside<P, T: Value, I, W>(_: Field<P, T, I, W>) -> <Inner<T> as Nested>::Inside
where
    Inner<T>: Nested,
{
    <<Inner<T> as Nested>::Inside as Handles>::VALUE
}

/// The marker of the field in slot `N` of an embedded document.
pub trait HasSeg<const N: usize> {
    /// The marker.
    type Seg;
    /// The field's type.
    type Value;
    /// The field's handle, in a document at `P`.
    type Handle<P: Path>;
    /// The value, where it is stored as `_id`.
    fn __id(&self) -> Option<&dyn std::any::Any> {
        None
    }
}

impl<const N: usize> HasSeg<N> for Missing {
    type Seg = Missing;
    type Value = Missing;
    type Handle<P: Path> = NoField;
}

/// The `_id` of a variant, which is its field in slot `N`: the derive has refused a variant without an `_id`, or with one of another type.
pub fn id_of<T: HasSeg<N>, I: 'static, const N: usize>(variant: &T) -> &I {
    let id = variant.__id().and_then(<dyn std::any::Any>::downcast_ref);
    id.unwrap_or_else(|| unreachable!())
}

/// The handle of a field that is not there.
pub type NoField = Field<
    crate::schema::field::place::Nowhere,
    Missing,
    crate::schema::field::Indexed,
    crate::schema::field::Own,
>;

impl Names for Missing {
    const NAMES: &'static [&'static str] = &[];
}

/// A copied value on its way through serde, in the form in which its source stores it.
pub struct CopyValue<M: HasField<N>, const N: usize>(pub M::Type);

impl<M: HasField<N>, const N: usize> fmt::Debug for CopyValue<M, N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("CopyValue")
    }
}

impl<'de, M: HasField<N>, const N: usize> Deserialize<'de> for CopyValue<M, N> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        <M::Codec as Decode<M::Type>>::read(deserializer).map(CopyValue)
    }
}

impl<M: HasField<N>, const N: usize> Default for CopyValue<M, N>
where
    M::Type: Default,
{
    fn default() -> Self {
        CopyValue(M::Type::default())
    }
}

/// A borrowed copied value on its way out.
pub struct CopyRef<'a, M: HasField<N>, const N: usize>(pub &'a M::Type);

impl<M: HasField<N>, const N: usize> fmt::Debug for CopyRef<'_, M, N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("CopyRef")
    }
}

impl<M: HasField<N>, const N: usize> Serialize for CopyRef<'_, M, N> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        <M::Codec as Encode<M::Type>>::write(self.0, serializer)
    }
}

/// Checks that a reference of type `Self` holds what its key of type `Source` holds.
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not hold the key that it refers by, which is `{Source}` [REFS_KEY_TYPE]",
    label = "not the key's type",
    note = "values of different types never compare equal, so a join would silently find nothing"
)]
pub trait HoldsKey<Source> {}
#[diagnostic::do_not_recommend]
impl<T: Value, Source: Value> HoldsKey<Source> for T where T::Elem: Same<Source::Elem> {}

/// Implemented where `T` is the same type.
pub trait Same<T> {}
impl<T> Same<T> for T {}

impl<P, T, I, W> Field<P, T, I, W> {
    /// Asks `HoldsKey`. Chained on the handle, so that a misspelt field stops the question.
    #[doc(hidden)]
    pub const fn __key_of<Reference: HoldsKey<T>>(self) {}
}

/// The `_id` of a document of an unknown kind was requested.
///
/// # Panics
/// Always.
#[cold]
#[track_caller]
pub fn no_id(model: &str) -> ! {
    panic!(
        "a document of `{model}` of an unknown kind has no `_id` in memory: its variant is `#[serde(other)]`"
    )
}
