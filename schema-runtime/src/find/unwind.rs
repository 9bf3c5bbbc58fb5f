//! The items of an array in the documents of a query: each by itself, sorted, or grouped.

use std::fmt;

use bson::{Bson, Document, RawDocument, doc};

use super::group::{GroupBy, GroupKey, ItemsOf, RowsOf};
use super::operators::{NEAR, NEAR_AND_TEXT, refuse_operators};
use super::{Find, IntoSort, Types};
use crate::bson_util::redacted::Redacted;
use crate::builder::{awaits, document_scopes, read_options, reads_in_transactions};
use crate::codec::Decode;
use crate::driver;
use crate::error::Result;
use crate::filter::{ArrayValue, AskedOf, Countable, Filter, has_strings};
use crate::schema::field::place::{OnePlace, Path, path};
use crate::schema::field::{Field, Handles, InDocument};
use crate::schema::model::Model;
use crate::schema::value::Value;
use crate::tenant::{Confined, Wall};

/// The items, of type `T`, of the array at `P` in documents of `M`, which refer as `W` says, about to be asked for. `.await` gives a `Vec` of them.
#[must_use = "nothing is sent before it is awaited"]
pub struct Items<'a, M, P, T, W> {
    find: Find<'a, M>,
    filters: Vec<Document>,
    sort: Option<Document>,
    limit: Option<u64>,
    types: Types<(P, T, W)>,
}

impl<M, P, T, W> fmt::Debug for Items<'_, M, P, T, W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Items")
            .field("find", &self.find)
            .field("filters", &Redacted(&self.filters))
            .field("sort", &self.sort)
            .field("limit", &self.limit)
            .finish_non_exhaustive()
    }
}

/// The handles of an item: itself, and its fields.
type HandlesOf<M, P, T, W> = <ItemsOf<P, T, W> as RowsOf<M>>::Handles;

impl<'a, M: Model, O, K> Find<'a, M, O, K> {
    /// Goes on with the items of an array instead of the documents: `.await` gives them, and [`group_by`](Items::group_by) counts them and adds
    /// them up. Order, `skip` and `limit` before it apply to the documents. A document whose array is empty or absent has no items.
    /// Sends one `aggregate`.
    ///
    /// The filter of the query says which documents are read, [`filter_items`](Items::filter_items) which of their items.
    ///
    /// ```
    /// # use mongo_model::{Database, Id, MongoEmbed, MongoModel, Result};
    /// # use serde::{Deserialize, Serialize};
    /// #[derive(Serialize, Deserialize, MongoEmbed)]
    /// pub struct Line {
    ///     pub sku: String,
    ///     pub qty: i64,
    /// }
    ///
    /// #[derive(Serialize, Deserialize, MongoModel)]
    /// #[model(collection = "orders")]
    /// pub struct Order {
    ///     #[serde(rename = "_id")]
    ///     pub id: Id<Order>,
    ///     #[index]
    ///     pub customer: i64,
    ///     #[embed(max = 20)]
    ///     pub lines: Vec<Line>,
    /// }
    ///
    /// # async fn example(db: &Database) -> Result<()> {
    /// // What a customer has ordered, and how much of it.
    /// let totals = Order::find(db, |o| o.customer.eq(7))
    ///     .unwind(|o| o.lines)
    ///     .group_by(|line| line.sku)
    ///     .count()
    ///     .sum(|line| line.qty)
    ///     .await?;
    /// // The three largest lines.
    /// let lines: Vec<Line> = Order::find(db, |o| o.customer.eq(7))
    ///     .unwind(|o| o.lines)
    ///     .sort(|line| line.qty.desc())
    ///     .limit(3)
    ///     .await?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// When awaited: [`Error::Decode`](crate::Error::Decode) for an item that is not of the type, and the driver's.
    pub fn unwind<P, T, I, W>(
        self,
        array: impl FnOnce(M::FieldHandles) -> Field<P, T, I, W>,
    ) -> Items<'a, M, P, T::Elem, W>
    where
        P: OnePlace + Path<Root = M>,
        T: ArrayValue,
        W: InDocument,
        K: Countable,
    {
        let _ = array(M::FieldHandles::VALUE);
        Items {
            find: self.retyped(),
            filters: Vec::new(),
            sort: None,
            limit: None,
            types: std::marker::PhantomData,
        }
    }
}

impl<'a, M: Model, P: OnePlace + Path<Root = M>, T: Value, W> Items<'a, M, P, T, W> {
    const HANDLES: HandlesOf<M, P, T, W> = <ItemsOf<P, T, W> as RowsOf<M>>::HANDLES;

