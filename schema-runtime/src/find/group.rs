//! Grouping: documents with the same value of a field, counted and added up by the server.

mod facet;
mod keys;
mod only;
mod rows;
mod selected;
mod totals;
mod zone;

use std::fmt;
use std::marker::PhantomData;

use bson::{Bson, Document, doc};
use serde::de::{Deserialize, Deserializer};

pub use self::facet::{Facet, Facets};
pub use self::keys::{FilledPeriods, GroupKey, InPeriod, Unfilled};
pub use self::rows::{Documents, ItemsOf, RowsOf};
pub use self::selected::{GroupOrder, OfGroup, TotalOf};
use self::totals::Read;
pub use self::totals::{
    Append, Averaged, Counted, Distinct, First, Last, Least, Most, Multiplied, Numbers, Restricted,
    SomeTotals, Summed, Times, Totals,
};
pub use self::zone::Zone;
use super::Find;
use crate::codec::{CodecError, Decode};
use crate::driver::{ClientSession, Database};
use crate::error::{Error, Result};
use crate::filter::Countable;
use crate::schema::field::place::{OnePlace, Path, path};
use crate::schema::field::{Field, Handles, IndexKind};
use crate::schema::model::Model;
use crate::tenant::{Confined, Wall};

/// Documents with the same value of a field, and their totals: a tuple with one value per call of `count`, `sum`,
/// `avg`, `min` and `max`, in the order of the calls.
#[derive(Debug, Clone, PartialEq)]
pub struct Group<K, V> {
    /// The value that the documents share.
    pub key: K,
    /// The totals.
    pub totals: V,
}

/// A grouping of documents of `M`, or of items of an array of theirs, by a key, about to be sent. `.await` gives a [`Group`] per value, in
/// the order of the values.
#[must_use = "nothing is sent before it is awaited"]
pub struct GroupBy<'a, M, K, V = (), R = Documents> {
    find: Find<'a, M>,
    /// The stages that make items of the documents.
    items: Vec<Document>,
    key: K,
    /// The accumulators, as the server gets them.
    totals: Document,
    /// Further ones, which count the values that a total leaves out.
    misfits: Document,
    /// The names of totals that are sets, whose size is asked for.
    sets: Vec<String>,
    /// Conditions on the totals.
    having: Vec<Document>,
    order: Option<GroupOrder>,
    /// The largest number of groups.
    limit: Option<u32>,
    /// True if no filter says which documents: then an index that leads with the key does.
    by_index: bool,
    types: super::Types<(V, R)>,
}

impl<M, K, V, R> fmt::Debug for GroupBy<'_, M, K, V, R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("GroupBy")
            .field("find", &self.find)
            .field("totals", &self.totals)
            .finish_non_exhaustive()
    }
}

impl<'a, M: Model, O, K> Find<'a, M, O, K> {
    /// Groups the documents by a field, and asks the server for their totals instead of the documents. Order, `skip`
    /// and `limit` apply to the documents before they are grouped. Sends one `aggregate`.
    ///
    /// Sums of integers and of `Decimal128` are exact, and so are minima and maxima; an average of either is a
    /// `Decimal128`. Only fields of floating-point types are added up as floats.
    ///
    /// ```
    /// # use mongo_model::{Database, Id, MongoModel, Result};
    /// # use serde::{Deserialize, Serialize};
    /// #[derive(Serialize, Deserialize, MongoModel)]
    /// #[model(collection = "orders", index(keys(customer, status)))]
    /// pub struct Order {
    ///     #[serde(rename = "_id")]
    ///     pub id: Id<Order>,
    ///     pub customer: i64,
    ///     pub status: String,
    ///     pub cents: i64,
    /// }
    ///
    /// pub struct Total {
    ///     pub status: String,
    ///     pub orders: u64,
    ///     pub cents: i64,
    /// }
    ///
    /// # async fn example(db: &Database) -> Result<()> {
    /// let totals: Vec<Total> = Order::find(db, |o| o.customer.eq(7))
    ///     .group_by(|o| o.status)
    ///     .count()
    ///     .sum(|o| o.cents)
    ///     .into_rows(|status, (orders, cents)| Total { status, orders, cents })
    ///     .await?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// When awaited: [`Error::SumTooLarge`](crate::Error::SumTooLarge), or [`Error::Decode`](crate::Error::Decode) if a
    /// document has a value of another type in a field that is added up or averaged, or no value in a key that is not an
    /// `Option`: a grouping does not know the key's `#[serde(default)]`, so leave such documents out
    /// (`.filter(|o| o.status.exists(true))`).
    pub fn group_by<G: GroupKey<M>>(
        self,
        key: impl FnOnce(M::FieldHandles) -> G,
    ) -> GroupBy<'a, M, G>
    where
        K: Countable,
    {
        GroupBy::new(self.retyped(), key(M::FieldHandles::VALUE))
    }
}

