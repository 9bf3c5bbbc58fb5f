//! Grouping: documents with the same value of a field, counted and added up by the server.

mod totals;

use std::fmt;
use std::marker::PhantomData;

use bson::{Bson, Document, doc};
use serde::de::{Deserialize, Deserializer};

use self::totals::Read;
pub use self::totals::{Append, Averaged, Counted, Least, Most, Numbers, Summed, Totals};
use super::Find;
use crate::codec::Decode;
use crate::driver::Database;
use crate::error::Result;
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

/// A grouping of documents of `M` by a field at `P` of type `K`, about to be sent. `.await` gives a [`Group`] per value, in the order
/// of the values.
#[must_use = "nothing is sent before it is awaited"]
pub struct GroupBy<'a, M, P, K, V = ()> {
    find: Find<'a, M>,
    /// The accumulators, as the server gets them.
    totals: Document,
    /// Further ones, which count the values that a total leaves out.
    misfits: Document,
    /// True if no filter says which documents: then an index that leads with the key does.
    by_index: bool,
    types: super::Types<(P, K, V)>,
}

impl<M, P, K, V> fmt::Debug for GroupBy<'_, M, P, K, V> {
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
    pub fn group_by<P, T, I, W>(
        self,
        key: impl FnOnce(M::FieldHandles) -> Field<P, T, I, W>,
    ) -> GroupBy<'a, M, P, T>
    where
        P: OnePlace + Path<Root = M>,
        P::Codec: Decode<T>,
        K: Countable,
    {
        // The type of the field contains its path.
        let _ = key(M::FieldHandles::VALUE);
        GroupBy {
            find: self.retyped(),
            totals: Document::new(),
            misfits: Document::new(),
            by_index: false,
            types: PhantomData,
        }
    }
}