    /// Leaves out items that do not meet a filter: `.filter_items(|line| line.qty.gt(5))`. Of several calls all filters count.
    ///
    /// # Errors
    /// When awaited: [`Error::OperatorRefused`](crate::Error::OperatorRefused) for `near` and `text`.
    pub fn filter_items<F, S, C>(mut self, filter: F) -> Self
    where
        F: FnOnce(HandlesOf<M, P, T, W>) -> Filter<C, S>,
        S: AskedOf<M, C>,
    {
        let conditions = filter(Self::HANDLES).into_scanned();
        let filter = conditions.and_then(|conditions| {
            let exact = conditions.collation.is_none() && has_strings(&conditions.document);
            self.find.collated(conditions.collation, exact);
            let (model, filter) = (M::model_meta().name, conditions.document);
            refuse_operators(model, "a filter of items", &filter, &NEAR_AND_TEXT)?;
            Ok(filter)
        });
        match filter {
            Ok(filter) => self.filters.push(filter),
            Err(error) => self.find.filter = Err(error),
        }
        self
    }

    /// Sorts the items of all documents: `.sort(|line| line.qty.desc())`.
    pub fn sort<C, S: IntoSort<M, C>>(
        mut self,
        order: impl FnOnce(HandlesOf<M, P, T, W>) -> S,
    ) -> Self {
        let order = order(Self::HANDLES).into_sort();
        for collation in &order.collations {
            self.find.collated(Some(*collation), false);
        }
        self.sort = Some(order.keys());
        self
    }

    /// Takes at most this many items, the first ones of the order. With 0, it takes none.
    pub fn limit(mut self, items: u64) -> Self {
        self.limit = Some(items);
        self
    }

    /// Groups the items by one of their fields, or by themselves (`.unwind(|p| p.tags).group_by(|tag| tag)`), and asks the server for their totals, as
    /// [`Find::group_by`] does with documents.
    ///
    /// # Errors
    /// Those of [`Find::group_by`].
    pub fn group_by<G: GroupKey<M>>(
        mut self,
        key: impl FnOnce(HandlesOf<M, P, T, W>) -> G,
    ) -> GroupBy<'a, M, G, (), ItemsOf<P, T, W>> {
        let stages = self.stages();
        if self.limit == Some(0) {
            self.find.limit = Some(0);
        }
        GroupBy::of_items(self.find, stages, key(Self::HANDLES))
    }

    /// The stages that make items of documents.
    fn stages(&self) -> Vec<Document> {
        let mut stages: Vec<_> = P::SCOPE
            .map(|(tag, value)| doc! { "$match": { tag: value } })
            .into_iter()
            .collect();
        stages.push(doc! { "$unwind": format!("${}", path::<P>()) });
        let filters = self.filters.iter().cloned();
        stages.extend(filters.map(|filter| doc! { "$match": filter }));
        stages.extend(self.sort.clone().map(|sort| doc! { "$sort": sort }));
        let limit = |limit| i64::try_from(limit).unwrap_or(i64::MAX);
        stages.extend(self.limit.map(|items| doc! { "$limit": limit(items) }));
        stages
    }
}

impl<M: Model, P, T, W> Confined for Items<'_, M, P, T, W> {
    fn confined(self, wall: &Wall) -> Self {
        Items {
            find: self.find.confined(wall),
            ..self
        }
    }
}

read_options!(['a, M, P, T, W] Items<'a, M, P, T, W>, find.options);
reads_in_transactions!(['a, M, P, T, W] Items<'a, M, P, T, W>, find.session);
document_scopes!(['a, M: Model, P, T, W] Items<'a, M, P, T, W>, M, find.scope);

/// The name of the item in a row.
const ITEM: &str = "item";

awaits!(['a, M: Model, P: OnePlace + Path<Root = M, Codec: Decode<T>>, T: Value + Send + 'a, W: 'a] Items<'a, M, P, T, W> => Vec<T>, self {
    let mut stages = self.stages();
    stages.push(doc! { "$project": { ITEM: format!("${}", path::<P>()) } });
    let Items { mut find, limit, .. } = self;
    let meta = M::model_meta();
    let filter = find.take_filter()?;
    refuse_operators(meta.name, "items", &filter, &NEAR)?;
    // The server knows no limit of 0.
    if find.limit == Some(0) || limit == Some(0) {
        return Ok(Vec::new());
    }
    let mut pipeline = find.stages(filter, Vec::new());
    pipeline.extend(stages);
    let strings = find.strings();
    let rows = driver::group(find.db, meta.collection, pipeline, None, strings, find.options, find.session);
    let read = |raw: &RawDocument| {
        let item = raw.get(ITEM).ok().flatten();
        let item = item.and_then(|item| Bson::try_from(item).ok()).unwrap_or(Bson::Null);
        super::group::decode::<P, T>(&item).map_err(|error| driver::decode_error(meta.name, raw, error))
    };
    rows.await?.all(read).await
});
