//! Checks if a type has a trait, without requiring it: an item that needs the trait is inherent to [`Probe`] and hides the item
//! of the same name of [`Fallback`], which every type has. So a missing derive is one message and not one per use.

use std::marker::PhantomData;

use crate::projection::{Projection, ProjectionRow};
use crate::schema::bucket::Bucketed;
use crate::schema::lookup::{
    self, HasField, Lookup, MISSING, Nested, RefTo, Referring, Same, no_model,
};
use crate::schema::model::{Model, ModelMeta};
use crate::schema::rows::{FieldRow, Kind, Shape};
use crate::schema::value::{Facts, Value};

/// Checks which traits `T` has.
#[derive(Debug)]
pub struct Probe<T: ?Sized>(PhantomData<T>);

/// The part of a field's row that depends on its type.
#[derive(Debug, Clone, Copy)]
pub struct Stored {
    kind: Kind,
    nullable: bool,
    shape: Option<&'static Shape>,
    facts: Facts,
}

impl Stored {
    const UNKNOWN: Self = Stored {
        kind: Kind::Any,
        nullable: true,
        shape: None,
        facts: Facts::UNKNOWN,
    };

    /// The form in which a value is stored.
    #[must_use]
    pub(crate) const fn kind(self) -> Kind {
        self.kind
    }

    /// The row of a field of this type.
    #[must_use]
    pub const fn row(self, rust: &'static str, name: &'static str) -> FieldRow {
        FieldRow::new(rust, name, self.kind, self.nullable, self.shape, self.facts)
    }
}

impl<T: Value> Probe<T> {
    /// True if a document can hold the type.
    pub const IS_VALUE: bool = true;
    /// The stored form of a value.
    pub const STORED: Stored = Stored {
        kind: T::KIND,
        nullable: T::NULLABLE,
        shape: T::SHAPE,
        facts: Facts::of::<T>(),
    };
    /// The rows of the fields inside.
    pub const FIELDS: &'static [FieldRow] = T::FIELDS;
    /// The table of the type.
    pub const SHAPE: Option<&'static Shape> = T::SHAPE;
}

impl<T: Projection> Probe<T> {
    /// The fields that a projection reads.
    pub const READS: &'static [ProjectionRow] = T::ROWS;
}

impl<T> Probe<Option<T>> {
    /// True if serde reads the type where its field is absent, under whatever alias the type is written.
    pub const IS_OPTION: bool = true;
}

impl<T: Lookup> Probe<T> {
    /// True if one of the derives is on the type.
    pub const IS_KNOWN: bool = true;
    /// True if the type is a model.
    pub const IS_MODEL: bool = T::IS_MODEL;
    /// The names of the fields that can be copied.
    pub const COPYABLE: &'static [&'static str] = T::COPYABLE;
    /// The slot of the `_id`.
    pub const ID: usize = T::ID;
    /// See [`Lookup::ID_FORM`].
    pub const ID_FORM: &'static str = T::ID_FORM;
    /// The names of the fields that a unique index keeps apart.
    pub const UNIQUE: &'static [&'static str] = T::UNIQUE;
    /// See [`Lookup::PLACE`].
    pub const PLACE: &'static str = T::PLACE;
    /// See [`Lookup::REFERENCES`].
    pub const REFERENCES: Option<&'static [Referring]> = T::REFERENCES;
    /// See [`Lookup::EXPIRES`].
    pub const EXPIRES: bool = T::EXPIRES;
    /// See [`Lookup::DENIES_UNKNOWN`].
    pub const DENIES_UNKNOWN: bool = T::DENIES_UNKNOWN;
    /// See [`Lookup::SOFT_DELETE`].
    pub const SOFT_DELETE: bool = T::SOFT_DELETE;
    /// See [`Lookup::WALLED`].
    pub const WALLED: bool = T::WALLED;
    /// The tables of the model.
    pub const TABLES: fn() -> &'static ModelMeta = T::tables;
}

impl<T: HasField<{ lookup::ID }>> Probe<T>
where
    T::Type: Value,
{
    /// [`Value::COMPARED_IN_LISTS`] of the `_id`.
    pub const ID_IS_COMPARED: bool = <T::Type as Value>::COMPARED_IN_LISTS;
}

impl<T: Nested> Probe<T> {
    /// True if other models may copy the type's fields one by one.
    pub const IS_NESTED: bool = true;
    /// The names of the fields that other models may copy.
    pub const NESTED: &'static [&'static str] = T::INSIDE;
}

