//! The builder of updates: of one document and of many, with a condition, and upserts. Its methods are the operators and the options.

use std::marker::PhantomData;

use bson::{Bson, Document};

use super::ops::Changes;
use super::patch::{Patch, PatchChanges};
use super::{DateValue, MayBeAbsent, Numeric, StoredAsDate};
use crate::builder::{CallOptions, settles, write_hint, write_options, writes_in_transactions};
use crate::codec::Encode;
use crate::document::documents::Documents;
use crate::driver::{ClientSession, Database};
use crate::error::Result;
use crate::filter::{ArrayValue, Filter};
use crate::outcome::Pending;
use crate::schema::field::place::{OnePlace, Path, Within, path};
use crate::schema::field::{
    ElementField, Field, Growable, Handles, IntoArg, Settable, WithElements,
};
use crate::schema::model::Model;
use crate::schema::relation::Level;
use crate::schema::unique::{KeyFields, UniqueKey};
use crate::schema::value::Value;
use crate::write::cardinality::{Many, One};

/// A kind of update: the document is stored if there is none.
#[derive(Debug)]
pub enum OrInsert {}

/// A change of one document, about to be sent. `.await` gives an [`Outcome`](crate::Outcome).
///
/// `K` says what else it may be: of [`Many`] documents, with a condition ([`UpdateIf`](super::UpdateIf)), or an [`Upsert`](super::Upsert).
#[must_use = "nothing is sent before it is awaited"]
pub struct Update<'a, M, K = One> {
    pub(super) db: &'a Database,
    pub(super) filter: Result<Document>,
    pub(super) changes: Changes,
    /// The conditions that the document has to meet besides its `_id`.
    pub(super) conditions: Vec<Bson>,
    pub(super) level: Option<Level>,
    /// The document to store if there is none with the `_id`.
    pub(super) new: Option<Documents>,
    /// The unique key by which an upsert finds the document, instead of its `_id`: a filter.
    pub(super) key: Option<Result<Document>>,
    pub(super) session: Option<&'a mut ClientSession>,
    pub(super) notes: Option<&'a mut Vec<Pending>>,
    pub(super) call: CallOptions,
    pub(super) model: PhantomData<fn() -> (M, K)>,
}

/// A change of many documents, about to be sent. `.await` gives an [`Outcome`](crate::Outcome).
///
/// A document stays unchanged, and is not counted as matched, if its arrays have no room for the additions, if `inc` or `mul` would leave
/// the range of an integer's type, if it lacks the embedded document of a changed field or the array of `set_where`, or if its values are
/// of types that the operators do not take. Null counts as absent: where the model may store it, one `update` per field makes it so first.
/// References and elements of sets that a document holds already are not added again; the rest of the update applies to the document all
/// the same.
/// An update can add only one entry (`{ id, copies }`), and then may contain no other change; otherwise it fails with
/// [`Error::Impossible`](crate::Error::Impossible).
pub type UpdateMany<'a, M> = Update<'a, M, Many>;

write_options!(Update<K>);
write_hint!(UpdateMany);
settles!(Update<K>, call);
writes_in_transactions!(Update<K>);

impl<'a, M: Model, K> Update<'a, M, K> {
    /// `$set`: the field becomes `value`; `None` removes an optional field that may be absent (`skip_serializing_if`, `default`), and makes
    /// another one null. The bounds and the checks of what it holds are looked at before anything is sent.
    pub fn set<P, T, I, W>(
        mut self,
        field: impl FnOnce(M::FieldHandles) -> Field<P, T, I, W>,
        value: impl IntoArg<T>,
    ) -> Self
    where
        P: OnePlace + Path<Root = M>,
        P::Codec: Encode<T>,
        W: Settable,
    {
        let _ = field(M::FieldHandles::VALUE);
        self.changes.set::<M, P, T>("$set", &value.into_arg());
        self
    }

    /// `$set` if there is a value, and else no change: for a request that names the fields to change. `Some(None)` is
    /// `None` in [`set`](Self::set). An update with no
    /// other change sends nothing; one with a condition, or that returns the document, reads it.
    pub fn set_some<P, T, I, W, V: IntoArg<T>>(
        mut self,
        field: impl FnOnce(M::FieldHandles) -> Field<P, T, I, W>,
        value: Option<V>,
    ) -> Self
    where
        P: OnePlace + Path<Root = M>,
        P::Codec: Encode<T>,
        W: Settable,
    {
        let _ = field(M::FieldHandles::VALUE);
        self.changes
            .set_some::<M, P, T>(value.map(IntoArg::into_arg));
        self
    }