impl<'a, M: Model, P: Path, K> GroupBy<'a, M, P, K> {
    /// All documents, by a field that an index leads with.
    pub(crate) fn all(db: &'a Database) -> Self {
        GroupBy {
            find: Find::new(db, Ok(Document::new())),
            totals: Document::new(),
            misfits: Document::new(),
            by_index: true,
            types: PhantomData,
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
impl<M, I> Grouped<M> for I where
    I: IndexKind<
            Eq = crate::schema::field::Indexed,
            Range = crate::schema::field::Indexed,
            Null = crate::schema::field::Indexed,
        >
{
}

impl<'a, M: Model, P: Path<Root = M>, K, V> GroupBy<'a, M, P, K, V> {
    fn with<A>(mut self, accumulator: Document) -> GroupBy<'a, M, P, K, V::Out>
    where
        V: Append<A>,
    {
        let name = totals::name(self.totals.len());
        self.totals.insert(name, accumulator);
        GroupBy {
            find: self.find,
            totals: self.totals,
            misfits: self.misfits,
            by_index: self.by_index,
            types: PhantomData,
        }
    }

    /// Counts the values of the field at `F` that the next total cannot add up.
    fn counting_misfits<F: Path, T: Numbers>(mut self) -> Self {
        let misfit = doc! { "$cond": [totals::fits::<T>(&value::<F>()), 0, 1] };
        let name = totals::misfits_name(self.totals.len());
        self.misfits.insert(name, doc! { "$sum": misfit });
        self
    }

    /// Counts the documents, as `u64`.
    pub fn count(self) -> GroupBy<'a, M, P, K, V::Out>
    where
        V: Append<Counted>,
    {
        self.with::<Counted>(doc! { "$sum": 1 })
    }

    /// Adds up a field: as `i64` for integers, as `Decimal128` for decimals, as `f64` for floats. A document without
    /// the field adds nothing; one with a value that the field's type cannot read makes the grouping fail.
    pub fn sum<F, T, I, W>(
        self,
        field: impl FnOnce(M::FieldHandles) -> Field<F, T, I, W>,
    ) -> GroupBy<'a, M, P, K, V::Out>
    where
        F: OnePlace + Path<Root = M>,
        T: Numbers,
        V: Append<Summed<F, T>>,
    {
        let _ = field(M::FieldHandles::VALUE);
        self.counting_misfits::<F, T>()
            .with::<Summed<F, T>>(doc! { "$sum": value::<F>() })
    }

    /// Averages a field: as `Decimal128`, with 34 digits, for integers and decimals; as `f64` for floats. A document
    /// without the field does not count; `None` if none has it.
    pub fn avg<F, T, I, W>(
        self,
        field: impl FnOnce(M::FieldHandles) -> Field<F, T, I, W>,
    ) -> GroupBy<'a, M, P, K, V::Out>
    where
        F: OnePlace + Path<Root = M>,
        T: Numbers,
        V: Append<Averaged<F, T>>,
    {
        let _ = field(M::FieldHandles::VALUE);
        let value = match T::EXACT {
            // `$toDecimal` would take a text for a number.
            true => Bson::Document(doc! { "$cond": {
                "if": totals::fits::<T>(&value::<F>()),
                "then": { "$toDecimal": value::<F>() },
                "else": Bson::Null,
            } }),
            false => Bson::String(value::<F>()),
        };
        self.counting_misfits::<F, T>()
            .with::<Averaged<F, T>>(doc! { "$avg": value })
    }

    /// Finds the smallest value of a field in BSON's sort order; null and absent values are left out. `None` if there
    /// is no other.
    pub fn min<F, T, I, W>(
        self,
        field: impl FnOnce(M::FieldHandles) -> Field<F, T, I, W>,
    ) -> GroupBy<'a, M, P, K, V::Out>
    where
        F: OnePlace + Path<Root = M>,
        V: Append<Least<F, T>>,
    {
        let _ = field(M::FieldHandles::VALUE);
        self.with::<Least<F, T>>(doc! { "$min": value::<F>() })
    }

    /// Finds the largest value of a field, as [`min`](Self::min) finds the smallest.
    pub fn max<F, T, I, W>(
        self,
        field: impl FnOnce(M::FieldHandles) -> Field<F, T, I, W>,
    ) -> GroupBy<'a, M, P, K, V::Out>
    where
        F: OnePlace + Path<Root = M>,
        V: Append<Most<F, T>>,
    {
        let _ = field(M::FieldHandles::VALUE);
        self.with::<Most<F, T>>(doc! { "$max": value::<F>() })
    }
}

impl<M: Model, P, K, V> Confined for GroupBy<'_, M, P, K, V> {
    fn confined(mut self, wall: &Wall) -> Self {
        // The indexes begin with the tenant: in the documents of all, none is in the order of the key.
        self.by_index &= matches!(wall, Wall::Of(..));
        self.find = self.find.confined(wall);
        self
    }
}

crate::builder::read_options!(['a, M, P, K, V] GroupBy<'a, M, P, K, V>, find.options);
crate::builder::reads_in_transactions!(['a, M, P, K, V] GroupBy<'a, M, P, K, V>, find.session);
crate::builder::document_scopes!(['a, M: Model, P, K, V] GroupBy<'a, M, P, K, V>, M, find.scope);

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

/// A grouping whose rows are made by a function, about to be sent.
#[must_use = "nothing is sent before it is awaited"]
pub struct GroupRows<'a, M, P, K, V, F> {
    groups: GroupBy<'a, M, P, K, V>,
    make: F,
}

impl<M, P, K, V, F> fmt::Debug for GroupRows<'_, M, P, K, V, F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.groups.fmt(f)
    }
}

impl<'a, M: Model, P: Path, K, V: Totals> GroupBy<'a, M, P, K, V> {
    /// Turns each group into a row: `|status, (orders, cents)| Total { status, orders, cents }`.
    pub fn into_rows<R, F: FnMut(K, V::Values) -> R>(
        self,
        make: F,
    ) -> GroupRows<'a, M, P, K, V, F> {
        GroupRows { groups: self, make }
    }
}

mod send {
    use super::*;
    use crate::builder::awaits;
    use crate::driver;
    use crate::find::operators::{NEAR, refuse_operators};
    use crate::index::collect::{asked_keys, definitions};