impl<'a, M: Model, K, R> GroupBy<'a, M, K, (), R> {
    fn new(find: Find<'a, M>, key: K) -> Self {
        GroupBy {
            find,
            items: Vec::new(),
            key,
            totals: Document::new(),
            misfits: Document::new(),
            sets: Vec::new(),
            having: Vec::new(),
            order: None,
            limit: None,
            by_index: false,
            types: PhantomData,
        }
    }

    /// The items that these stages make of the documents.
    pub(super) fn of_items(find: Find<'a, M>, items: Vec<Document>, key: K) -> Self {
        GroupBy {
            items,
            ..GroupBy::new(find, key)
        }
    }
}

impl<'a, M: Model, K> GroupBy<'a, M, K> {
    /// All documents, by a field that an index leads with.
    pub(crate) fn all(db: &'a Database, key: K) -> Self {
        GroupBy {
            by_index: true,
            ..GroupBy::new(Find::new(db, Ok(Document::new())), key)
        }
    }
}

/// A field by which all documents of `M` can be grouped: an index that contains every document starts with it, so `I`
/// serves null and ranges too.
#[diagnostic::on_unimplemented(
    message = "no index of `{M}` serves a grouping of all its documents by this field [IDX_FILTER]",
    label = "this grouping would scan the whole collection",
    note = "add `#[index]` to the field, or put it first in an `index(keys(..))` of the model; an index that also has the fields that are added up answers by itself",
    note = "a grouping of some documents is spelled `find(..).group_by(..)`, a scan on purpose `scan(..).group_by(..)`"
)]
pub trait Grouped<M> {}
#[diagnostic::do_not_recommend]
impl<M, P, T, I, W> Grouped<M> for Field<P, T, I, W> where
    I: IndexKind<
            Eq = crate::schema::field::Indexed,
            Range = crate::schema::field::Indexed,
            Null = crate::schema::field::Indexed,
        >
{
}

impl<'a, M: Model, K, V, R: RowsOf<M>> GroupBy<'a, M, K, V, R> {
    fn add_total<A>(mut self, accumulator: Document) -> GroupBy<'a, M, K, V::Out, R>
    where
        V: Append<A>,
    {
        let name = selected::name(self.totals.len());
        self.totals.insert(name, accumulator);
        GroupBy {
            find: self.find,
            items: self.items,
            key: self.key,
            totals: self.totals,
            misfits: self.misfits,
            sets: self.sets,
            having: self.having,
            order: self.order,
            limit: self.limit,
            by_index: self.by_index,
            types: PhantomData,
        }
    }

    /// Counts the documents whose values the next total cannot add up.
    fn counting_misfits(mut self, fits: Document) -> Self {
        let name = totals::misfits_name(self.totals.len());
        let misfit = doc! { "$cond": [fits, 0, 1] };
        self.misfits.insert(name, doc! { "$sum": misfit });
        self
    }

    /// Counts the documents, as `u64`.
    pub fn count(self) -> GroupBy<'a, M, K, V::Out, R>
    where
        V: Append<Counted>,
    {
        self.add_total::<Counted>(doc! { "$sum": 1 })
    }

    /// Counts the different values of a field, as `u64`; null and absent values are left out. The server holds the values of a group in
    /// memory.
    pub fn count_distinct<F, T, I, W>(
        mut self,
        field: impl FnOnce(R::Handles) -> Field<F, T, I, W>,
    ) -> GroupBy<'a, M, K, V::Out, R>
    where
        F: OnePlace + Path<Root = M>,
        V: Append<Distinct<F>>,
    {
        let _ = field(R::HANDLES);
        self.sets.push(selected::name(self.totals.len()));
        self.add_total::<Distinct<F>>(doc! { "$addToSet": value::<F>() })
    }

