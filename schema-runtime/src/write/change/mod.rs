//! Changing stored documents: operators on field handles; the write itself enforces the bound of every array.

mod by_key;
mod elements;
pub(crate) mod only_if;
pub(crate) mod ops;
mod results;
mod returning;
pub(crate) mod send;
mod send_many;
mod statement;
mod upsert;

use std::fmt;
use std::marker::PhantomData;

use bson::{Bson, Document};

pub use self::only_if::UpdateIf;
use self::ops::Changes;
pub use self::results::{Returned, ReturnedIf, Swapped};
pub use self::returning::{Returning, ReturningIf};
pub use self::upsert::Upsert;
use crate::bson_util::redacted::Redacted;
use crate::builder::{settles, write_hint, write_options};
use crate::codec::Encode;
use crate::document::documents::Documents;
use crate::error::Result;
use crate::filter::{ArrayValue, Filter};
use crate::outcome::Pending;
use crate::schema::field::place::{OnePlace, Path, Within};
use crate::schema::field::{
    ElementField, Field, Growable, Handles, IntoArg, Settable, WithElements,
};
use crate::schema::model::Model;
use crate::schema::relation::Level;
use crate::schema::soft_delete::DocumentScope;
use crate::schema::value::Value;
use crate::{ClientSession, Database};

write_options!(Update, UpdateMany);
write_hint!(UpdateMany);
settles!(Update, settled);
settles!(UpdateMany, one.settled);

/// Numbers, for `inc` and `mul`.
#[diagnostic::on_unimplemented(
    message = "this field holds `{Self}`, which is not a number",
    label = "not a number"
)]
pub trait Numeric {
    /// The values that the type can hold, of integers.
    #[doc(hidden)]
    const RANGE: Option<(i64, i64)> = None;
}
macro_rules! numeric {
    ($($ty:ty $(: $range:expr)?;)*) => {$(
        #[diagnostic::do_not_recommend]
        impl Numeric for $ty {
            $(const RANGE: Option<(i64, i64)> = Some($range);)?
        }
        #[diagnostic::do_not_recommend]
        impl Numeric for Option<$ty> {
            $(const RANGE: Option<(i64, i64)> = Some($range);)?
        }
    )*};
}
numeric!(
    i8: (i8::MIN as i64, i8::MAX as i64);
    i16: (i16::MIN as i64, i16::MAX as i64);
    i32: (i32::MIN as i64, i32::MAX as i64);
    i64: (i64::MIN, i64::MAX);
    isize: (i64::MIN, i64::MAX);
    u8: (0, u8::MAX as i64);
    u16: (0, u16::MAX as i64);
    u32: (0, u32::MAX as i64);
    u64: (0, i64::MAX);
    usize: (0, i64::MAX);
    f32;
    f64;
    bson::Decimal128;
);

/// Dates, for `current_date`.
#[diagnostic::on_unimplemented(
    message = "this field holds `{Self}`, which is not a BSON date",
    label = "not a date"
)]
pub trait DateValue {}
#[diagnostic::do_not_recommend]
impl DateValue for bson::DateTime {}
#[diagnostic::do_not_recommend]
impl DateValue for Option<bson::DateTime> {}

/// How a field is stored, for `current_date`: as it is, and not through custom functions.
#[diagnostic::on_unimplemented(
    message = "this field is stored through `#[serde(with = ..)]`, which would not read the server's date back",
    label = "not stored as a BSON date",
    note = "use `set` with a date of this program"
)]
pub trait StoredAsDate {}
#[diagnostic::do_not_recommend]
impl StoredAsDate for crate::codec::Plain {}

/// Values that may be absent, for `unset`.
#[diagnostic::on_unimplemented(
    message = "this field holds `{Self}` and cannot be unset: a document without it could not be read",
    label = "not an `Option`"
)]
pub trait MayBeAbsent {}
#[diagnostic::do_not_recommend]
impl<T> MayBeAbsent for Option<T> {}

/// A change of one document, about to be sent. `.await` gives an [`Outcome`](crate::Outcome).
#[must_use = "nothing is sent before it is awaited"]
pub struct Update<'a, M> {
    db: &'a Database,
    filter: Result<Document>,
    changes: Changes,
    /// The conditions that the document has to meet besides its `_id`.
    conditions: Vec<Bson>,
    level: Option<Level>,
    /// The document to store if there is none with the `_id`.
    new: Option<Documents>,
    session: Option<&'a mut ClientSession>,
    notes: Option<&'a mut Vec<Pending>>,
    settled: bool,
    model: PhantomData<fn() -> M>,
}