    impl<M: Model, P: Path<Root = M>, K, V> GroupBy<'_, M, P, K, V>
    where
        P::Codec: Decode<K>,
        V: Totals,
    {
        fn pipeline(&self, filter: Document) -> Vec<Document> {
            let number = |n: u64| i64::try_from(n).unwrap_or(i64::MAX);
            let scope = P::SCOPE.map(|(tag, value)| doc! { "$match": { tag: value } });
            let mut group = doc! { "_id": value::<P>() };
            group.extend(self.totals.clone());
            group.extend(self.misfits.clone());
            // A sort by the leading key makes the server walk along the index.
            let along = self.by_index.then(|| doc! { path::<P>(): 1 });
            let sort = self.find.sort.clone().or(along);
            let stages = [
                (!filter.is_empty()).then(|| doc! { "$match": filter }),
                scope,
                sort.map(|sort| doc! { "$sort": sort }),
                self.find.skip.map(|skip| doc! { "$skip": number(skip) }),
                self.find
                    .limit
                    .map(|limit| doc! { "$limit": number(limit) }),
                Some(doc! { "$group": group }),
                Some(doc! { "$sort": { "_id": 1 } }),
            ];
            stages.into_iter().flatten().collect()
        }

        /// The index to walk along: one that has all the fields in question, so that no document need be read, or else the first one
        /// that leads with the key.
        fn index(&self) -> Option<Document> {
            let key = path::<P>();
            let mut fields = vec![key.clone()];
            for accumulator in self.totals.values().filter_map(Bson::as_document) {
                totals::fields(accumulator, &mut fields);
            }
            let all = definitions(M::model_meta());
            let leads = all.iter().filter(|index| {
                let mut keys = asked_keys(M::model_meta(), index);
                index.is_plain() && keys.next().is_some_and(|(path, _)| *path == key)
            });
            let leads: Vec<_> = leads.collect();
            let covers = leads.iter().find(|index| {
                fields
                    .iter()
                    .all(|field| index.keys.iter().any(|(path, _)| path == field))
            });
            let index = covers.or(leads.first())?;
            index.spec().get_document("key").cloned().ok()
        }

        async fn send<R>(mut self, mut make: impl FnMut(K, V::Values) -> R) -> Result<Vec<R>> {
            if self.find.limit == Some(0) {
                return Ok(Vec::new());
            }
            let filter = self.find.take_filter()?;
            refuse_operators(M::model_meta().name, "a grouping", &filter, &NEAR)?;
            let pipeline = self.pipeline(filter);
            let hint = self.index().filter(|_| self.by_index);
            let strings = self.find.strings();
            let rows = driver::group(
                self.find.db,
                M::model_meta().collection,
                pipeline,
                hint,
                strings,
                self.find.options,
                self.find.session,
            );
            let read = |raw: &bson::RawDocument| {
                let model = M::model_meta().name;
                let group = Read { raw, model };
                Ok((group.key::<P, K>()?, V::read(&group)?))
            };
            let found = rows.await?.all(read).await?;
            Ok(found
                .into_iter()
                .map(|(key, totals)| make(key, totals))
                .collect())
        }
    }

    awaits!(['a, M: Model, P: Path<Root = M>, K: Send + 'a, V: Totals + 'a] GroupBy<'a, M, P, K, V> => Vec<Group<K, V::Values>>, self where (P::Codec: Decode<K>) {
        self.send(|key, totals| Group { key, totals }).await
    });

    awaits!(['a, M: Model, P: Path<Root = M>, K: Send + 'a, V: Totals + 'a, R: Send + 'a, F: FnMut(K, V::Values) -> R + Send + 'a] GroupRows<'a, M, P, K, V, F> => Vec<R>, self where (P::Codec: Decode<K>) {
        self.groups.send(self.make).await
    });
}