    /// Adds up the products of two fields: `.sum_product(|l| (l.price, l.quantity))`. As exact as [`sum`](Self::sum); a decimal is not
    /// multiplied with a float. A document without one of the fields adds nothing.
    pub fn sum_product<A, B, T, U, I, J, W, X>(
        self,
        fields: impl FnOnce(R::Handles) -> (Field<A, T, I, W>, Field<B, U, J, X>),
    ) -> GroupBy<'a, M, K, V::Out, R>
    where
        A: OnePlace + Path<Root = M>,
        B: OnePlace + Path<Root = M>,
        T: Numbers<Class: Times<U::Class>>,
        U: Numbers,
        V: Append<Multiplied<A, B, <T::Class as Times<U::Class>>::Product>>,
    {
        let _ = fields(R::HANDLES);
        let (a, b) = (value::<A>(), value::<B>());
        let fit = vec![totals::fits::<T>(&a), totals::fits::<U>(&b)];
        self.counting_misfits(doc! { "$and": fit })
            .add_total(doc! { "$sum": { "$multiply": [a, b] } })
    }

    /// Adds up a field: as `i64` for integers, as `Decimal128` for decimals, as `f64` for floats. A document without
    /// the field adds nothing; one with a value that the field's type cannot read makes the grouping fail.
    pub fn sum<F, T, I, W>(
        self,
        field: impl FnOnce(R::Handles) -> Field<F, T, I, W>,
    ) -> GroupBy<'a, M, K, V::Out, R>
    where
        F: OnePlace + Path<Root = M>,
        T: Numbers,
        V: Append<Summed<F, T>>,
    {
        let _ = field(R::HANDLES);
        self.counting_misfits(totals::fits::<T>(&value::<F>()))
            .add_total::<Summed<F, T>>(doc! { "$sum": value::<F>() })
    }

    /// Averages a field: as `Decimal128`, with 34 digits, for integers and decimals; as `f64` for floats. A document
    /// without the field does not count; `None` if none has it.
    pub fn avg<F, T, I, W>(
        self,
        field: impl FnOnce(R::Handles) -> Field<F, T, I, W>,
    ) -> GroupBy<'a, M, K, V::Out, R>
    where
        F: OnePlace + Path<Root = M>,
        T: Numbers,
        V: Append<Averaged<F, T>>,
    {
        let _ = field(R::HANDLES);
        let averaged = match T::EXACT {
            // `$toDecimal` would take a text for a number.
            true => Bson::Document(doc! { "$cond": {
                "if": totals::fits::<T>(&value::<F>()),
                "then": { "$toDecimal": value::<F>() },
                "else": Bson::Null,
            } }),
            false => Bson::String(value::<F>()),
        };
        self.counting_misfits(totals::fits::<T>(&value::<F>()))
            .add_total::<Averaged<F, T>>(doc! { "$avg": averaged })
    }

    /// Finds the smallest value of a field in BSON's sort order; null and absent values are left out. `None` if there
    /// is no other.
    pub fn min<F, T, I, W>(
        self,
        field: impl FnOnce(R::Handles) -> Field<F, T, I, W>,
    ) -> GroupBy<'a, M, K, V::Out, R>
    where
        F: OnePlace + Path<Root = M>,
        V: Append<Least<F, T>>,
    {
        let _ = field(R::HANDLES);
        self.add_total::<Least<F, T>>(doc! { "$min": value::<F>() })
    }

    /// Finds the largest value of a field, as [`min`](Self::min) finds the smallest.
    pub fn max<F, T, I, W>(
        self,
        field: impl FnOnce(R::Handles) -> Field<F, T, I, W>,
    ) -> GroupBy<'a, M, K, V::Out, R>
    where
        F: OnePlace + Path<Root = M>,
        V: Append<Most<F, T>>,
    {
        let _ = field(R::HANDLES);
        self.add_total::<Most<F, T>>(doc! { "$max": value::<F>() })
    }

    /// Takes the value of a field in the first document of the group, in the order that the read had before `group_by`:
    /// `.sort(|s| s.at.asc()).group_by(|s| s.customer).first(|s| s.cents)`. `None` if that document has no value there. Of documents
    /// that are equal in the order, the server takes any: an order that ends with the `_id` decides.
    ///
    /// # Errors
    /// When awaited: [`Error::Impossible`] if the read has no order. Nothing is sent.
    pub fn first<F, T, I, W>(
        self,
        field: impl FnOnce(R::Handles) -> Field<F, T, I, W>,
    ) -> GroupBy<'a, M, K, V::Out, R>
    where
        F: OnePlace + Path<Root = M>,
        V: Append<First<F, T>>,
    {
        let _ = field(R::HANDLES);
        self.ordered()
            .add_total::<First<F, T>>(doc! { "$first": value::<F>() })
    }