    /// The fields that a patch gives, as [`set_some`](Self::set_some) sets them: `#[model(patch = CustomerPatch)]` generates a struct that
    /// serde reads from the JSON of a `PATCH`. It sends what the same calls of `set_some` send; a patch that gives no field changes
    /// nothing.
    pub fn patch(mut self, patch: impl Patch<M>) -> Self {
        patch.change(&mut PatchChanges::new(&mut self.changes));
        self
    }

    /// Lets the field of `#[count(.., max = field)]` become less than the number of children. Without this, such a change of one document
    /// is [`Error::BelowCount`](crate::Error::BelowCount), by a condition in the same command, and `update_many` refuses to lower such a
    /// field ([`Error::Impossible`](crate::Error::Impossible)). No child is removed: none gets a place until enough are gone.
    pub fn allow_over_bound(mut self) -> Self {
        self.changes.allow_over_bound();
        self
    }

    /// `$unset`: the field is removed.
    pub fn unset<P, T: MayBeAbsent, I, W>(
        mut self,
        field: impl FnOnce(M::FieldHandles) -> Field<P, T, I, W>,
    ) -> Self
    where
        P: OnePlace + Path<Root = M>,
        W: Settable,
    {
        let _ = field(M::FieldHandles::VALUE);
        self.changes
            .put::<M, P>("$unset", Bson::String(String::new()));
        self
    }

    /// `$inc`: adds `by`, which may be negative; an absent field counts as 0. A result that the field's type cannot hold is
    /// [`Error::Overflow`](crate::Error::Overflow), and `update_many` passes over the document. A result that breaks the
    /// `#[check(range = ..)]` of the field is [`Error::Invalid`](crate::Error::Invalid); the condition is a part of the same command.
    /// `update_many` refuses arithmetic on such a field ([`Error::Impossible`](crate::Error::Impossible)), because it would pass over
    /// documents.
    pub fn inc<P, T: Numeric, I, W>(
        mut self,
        field: impl FnOnce(M::FieldHandles) -> Field<P, T, I, W>,
        by: impl IntoArg<T>,
    ) -> Self
    where
        P: OnePlace + Path<Root = M>,
        P::Codec: Encode<T>,
        W: Settable,
    {
        let _ = field(M::FieldHandles::VALUE);
        self.changes.calculate::<M, P, T>("$inc", &by.into_arg());
        self
    }

    /// `$mul`: multiplies by `by`; an absent field becomes 0. A result that the field's type cannot hold is refused as that of
    /// [`inc`](Self::inc).
    pub fn mul<P, T: Numeric, I, W>(
        mut self,
        field: impl FnOnce(M::FieldHandles) -> Field<P, T, I, W>,
        by: impl IntoArg<T>,
    ) -> Self
    where
        P: OnePlace + Path<Root = M>,
        P::Codec: Encode<T>,
        W: Settable,
    {
        let _ = field(M::FieldHandles::VALUE);
        self.changes.calculate::<M, P, T>("$mul", &by.into_arg());
        self
    }

    /// `$min`: the field becomes `value` if that is less, in BSON's order, or if the field is absent.
    pub fn min<P, T, I, W>(
        mut self,
        field: impl FnOnce(M::FieldHandles) -> Field<P, T, I, W>,
        value: impl IntoArg<T>,
    ) -> Self
    where
        P: OnePlace + Path<Root = M>,
        P::Codec: Encode<T>,
        W: Settable,
    {
        let _ = field(M::FieldHandles::VALUE);
        self.changes.set::<M, P, T>("$min", &value.into_arg());
        self
    }

    /// `$max`: the field becomes `value` if that is greater, in BSON's order, or if the field is absent.
    pub fn max<P, T, I, W>(
        mut self,
        field: impl FnOnce(M::FieldHandles) -> Field<P, T, I, W>,
        value: impl IntoArg<T>,
    ) -> Self
    where
        P: OnePlace + Path<Root = M>,
        P::Codec: Encode<T>,
        W: Settable,
    {
        let _ = field(M::FieldHandles::VALUE);
        self.changes.set::<M, P, T>("$max", &value.into_arg());
        self
    }