/// The values for types that lack the trait.
pub trait Fallback {
    /// See [`Probe::IS_VALUE`].
    const IS_VALUE: bool = false;
    /// See [`Probe::STORED`].
    const STORED: Stored = Stored::UNKNOWN;
    /// See [`Probe::FIELDS`].
    const FIELDS: &'static [FieldRow] = &[];
    /// See [`Probe::SHAPE`].
    const SHAPE: Option<&'static Shape> = None;
    /// See [`Probe::READS`].
    const READS: &'static [ProjectionRow] = &[];
    /// See [`Probe::IS_OPTION`].
    const IS_OPTION: bool = false;
    /// See [`Probe::IS_KNOWN`].
    const IS_KNOWN: bool = false;
    /// See [`Probe::IS_MODEL`].
    const IS_MODEL: bool = false;
    /// See [`Probe::COPYABLE`].
    const COPYABLE: &'static [&'static str] = &[];
    /// See [`Probe::IS_NESTED`].
    const IS_NESTED: bool = false;
    /// See [`Probe::NESTED`].
    const NESTED: &'static [&'static str] = &[];
    /// See [`Probe::ID`].
    const ID: usize = MISSING;
    /// See [`Probe::ID_IS_COMPARED`].
    const ID_IS_COMPARED: bool = true;
    /// See [`Probe::ID_FORM`].
    const ID_FORM: &'static str = "";
    /// See [`Probe::UNIQUE`].
    const UNIQUE: &'static [&'static str] = &[];
    /// See [`Probe::PLACE`].
    const PLACE: &'static str = "";
    /// See [`Probe::REFERENCES`].
    const REFERENCES: Option<&'static [Referring]> = None;
    /// See [`Probe::EXPIRES`].
    const EXPIRES: bool = false;
    /// See [`Probe::DENIES_UNKNOWN`].
    const DENIES_UNKNOWN: bool = false;
    /// See [`Probe::SOFT_DELETE`].
    const SOFT_DELETE: bool = false;
    /// See [`Probe::WALLED`].
    const WALLED: bool = false;
    /// See [`Probe::TABLES`].
    const TABLES: fn() -> &'static ModelMeta = no_model;
    /// See [`ProbeIds::HOLDS_IDS`].
    const HOLDS_IDS: bool = false;
    /// See [`ProbeBucket::IS_OF`].
    const IS_OF: bool = false;
    /// See [`ProbeBucket::HOLDS`].
    const HOLDS: bool = false;
    /// See [`ProbeSame::IS_SAME`].
    const IS_SAME: bool = false;
    /// See [`ProbeWall::SHARED`].
    const SHARED: bool = false;
}
impl<T: ?Sized> Fallback for Probe<T> {}

/// Checks if `T` holds ids of `M`.
#[derive(Debug)]
pub struct ProbeIds<T: ?Sized, M: ?Sized>(PhantomData<T>, PhantomData<M>);

impl<T: Value, M> ProbeIds<T, M>
where
    T::Elem: RefTo<M>,
{
    /// True if `T` holds ids of `M`.
    pub const HOLDS_IDS: bool = true;
}

impl<T: ?Sized, M: ?Sized> Fallback for ProbeIds<T, M> {}

/// Checks if `T` holds values of a key of type `K`.
#[derive(Debug)]
pub struct ProbeKey<T: ?Sized, K: ?Sized>(PhantomData<T>, PhantomData<K>);

impl<T: Value, K> ProbeKey<T, K>
where
    T::Elem: Same<K>,
{
    /// True if `T` holds values of a key of type `K`.
    pub const HOLDS_IDS: bool = true;
}

impl<T: ?Sized, K: ?Sized> Fallback for ProbeKey<T, K> {}

/// Checks if `T` is a bucket of `P`, and of `I`.
#[derive(Debug)]
pub struct ProbeBucket<T: ?Sized, P: ?Sized, I: ?Sized>(
    PhantomData<T>,
    PhantomData<P>,
    PhantomData<I>,
);

impl<T: Bucketed<Parent = P>, P: Model, I> ProbeBucket<T, P, I> {
    /// True if the bucket belongs to a `P`.
    pub const IS_OF: bool = true;
}

impl<T: Bucketed<Item = I>, P, I> ProbeBucket<T, P, I> {
    /// True if the bucket holds `I`s.
    pub const HOLDS: bool = true;
}

impl<T: ?Sized, P: ?Sized, I: ?Sized> Fallback for ProbeBucket<T, P, I> {}

/// Checks if `A` and `B` are one type.
#[derive(Debug)]
pub struct ProbeSame<A: ?Sized, B: ?Sized>(PhantomData<A>, PhantomData<B>);

impl<T: ?Sized> ProbeSame<T, T> {
    /// True if `A` and `B` are one type.
    pub const IS_SAME: bool = true;
}

impl<A: ?Sized, B: ?Sized> Fallback for ProbeSame<A, B> {}

/// Checks if the documents of `A` and `B` are behind one wall: their tenants are of one type.
#[derive(Debug)]
pub struct ProbeWall<A: ?Sized, B: ?Sized>(PhantomData<A>, PhantomData<B>);

#[cfg(feature = "driver")]
impl<A: Model<TenantHandle = H>, B: Model<TenantHandle = H>, H> ProbeWall<A, B> {
    /// True if the documents of both are behind one wall.
    pub const SHARED: bool = true;
}

#[cfg(not(feature = "driver"))]
impl<A: Lookup, B: Lookup> ProbeWall<A, B> {
    /// True if the documents of both may be behind one wall: without the driver, no type shows it.
    pub const SHARED: bool = A::WALLED == B::WALLED;
}

impl<A: ?Sized, B: ?Sized> Fallback for ProbeWall<A, B> {}