    /// Takes the value of a field in the last document of the group, as [`first`](Self::first) takes that of the first.
    ///
    /// # Errors
    /// Those of [`first`](Self::first).
    pub fn last<F, T, I, W>(
        self,
        field: impl FnOnce(R::Handles) -> Field<F, T, I, W>,
    ) -> GroupBy<'a, M, K, V::Out, R>
    where
        F: OnePlace + Path<Root = M>,
        V: Append<Last<F, T>>,
    {
        let _ = field(R::HANDLES);
        self.ordered()
            .add_total::<Last<F, T>>(doc! { "$last": value::<F>() })
    }

    /// The grouping, if the read has an order.
    fn ordered(mut self) -> Self {
        let sorts_items = self.items.iter().any(|stage| stage.contains_key("$sort"));
        if self.find.sort.is_none() && !sorts_items {
            self.find.filter = self.find.filter.and(Err(Error::Impossible {
                what: format!(
                    "{}: `first` and `last` of a group need an order of the read: `.sort(..)` before `.group_by(..)`",
                    M::model_meta().name
                ),
            }));
        }
        self
    }

    /// Selects the groups whose totals meet a condition: `.having(|(orders, _)| orders.gt(10))`, where the parameter has a place for each
    /// total. Of several calls all conditions count.
    pub fn having(mut self, condition: impl FnOnce(V::Handles) -> OfGroup) -> Self
    where
        V: Totals,
        K: Unfilled,
    {
        self.having.push(condition(V::handles()).0);
        self
    }

    /// Sorts the groups by a total: `.sort(|(_, cents)| cents.desc())`. Without it they are in the order of their keys.
    pub fn sort(mut self, order: impl FnOnce(V::Handles) -> GroupOrder) -> Self
    where
        V: Totals,
        K: Unfilled,
    {
        self.order = Some(order(V::handles()));
        self
    }

    /// Returns at most this many groups, the first ones of the order. With 0, it returns none and sends nothing.
    pub fn limit(mut self, groups: u32) -> Self
    where
        K: Unfilled,
    {
        self.limit = Some(groups);
        self
    }
}

impl<'a, M, K, V, R> GroupBy<'a, M, K, V, R> {
    /// The session that the grouping runs in.
    pub(crate) fn session(&mut self) -> &mut Option<&'a mut ClientSession> {
        &mut self.find.session
    }
}

impl<M: Model, K, V, R> Confined for GroupBy<'_, M, K, V, R> {
    fn confined(mut self, wall: &Wall) -> Self {
        // The indexes begin with the tenant: in the documents of all, none is in the order of the key.
        self.by_index &= !wall.is_across();
        self.find = self.find.confined(wall);
        self
    }
}

crate::builder::read_options!(['a, M, K, V, R] GroupBy<'a, M, K, V, R>, find.options);
crate::builder::reads_in_transactions!(['a, M, K, V, R] GroupBy<'a, M, K, V, R>, find.session);
crate::builder::document_scopes!(['a, M: Model, K, V, R] GroupBy<'a, M, K, V, R>, M, find.scope);

/// A field in an expression. The name is the derive's, and no value of the user's.
fn value<P: Path>() -> String {
    format!("${}", path::<P>())
}

/// A value as the field at `P` stores it.
struct Stored<P, T>(T, PhantomData<fn() -> P>);

impl<'de, P: Path, T> Deserialize<'de> for Stored<P, T>
where
    P::Codec: Decode<T>,
{
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        <P::Codec as Decode<T>>::read(deserializer).map(|value| Stored(value, PhantomData))
    }
}

/// Reads a value of the field at `P`; an error names the field.
pub(super) fn decode<P: Path, T>(value: &Bson) -> Result<T, CodecError>
where
    P::Codec: Decode<T>,
{
    let read = crate::codec::decode_value::<Stored<P, T>>(value);
    read.map(|stored| stored.0)
        .map_err(|error| error.in_field(&path::<P>()))
}

/// A grouping whose rows are made by a function, about to be sent.
#[must_use = "nothing is sent before it is awaited"]
pub struct GroupRows<'a, M, K, V, F, R = Documents> {
    groups: GroupBy<'a, M, K, V, R>,
    make: F,
}

impl<M, K, V, F, R> fmt::Debug for GroupRows<'_, M, K, V, F, R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.groups.fmt(f)
    }
}

impl<'a, M: Model, K: GroupKey<M>, V: Totals, R> GroupBy<'a, M, K, V, R> {
    /// Turns each group into a row: `|status, (orders, cents)| Total { status, orders, cents }`.
    pub fn into_rows<Row, F: FnMut(K::Value, V::Values) -> Row>(
        self,
        make: F,
    ) -> GroupRows<'a, M, K, V, F, R> {
        GroupRows { groups: self, make }
    }
}

mod send;