    /// `$currentDate`: the field becomes the server's time.
    pub fn current_date<P, T: DateValue, I, W>(
        mut self,
        field: impl FnOnce(M::FieldHandles) -> Field<P, T, I, W>,
    ) -> Self
    where
        P: OnePlace + Path<Root = M>,
        P::Codec: StoredAsDate,
        W: Settable,
    {
        let _ = field(M::FieldHandles::VALUE);
        self.changes
            .check_calculated::<M>("`current_date` of", &path::<P>());
        self.changes
            .put::<M, P>("$currentDate", Bson::Boolean(true));
        self
    }

    /// `$push`: appends `value`, if the array is not full. A reference that is there already is not added
    /// again: that is not an error, and [`Outcome::modified`](crate::Outcome::modified) is 0.
    pub fn push<P, T: ArrayValue, I, W>(
        self,
        field: impl FnOnce(M::FieldHandles) -> Field<P, T, I, W>,
        value: impl IntoArg<T::Elem>,
    ) -> Self
    where
        P: OnePlace + Path<Root = M>,
        P::Codec: Encode<T::Elem>,
        W: Growable,
        T::Elem: Sized,
    {
        self.push_all(field, std::iter::once(value))
    }

    /// `$push` of several values, all or none. An empty list changes nothing; an update with no other change
    /// sends nothing.
    pub fn push_all<P, T: ArrayValue, I, W, V: IntoArg<T::Elem>>(
        mut self,
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
        self.changes
            .add::<M, P, T::Elem>(values.into_iter().map(IntoArg::into_arg), false);
        self
    }

    /// Appends `value` if no element equals it and the array is not full. If the array holds it already, the call
    /// succeeds without a change. A struct equals an element with the same fields, in whatever order another program has stored them.
    pub fn add_to_set<P, T: ArrayValue, I, W>(
        self,
        field: impl FnOnce(M::FieldHandles) -> Field<P, T, I, W>,
        value: impl IntoArg<T::Elem>,
    ) -> Self
    where
        P: OnePlace + Path<Root = M>,
        P::Codec: Encode<T::Elem>,
        W: Growable,
        T::Elem: Sized,
    {
        self.add_all_to_set(field, std::iter::once(value))
    }

    /// As [`add_to_set`](Self::add_to_set) for several values: either all new ones fit, or none is added.
    pub fn add_all_to_set<P, T: ArrayValue, I, W, V: IntoArg<T::Elem>>(
        mut self,
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
        self.changes
            .add::<M, P, T::Elem>(values.into_iter().map(IntoArg::into_arg), true);
        self
    }

    /// `$pull`: removes every element that equals `value`, structs by their fields in any order.
    ///
    /// An array with a least length (`#[check(len = 1..)]`) is set as a whole instead, because no filter says how many elements are
    /// removed: [`Error::Impossible`](crate::Error::Impossible), also of `pull_where`, `pop_first` and `pop_last`.
    pub fn pull<P, T: ArrayValue, I, W>(
        mut self,
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
        self.changes.pull::<M, P, T::Elem>(&value.into_arg());
        self
    }

    /// `$pull`: removes every element that meets `filter`.
    pub fn pull_where<P, T: ArrayValue, I, W, S>(
        mut self,
        field: impl FnOnce(M::FieldHandles) -> Field<P, T, I, W>,
        filter: impl FnOnce(<T::Elem as Value>::Sub<Within<P>>) -> Filter<M, S>,
    ) -> Self
    where
        P: OnePlace + Path<Root = M>,
        W: Growable,
    {
        let _ = field(M::FieldHandles::VALUE);
        let filter = filter(<<T::Elem as Value>::Sub<Within<P>> as Handles>::VALUE).into_scan();
        self.changes
            .put_result::<M, P>("$pull", filter.map(Bson::Document));
        self
    }

    /// `$set` of a field of every element that meets a condition:
    /// `.set_where(|t| t.roles, |r| r.user.eq(user), |r| r.role, Role::Admin)`. The server finds the elements
    /// (`arrayFilters`), in the same atomic write. If none meets the condition, nothing is changed, and that is
    /// not an error.
    pub fn set_where<P, T: ArrayValue, I, W, S, Q, V, J, X>(
        mut self,
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
        let _ = (
            array(M::FieldHandles::VALUE),
            field(<<T::Elem as Value>::Sub<Within<P>> as Handles>::VALUE),
        );
        let element = element(<<T::Elem as Value>::Sub<Within<P>> as Handles>::VALUE).into_scan();
        self.changes
            .set_element::<M, P, Q, V>("$set", element, &value.into_arg());
        self
    }