/// A change of many documents, about to be sent. `.await` gives an [`Outcome`](crate::Outcome).
///
/// A document stays unchanged, and is not counted as matched, if its arrays have no room for the additions, if `inc` or `mul` would leave
/// the range of an integer's type, if it lacks the embedded document of a changed field or the array of `set_where`, or if its values are of
/// types that the operators do not take. Null counts as absent: where the model may store it, one `update` per field makes it so first.
/// References and elements of sets that a document holds already are not added again; the rest of the update applies to the document all
/// the same.
/// An update can add only one entry (`{ id, copies }`), and then may contain no other change; otherwise it fails with
/// [`Error::Impossible`](crate::Error::Impossible).
#[must_use = "nothing is sent before it is awaited"]
pub struct UpdateMany<'a, M> {
    one: Update<'a, M>,
}

impl<'a, M: Model> Update<'a, M> {
    /// An update of live documents.
    pub(crate) fn live(db: &'a Database, filter: Result<Document>) -> Self {
        let live = |filter| DocumentScope::Live.restrict(M::model_meta(), filter);
        Update::filtered(db, filter.map(live))
    }

    pub(crate) fn filtered(db: &'a Database, filter: Result<Document>) -> Self {
        Update {
            db,
            filter,
            changes: Changes::default(),
            conditions: Vec::new(),
            level: None,
            new: None,
            session: None,
            notes: None,
            settled: false,
            model: PhantomData,
        }
    }

    /// An update that the library itself makes of the document with this stored `_id`; the library chooses the paths.
    pub(crate) fn by(db: &'a Database, id: Bson, session: Option<&'a mut ClientSession>) -> Self {
        Update {
            session,
            ..Update::filtered(db, Ok(bson::doc! { "_id": { "$eq": id } }))
        }
    }

    /// Adds a condition that the document has to meet.
    pub(crate) fn holding(&mut self, condition: Document) {
        self.conditions.push(Bson::Document(condition));
    }

    /// Adds one operator on one stored path.
    pub(crate) fn with(&mut self, operator: &'static str, path: &str, value: Bson) {
        self.changes.insert(operator, path.to_owned(), value);
    }
}

impl<'a, M: Model> UpdateMany<'a, M> {
    pub(crate) fn new(db: &'a Database, filter: Result<Document>) -> Self {
        UpdateMany {
            one: Update::live(db, filter),
        }
    }
}

impl<M> fmt::Debug for Update<'_, M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Update")
            .field("filter", &Redacted(&self.filter))
            .field("changes", &self.changes)
            .finish_non_exhaustive()
    }
}

impl<M> fmt::Debug for UpdateMany<'_, M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.one.fmt(f)
    }
}