    /// `$inc` of a field of every element that meets a condition, as [`set_where`](Self::set_where) sets one.
    pub fn inc_where<P, T: ArrayValue, I, W, S, Q, V: Numeric, J, X>(
        mut self,
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
        let _ = (
            array(M::FieldHandles::VALUE),
            field(<<T::Elem as Value>::Sub<Within<P>> as Handles>::VALUE),
        );
        let element = element(<<T::Elem as Value>::Sub<Within<P>> as Handles>::VALUE).into_scan();
        self.changes
            .inc_element::<M, P, Q, V>(element, &by.into_arg());
        self
    }

    /// `$unset` of a field of every element that meets a condition, as [`set_where`](Self::set_where) sets one.
    pub fn unset_where<P, T: ArrayValue, I, W, S, Q, V: MayBeAbsent, J, X>(
        mut self,
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
        let _ = (
            array(M::FieldHandles::VALUE),
            field(<<T::Elem as Value>::Sub<Within<P>> as Handles>::VALUE),
        );
        let element = element(<<T::Elem as Value>::Sub<Within<P>> as Handles>::VALUE).into_scan();
        self.changes
            .put_element::<M, P, Q>("$unset", element, Ok(Bson::String(String::new())));
        self
    }

    /// `$pop`: removes the first element.
    pub fn pop_first<P, T: ArrayValue, I, W>(
        mut self,
        field: impl FnOnce(M::FieldHandles) -> Field<P, T, I, W>,
    ) -> Self
    where
        P: OnePlace + Path<Root = M>,
        W: Growable,
    {
        let _ = field(M::FieldHandles::VALUE);
        self.changes.put::<M, P>("$pop", Bson::Int32(-1));
        self
    }

    /// `$pop`: removes the last element.
    pub fn pop_last<P, T: ArrayValue, I, W>(
        mut self,
        field: impl FnOnce(M::FieldHandles) -> Field<P, T, I, W>,
    ) -> Self
    where
        P: OnePlace + Path<Root = M>,
        W: Growable,
    {
        let _ = field(M::FieldHandles::VALUE);
        self.changes.put::<M, P>("$pop", Bson::Int32(1));
        self
    }

    /// Sets how the copies of changed fields follow, whatever they declare.
    pub fn level(mut self, level: Level) -> Self {
        self.level = Some(level);
        self
    }
}

impl<M: Model> Update<'_, M, OrInsert> {
    /// Finds the stored document by a unique key instead of its `_id`: `.on_key(|u| u.email)`, or `.on_key(|u| (u.team, u.number))` in the
    /// order of the index. A stored document keeps its `_id`. Only the keys of a declared unique index compile.
    ///
    /// Sends a `find` of the key first; then what [`update`](crate::MongoModel::update) sends, or if there is no document what
    /// [`insert`](crate::MongoModel::insert) sends. If another program stores or changes the document in between, it is found again.
    ///
    /// ```no_run
    /// # use mongo_model::{Database, Id, MongoModel};
    /// # use serde::{Deserialize, Serialize};
    /// # #[derive(Debug, Serialize, Deserialize, MongoModel)]
    /// # #[model(collection = "visitors")]
    /// # pub struct Visitor { #[serde(rename = "_id")] pub id: Id<Visitor>, #[index(unique)] pub email: String, pub visits: i64 }
    /// # async fn example(db: &Database) -> mongo_model::Result<()> {
    /// let first = Visitor { id: Id::new(), email: "kate@example.com".to_owned(), visits: 1 };
    /// Visitor::upsert(db, &first).on_key(|v| v.email).inc(|v| v.visits, 1).await?;
    /// # Ok(()) }
    /// ```
    pub fn on_key<K: KeyFields<M>>(mut self, fields: impl FnOnce(M::FieldHandles) -> K) -> Self
    where
        K::Markers: UniqueKey<M>,
    {
        let _ = fields(M::FieldHandles::VALUE);
        self.key = Some(self.key_of(&K::names()));
        self
    }
}