/// The operators, once for both builders.
macro_rules! operators {
    ($builder:ident, $self:ident => $one:expr) => {
        impl<'a, M: Model> $builder<'a, M> {
            /// `$set`: the field becomes `value`. The bounds and the checks of what it holds are looked at before anything is sent.
            pub fn set<P, T, I, W>(mut $self, field: impl FnOnce(M::FieldHandles) -> Field<P, T, I, W>, value: impl IntoArg<T>) -> Self
            where
                P: OnePlace + Path<Root = M>,
                P::Codec: Encode<T>,
                W: Settable,
            {
                let _ = field(M::FieldHandles::VALUE);
                $one.changes.set::<M, P, T>("$set", &value.into_arg());
                $self
            }

            /// `$set` if there is a value, and else no change: for a request that names the fields to change. `Some(None)` removes an
            /// optional field that may be absent (`skip_serializing_if`, `default`), and makes another one null. An update with no
            /// other change sends nothing; one with a condition, or that returns the document, reads it.
            pub fn set_some<P, T, I, W, V: IntoArg<T>>(
                mut $self,
                field: impl FnOnce(M::FieldHandles) -> Field<P, T, I, W>,
                value: Option<V>,
            ) -> Self
            where
                P: OnePlace + Path<Root = M>,
                P::Codec: Encode<T>,
                W: Settable,
            {
                let _ = field(M::FieldHandles::VALUE);
                $one.changes.set_some::<M, P, T>(value.map(IntoArg::into_arg));
                $self
            }

            /// `$unset`: the field is removed.
            pub fn unset<P, T: MayBeAbsent, I, W>(mut $self, field: impl FnOnce(M::FieldHandles) -> Field<P, T, I, W>) -> Self
            where
                P: OnePlace + Path<Root = M>,
                W: Settable,
            {
                let _ = field(M::FieldHandles::VALUE);
                $one.changes.put::<M, P>("$unset", Bson::String(String::new()));
                $self
            }

            /// `$inc`: adds `by`, which may be negative; an absent field counts as 0. A result that the field's type cannot hold is
            /// [`Error::Overflow`](crate::Error::Overflow), and `update_many` passes over the document. A result that breaks the `#[check(range = ..)]`
            /// of the field is [`Error::Invalid`](crate::Error::Invalid); the condition is a part of the same command. `update_many` refuses
            /// arithmetic on such a field ([`Error::Impossible`](crate::Error::Impossible)), because it would pass over documents.
            pub fn inc<P, T: Numeric, I, W>(mut $self, field: impl FnOnce(M::FieldHandles) -> Field<P, T, I, W>, by: impl IntoArg<T>) -> Self
            where
                P: OnePlace + Path<Root = M>,
                P::Codec: Encode<T>,
                W: Settable,
            {
                let _ = field(M::FieldHandles::VALUE);
                $one.changes.calculate::<M, P, T>("$inc", &by.into_arg());
                $self
            }

            /// `$mul`: multiplies by `by`; an absent field becomes 0. A result that the field's type cannot hold is refused as that of
            /// [`inc`](Self::inc).
            pub fn mul<P, T: Numeric, I, W>(mut $self, field: impl FnOnce(M::FieldHandles) -> Field<P, T, I, W>, by: impl IntoArg<T>) -> Self
            where
                P: OnePlace + Path<Root = M>,
                P::Codec: Encode<T>,
                W: Settable,
            {
                let _ = field(M::FieldHandles::VALUE);
                $one.changes.calculate::<M, P, T>("$mul", &by.into_arg());
                $self
            }

            /// `$min`: the field becomes `value` if that is less, in BSON's order, or if the field is absent.
            pub fn min<P, T, I, W>(mut $self, field: impl FnOnce(M::FieldHandles) -> Field<P, T, I, W>, value: impl IntoArg<T>) -> Self
            where
                P: OnePlace + Path<Root = M>,
                P::Codec: Encode<T>,
                W: Settable,
            {
                let _ = field(M::FieldHandles::VALUE);
                $one.changes.set::<M, P, T>("$min", &value.into_arg());
                $self
            }

            /// `$max`: the field becomes `value` if that is greater, in BSON's order, or if the field is absent.
            pub fn max<P, T, I, W>(mut $self, field: impl FnOnce(M::FieldHandles) -> Field<P, T, I, W>, value: impl IntoArg<T>) -> Self
            where
                P: OnePlace + Path<Root = M>,
                P::Codec: Encode<T>,
                W: Settable,
            {
                let _ = field(M::FieldHandles::VALUE);
                $one.changes.set::<M, P, T>("$max", &value.into_arg());
                $self
            }

            /// `$currentDate`: the field becomes the server's time.
            pub fn current_date<P, T: DateValue, I, W>(mut $self, field: impl FnOnce(M::FieldHandles) -> Field<P, T, I, W>) -> Self
            where
                P: OnePlace + Path<Root = M>,
                P::Codec: StoredAsDate,
                W: Settable,
            {
                let _ = field(M::FieldHandles::VALUE);
                $one.changes.put::<M, P>("$currentDate", Bson::Boolean(true));
                $self
            }

            /// `$push`: appends `value`, if the array is not full. A reference that is there already is not added
            /// again: that is not an error, and [`Outcome::modified`](crate::Outcome::modified) is 0.
            pub fn push<P, T: ArrayValue, I, W>(
                $self,
                field: impl FnOnce(M::FieldHandles) -> Field<P, T, I, W>,
                value: impl IntoArg<T::Elem>,
            ) -> Self
            where
                P: OnePlace + Path<Root = M>,
                P::Codec: Encode<T::Elem>,
                W: Growable,
                T::Elem: Sized,
            {
                $self.push_all(field, std::iter::once(value))
            }

            /// `$push` of several values, all or none. An empty list changes nothing; an update with no other change
            /// sends nothing.
            pub fn push_all<P, T: ArrayValue, I, W, V: IntoArg<T::Elem>>(
                mut $self,
                field: impl FnOnce(M::FieldHandles) -> Field<P, T, I, W>,
                values: impl IntoIterator<Item = V>,
            ) -> Self
            where
                P: OnePlace + Path<Root = M>,
                P::Codec: Encode<T::Elem>,
                W: Growable,
                T::Elem: Sized,
            {
                let _ = field(M::FieldHandles::VALUE);
                $one.changes.add::<M, P, T::Elem>(values.into_iter().map(IntoArg::into_arg), false);
                $self
            }

            /// Appends `value` if no element equals it and the array is not full. If it is there already, the call
            /// succeeds without a change.
            pub fn add_to_set<P, T: ArrayValue, I, W>(
                $self,
                field: impl FnOnce(M::FieldHandles) -> Field<P, T, I, W>,
                value: impl IntoArg<T::Elem>,
            ) -> Self
            where
                P: OnePlace + Path<Root = M>,
                P::Codec: Encode<T::Elem>,
                W: Growable,
                T::Elem: Sized,
            {
                $self.add_all_to_set(field, std::iter::once(value))
            }

            /// As [`add_to_set`](Self::add_to_set) for several values: either all new ones fit, or none is added.
            pub fn add_all_to_set<P, T: ArrayValue, I, W, V: IntoArg<T::Elem>>(
                mut $self,
                field: impl FnOnce(M::FieldHandles) -> Field<P, T, I, W>,
                values: impl IntoIterator<Item = V>,
            ) -> Self
            where
                P: OnePlace + Path<Root = M>,
                P::Codec: Encode<T::Elem>,
                W: Growable,
                T::Elem: Sized,
            {
                let _ = field(M::FieldHandles::VALUE);
                $one.changes.add::<M, P, T::Elem>(values.into_iter().map(IntoArg::into_arg), true);
                $self
            }

            /// `$pullAll`: removes every element that equals `value`. An array with a least length (`#[check(len = 1..)]`) is set as a whole
            /// instead, because no filter says how many elements are removed: [`Error::Impossible`](crate::Error::Impossible), also of
            /// `pull_where`, `pop_first` and `pop_last`.
            pub fn pull<P, T: ArrayValue, I, W>(
                mut $self,
                field: impl FnOnce(M::FieldHandles) -> Field<P, T, I, W>,
                value: impl IntoArg<T::Elem>,
            ) -> Self
            where
                P: OnePlace + Path<Root = M>,
                P::Codec: Encode<T::Elem>,
                W: Growable,
                T::Elem: Sized,
            {
                let _ = field(M::FieldHandles::VALUE);
                $one.changes.pull::<M, P, T::Elem>(&value.into_arg());
                $self
            }

            /// `$pull`: removes every element that meets `filter`.
            pub fn pull_where<P, T: ArrayValue, I, W, S>(
                mut $self,
                field: impl FnOnce(M::FieldHandles) -> Field<P, T, I, W>,
                filter: impl FnOnce(<T::Elem as Value>::Sub<Within<P>>) -> Filter<M, S>,
            ) -> Self
            where
                P: OnePlace + Path<Root = M>,
                W: Growable,
            {
                let _ = field(M::FieldHandles::VALUE);
                let filter = filter(<<T::Elem as Value>::Sub<Within<P>> as Handles>::VALUE).into_scan();
                $one.changes.put_result::<M, P>("$pull", filter.map(Bson::Document));
                $self
            }

            /// `$set` of a field of every element that meets a condition:
            /// `.set_where(|t| t.roles, |r| r.user.eq(user), |r| r.role, Role::Admin)`. The server finds the elements
            /// (`arrayFilters`), in the same atomic write. If none meets the condition, nothing is changed, and that is
            /// not an error.
            pub fn set_where<P, T: ArrayValue, I, W, S, Q, V, J, X>(
                mut $self,
                array: impl FnOnce(M::FieldHandles) -> Field<P, T, I, W>,
                element: impl FnOnce(<T::Elem as Value>::Sub<Within<P>>) -> Filter<M, S>,
                field: impl FnOnce(<T::Elem as Value>::Sub<Within<P>>) -> Field<Q, V, J, X>,
                value: impl IntoArg<V>,
            ) -> Self
            where
                P: OnePlace + Path<Root = M>,
                W: WithElements,
                Q: OnePlace + Path<Root = M>,
                Q::Codec: Encode<V>,
                X: ElementField,
            {
                let _ = (array(M::FieldHandles::VALUE), field(<<T::Elem as Value>::Sub<Within<P>> as Handles>::VALUE));
                let element = element(<<T::Elem as Value>::Sub<Within<P>> as Handles>::VALUE).into_scan();
                $one.changes.set_element::<M, P, Q, V>("$set", element, &value.into_arg());
                $self
            }

            /// `$inc` of a field of every element that meets a condition, as [`set_where`](Self::set_where) sets one.
            pub fn inc_where<P, T: ArrayValue, I, W, S, Q, V: Numeric, J, X>(
                mut $self,
                array: impl FnOnce(M::FieldHandles) -> Field<P, T, I, W>,
                element: impl FnOnce(<T::Elem as Value>::Sub<Within<P>>) -> Filter<M, S>,
                field: impl FnOnce(<T::Elem as Value>::Sub<Within<P>>) -> Field<Q, V, J, X>,
                by: impl IntoArg<V>,
            ) -> Self
            where
                P: OnePlace + Path<Root = M>,
                W: WithElements,
                Q: OnePlace + Path<Root = M>,
                Q::Codec: Encode<V>,
                X: ElementField,
            {
                let _ = (array(M::FieldHandles::VALUE), field(<<T::Elem as Value>::Sub<Within<P>> as Handles>::VALUE));
                let element = element(<<T::Elem as Value>::Sub<Within<P>> as Handles>::VALUE).into_scan();
                $one.changes.inc_element::<M, P, Q, V>(element, &by.into_arg());
                $self
            }

            /// `$unset` of a field of every element that meets a condition, as [`set_where`](Self::set_where) sets one.
            pub fn unset_where<P, T: ArrayValue, I, W, S, Q, V: MayBeAbsent, J, X>(
                mut $self,
                array: impl FnOnce(M::FieldHandles) -> Field<P, T, I, W>,
                element: impl FnOnce(<T::Elem as Value>::Sub<Within<P>>) -> Filter<M, S>,
                field: impl FnOnce(<T::Elem as Value>::Sub<Within<P>>) -> Field<Q, V, J, X>,
            ) -> Self
            where
                P: OnePlace + Path<Root = M>,
                W: WithElements,
                Q: OnePlace + Path<Root = M>,
                X: ElementField,
            {
                let _ = (array(M::FieldHandles::VALUE), field(<<T::Elem as Value>::Sub<Within<P>> as Handles>::VALUE));
                let element = element(<<T::Elem as Value>::Sub<Within<P>> as Handles>::VALUE).into_scan();
                $one.changes.put_element::<M, P, Q>("$unset", element, Ok(Bson::String(String::new())));
                $self
            }

            /// `$pop`: removes the first element.
            pub fn pop_first<P, T: ArrayValue, I, W>(mut $self, field: impl FnOnce(M::FieldHandles) -> Field<P, T, I, W>) -> Self
            where
                P: OnePlace + Path<Root = M>,
                W: Growable,
            {
                let _ = field(M::FieldHandles::VALUE);
                $one.changes.put::<M, P>("$pop", Bson::Int32(-1));
                $self
            }

            /// `$pop`: removes the last element.
            pub fn pop_last<P, T: ArrayValue, I, W>(mut $self, field: impl FnOnce(M::FieldHandles) -> Field<P, T, I, W>) -> Self
            where
                P: OnePlace + Path<Root = M>,
                W: Growable,
            {
                let _ = field(M::FieldHandles::VALUE);
                $one.changes.put::<M, P>("$pop", Bson::Int32(1));
                $self
            }

            /// Sets how the copies of changed fields follow, whatever they declare.
            pub fn level(mut $self, level: Level) -> Self {
                $one.level = Some(level);
                $self
            }

            /// Runs the change in this session, and in its transaction if one is open. The changes that it causes in
            /// other documents are pending until [`after_commit`](crate::after_commit).
            pub fn session(mut $self, session: &'a mut ClientSession) -> Self {
                $one.session = Some(session);
                $self
            }

            /// Runs the change in this transaction, which records the pending changes that have to follow its commit.
            pub fn within(mut $self, tx: &'a mut crate::driver::transaction::Transaction) -> Self {
                let (session, notes) = tx.parts();
                $one.session = Some(session);
                $one.notes = Some(notes);
                $self
            }
        }
    };
}

operators!(Update, self => self);
operators!(UpdateMany, self => self.one);
operators!(UpdateIf, self => self.one);
operators!(Upsert, self => self.one);
