//! Reverse joins: from documents to those that refer to them.

mod each;
mod run;

use std::fmt;
use std::marker::PhantomData;

use bson::{Bson, Document, doc};
use serde::Serialize;

use super::{AsModel, Join, Types};
use crate::builder::{document_scopes, read_options, reads_in_transactions};
use crate::codec;
use crate::document::id::encode_id;
use crate::driver::{ClientSession, Database};
use crate::error::{Error, Result};
use crate::filter::{AskedOf, Countable, Filter, Orders};
use crate::find::fresh::Fresh;
use crate::find::group::{GroupBy, GroupKey};
use crate::find::page::Paged;
use crate::find::{Count, Exists, Find, Ids, IntoSort};
use crate::projection::Borrowed;
use crate::projection::Projected;
use crate::schema::field::place::{Path, path};
use crate::schema::field::{Handles, IntoArg, Refers};
use crate::schema::model::Model;
use crate::schema::rows::FieldRow;
use crate::schema::soft_delete::DocumentScope;
use crate::tenant::{Confined, Wall};

/// A reverse join about to be sent: the documents of `P` that refer to one `M`. `.await` gives a `Vec`.
///
/// `K` is the order that the filter sets by itself, as in a [`Find`]. For a parent with `sort`, they come in that order, ties by `_id`.
#[must_use = "nothing is sent before it is awaited"]
pub struct By<'a, P, M, O = P, K = ()> {
    find: Find<'a, P, O, K>,
    target: PhantomData<fn() -> M>,
}

impl<'a, P: Model, M: Model> By<'a, P, M> {
    /// For the derives: `path` is the stored path of the id.
    #[doc(hidden)]
    pub fn new(db: &'a Database, path: &'static str, id: impl IntoArg<M::DocumentId>) -> Self {
        Self::referring(db, path, encode_id::<M>(&id.into_arg()))
    }

    /// For the derives: as [`new`](By::new), for the memberships in the array `field`, a Rust name.
    #[doc(hidden)]
    pub fn members(db: &'a Database, field: &'static str, id: impl IntoArg<M::DocumentId>) -> Self {
        let row = P::FIELDS.iter().find(|row| row.rust == field);
        let path = row.map_or_else(String::new, |row| match row.relation {
            Some(relation) if relation.entry => format!("{}.{}", row.name, relation.entry_id),
            _ => row.name.to_owned(),
        });
        Self::referring(db, &path, encode_id::<M>(&id.into_arg()))
    }

    /// For the derives: as [`new`](By::new), for a reference by another field of `M` than its `_id`.
    #[doc(hidden)]
    pub fn key<K: Serialize>(db: &'a Database, path: &'static str, key: impl IntoArg<K>) -> Self {
        let key = codec::encode_value(&key.into_arg()).map_err(|source| Error::Encode {
            model: P::model_meta().name,
            field: path.to_owned(),
            source: Box::new(source),
        });
        Self::referring(db, path, key)
    }

    fn referring(db: &'a Database, path: &str, id: Result<Bson>) -> Self {
        let filter = id.map(|id| doc! { path: { "$eq": id } });
        By {
            find: Find::new(db, filter)
                .sorted(generated_order::<P>(path))
                .exactly(),
            target: PhantomData,
        }
    }

    /// [`MongoModel::by`](crate::MongoModel::by): for a field of a variant, the filter also demands that variant.
    pub(crate) fn at<At: Path, W: Refers<Id: Serialize>>(db: &'a Database, key: &W::Id) -> Self {
        let path = path::<At>();
        let key = W::encode(key).map_err(|source| Error::Encode {
            model: P::model_meta().name,
            field: path.clone(),
            source: Box::new(source),
        });
        let mut by = Self::referring(db, &path, key);
        if let Some((tag, value)) = At::SCOPE {
            by.find = by.find.narrowed(Ok(doc! { tag: value }));
        }
        by
    }
}

impl<'a, P: Model, M, K> By<'a, P, M, P, K> {
    /// Reads documents in which no copy is older than the call: see [`Find::fresh`].
    pub fn fresh(self) -> Fresh<'a, P> {
        self.find.fresh()
    }
}

impl<'a, P: Model, M, O, K> By<'a, P, M, O, K> {
    /// Keeps only documents that also meet this filter: see [`Find::filter`].
    pub fn filter<F, S, C>(self, filter: F) -> By<'a, P, M, O, <S as Orders<K>>::Order>
    where
        F: FnOnce(P::FieldHandles) -> Filter<C, S>,
        S: AskedOf<P, C> + Orders<K>,
    {
        By {
            find: self.find.filter(filter),
            target: PhantomData,
        }
    }

    /// Sorts in another order than the reference declares.
    pub fn sort<C, S: IntoSort<P, C>>(mut self, order: impl FnOnce(P::FieldHandles) -> S) -> Self {
        self.find = self.find.sort(order);
        self
    }

    /// Returns at most this many documents. With 0, it returns none and sends nothing.
    pub fn limit(mut self, documents: u64) -> Self {
        self.find = self.find.limit(documents);
        self
    }

    /// Skips this many documents. The server walks over them; [`page`](By::page) does not.
    pub fn skip(mut self, documents: u64) -> Self {
        self.find = self.find.skip(documents);
        self
    }

    /// Counts the documents without loading them, regardless of order, `skip` and `limit`.
    pub fn count(self) -> Count<'a, P>
    where
        K: Countable,
    {
        self.find.count()
    }

    /// Groups the documents by a field, and asks for their totals: see [`Find::group_by`].
    pub fn group_by<G: GroupKey<P>>(
        self,
        key: impl FnOnce(P::FieldHandles) -> G,
    ) -> GroupBy<'a, P, G>
    where
        K: Countable,
    {
        self.find.group_by(key)
    }

    /// Asks if there is such a document: see [`Find::exists`].
    pub fn exists(self) -> Exists<'a, P> {
        self.find.exists()
    }

    /// Returns one page of at most `size` documents: see [`Find::page`].
    pub fn page(self, size: u32) -> Paged<'a, P, O> {
        self.find.page(size)
    }

    /// Reads each document as a projection: see [`Find::project`].
    pub fn project<V: Projected<P>>(self) -> By<'a, P, M, V, K> {
        By {
            find: self.find.project(),
            target: PhantomData,
        }
    }

    /// Reads only the `_id` of each document: see [`Find::ids`].
    pub fn ids(self) -> Ids<'a, P> {
        self.find.ids()
    }
}

impl<'a, P: Model, M, O: Projected<P>, K> By<'a, P, M, O, K> {
    /// Returns the documents as they arrive; memory holds one batch.
    #[track_caller]
    pub fn stream(self) -> impl futures::Stream<Item = Result<O>> + Send + 'a {
        self.find.stream()
    }

    /// Passes each document to `each` as it arrives, as a projection that borrows from the reply: see
    /// [`Find::for_each`].
    #[track_caller]
    pub fn for_each<V: Borrowed<P>>(
        self,
        each: impl for<'d> FnMut(V::Of<'d>),
    ) -> impl Future<Output = Result<u64>> {
        self.find.for_each::<V>(each)
    }

    /// Joins the documents found with others: see [`Find::join`].
    pub fn join<T>(
        self,
        inner: impl for<'x> Fn(&'x Database, &'x [O]) -> Join<'x, 'x, O, T> + Send + Sync + 'a,
    ) -> super::FindJoin<'a, P, O, T> {
        self.find.join(inner)
    }
}

/// The order that a `#[parent(.., sort = ..)]` at this path declares, with the `_id` as tie-break.
fn generated_order<P: Model>(path: &str) -> Option<Document> {
    let fields = P::model_meta().shape.fields;
    let field = path.split('.').next()?;
    let (sort, descending) = fields
        .iter()
        .find(|row| row.name == field)?
        .relation?
        .sort?;
    let stored = fields.iter().find(|row| row.rust == sort)?.name;
    let order = if descending { -1 } else { 1 };
    let mut out = doc! { stored: order };
    out.insert("_id", order);
    Some(out)
}

impl<P: Model, M, O, K> Confined for By<'_, P, M, O, K> {
    fn confined(mut self, wall: &Wall) -> Self {
        self.find = self.find.confined(wall);
        self
    }
}

impl<D, P: Model, M, O> Confined for Join<'_, '_, D, Children<P, M, O>> {
    fn confined(mut self, wall: &Wall) -> Self {
        let filter = self.spec.filter.take().unwrap_or_default();
        let filter = wall.restrict(P::model_meta(), filter);
        self.spec.filter = (!filter.is_empty()).then_some(filter);
        self.because(wall.reason())
    }
}

read_options!(['a, P, M, O, K] By<'a, P, M, O, K>, find.options);
reads_in_transactions!(['a, P, M, O, K] By<'a, P, M, O, K>, find.session);
document_scopes!(['a, P: Model, M, O, K] By<'a, P, M, O, K>, P, find.scope);
document_scopes!(['a, 'd, D, P: Model, M, O] Join<'a, 'd, D, Children<P, M, O>>, P, spec.scope);
document_scopes!(['a, 'd, D, P: Model, M] Join<'a, 'd, D, Counts<P, M>>, P, spec.children.scope);

impl<P, M, O, K> fmt::Debug for By<'_, P, M, O, K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.find.fmt(f)
    }
}

crate::builder::awaits!(['a, P: Model, M, O: Projected<P>, K: 'static] By<'a, P, M, O, K> => Vec<O>, self {
    self.find.await
});

/// A reverse join of many documents of `M`: the documents of `P` that refer to each, read as `O`. Each gets a `Vec`.
pub struct Children<P, M, O = P> {
    path: String,
    /// True if the path leads through arrays, so that a child may have several parents.
    array: bool,
    keys: Result<Vec<Bson>>,
    filter: Option<Document>,
    /// The children that the join sees, where their model has `soft_delete`.
    scope: DocumentScope,
    /// The filter of each document's children, in the order of the documents; none where they have the same.
    each: Vec<Document>,
    sort: Option<Document>,
    skip: u64,
    limit: Option<u64>,
    error: Option<Error>,
    types: Types<(P, M, O)>,
}

/// The number of documents of `P` that refer to each document of `M`.
pub struct Counts<P, M> {
    children: Children<P, M>,
}

impl<P, M, O> fmt::Debug for Children<P, M, O> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Children")
            .field("path", &self.path)
            .field("keys", &self.keys)
            .field("limit", &self.limit)
            .finish_non_exhaustive()
    }
}

impl<P, M> fmt::Debug for Counts<P, M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.children.fmt(f)
    }
}

/// The value that references to this document hold.
fn key_of<M: Model>(document: &M, key: Option<&'static str>) -> Result<Bson> {
    if document.is_unknown() {
        return Err(Error::UnknownVariant {
            model: M::model_meta().name,
        });
    }
    let Some(field) = key else {
        return encode_id::<M>(document.document_id());
    };
    let raw = crate::document::encode_document(document).map_err(|source| Error::Encode {
        model: M::model_meta().name,
        field: field.to_owned(),
        source: Box::new(source),
    })?;
    let row = M::FIELDS.iter().find(|row| row.rust == field);
    let value = row.and_then(|row| raw.get(row.name).ok().flatten());
    Ok(value
        .and_then(|value| Bson::try_from(value).ok())
        .unwrap_or(Bson::Null))
}

impl<'a, 'd, D, P: Model, M: Model> Join<'a, 'd, D, Children<P, M>> {
    /// For the derives: row `at` of `P` refers to `M`.
    #[doc(hidden)]
    pub fn children(db: &'a Database, documents: &'d [D], at: usize) -> Self
    where
        D: AsModel<M>,
    {
        let row: &FieldRow = &P::FIELDS[at];
        let (mut path, relation) = (row.name.to_owned(), row.relation);
        if let Some(relation) = relation.filter(|relation| relation.entry) {
            path = format!("{path}.{}", relation.entry_id);
        }
        let key = relation.and_then(|relation| relation.key);
        let keys = documents
            .iter()
            .map(|document| key_of(document.as_model(), key))
            .collect();
        let spec = Children {
            sort: generated_order::<P>(&path),
            path,
            array: relation.is_some_and(|relation| relation.many),
            keys,
            filter: None,
            scope: DocumentScope::Live,
            each: Vec::new(),
            skip: 0,
            limit: None,
            error: None,
            types: PhantomData,
        };
        Join::new(db, documents, spec)
    }
}

impl<'a, 'd, D, P: Model, M, O> Join<'a, 'd, D, Children<P, M, O>> {
    /// Keeps only children that also meet this filter.
    pub fn filter<S>(self, filter: impl FnOnce(P::FieldHandles) -> Filter<P, S>) -> Self {
        self.with(|mut spec| {
            match filter(P::FieldHandles::VALUE).into_scan() {
                Ok(more) => {
                    spec.filter = Some(match spec.filter.take() {
                        Some(filter) => doc! { "$and": [filter, more] },
                        None => more,
                    });
                }
                Err(error) => drop(spec.error.get_or_insert(error)),
            }
            spec
        })
    }

    /// Keeps only children that meet a filter which depends on the document that they refer to: the messages of each host since its own
    /// last check. Called again, both filters hold.
    ///
    /// Sends a command per 200 documents: an `aggregate` with a `$unionWith` branch for each (MongoDB 4.4); each branch reads its part of
    /// the index `{ reference, sort, _id }`, and no more than a [`limit`](Self::limit) asks for. A filter with `near` or `text` is
    /// [`Error::OperatorRefused`].
    ///
    /// ```
    /// # use bson::DateTime;
    /// # use mongo_model::{Database, Id, MongoModel};
    /// # use serde::{Deserialize, Serialize};
    /// # #[derive(Serialize, Deserialize, MongoModel)]
    /// # #[model(collection = "hosts")]
    /// # pub struct Host { #[serde(rename = "_id")] pub id: Id<Host>, pub checked: DateTime }
    /// # #[derive(Serialize, Deserialize, MongoModel)]
    /// # #[model(collection = "logmsg")]
    /// # pub struct LogMsg {
    /// #     #[serde(rename = "_id")] pub id: Id<LogMsg>,
    /// #     pub time: DateTime,
    /// #     #[parent(Host, sort = -time)] pub host: Id<Host>,
    /// # }
    /// async fn news(db: &Database, hosts: &[Host]) -> mongo_model::Result<()> {
    ///     let many = LogMsg::by_host_many(db, hosts)
    ///         .filter_each(|host, m| m.time.gt(host.checked))
    ///         .limit(10)
    ///         .await?;
    ///     for (host, messages) in &many {
    ///         println!("{:?}: {}", host.id, messages.len());
    ///     }
    ///     Ok(())
    /// }
    /// ```
    pub fn filter_each<S>(self, filter: impl Fn(&M, P::FieldHandles) -> Filter<P, S>) -> Self
    where
        D: AsModel<M>,
    {
        let documents = self.documents.iter().map(AsModel::as_model);
        let each: Result<Vec<Document>> = documents
            .map(|document| filter(document, P::FieldHandles::VALUE).into_scan())
            .collect();
        self.with(|mut spec| {
            match each {
                Ok(each) if spec.each.is_empty() => spec.each = each,
                Ok(each) => {
                    for (filter, more) in spec.each.iter_mut().zip(each) {
                        *filter = doc! { "$and": [filter.clone(), more] };
                    }
                }
                Err(error) => drop(spec.error.get_or_insert(error)),
            }
            spec
        })
    }

    /// Sorts in another order than the reference declares.
    pub fn sort<S: IntoSort<P>>(self, order: impl FnOnce(P::FieldHandles) -> S) -> Self {
        self.with(|mut spec| {
            spec.sort = Some(order(P::FieldHandles::VALUE).into_sort().into_document());
            spec
        })
    }

    /// Returns at most this many children for each document; with 0, nothing is sent. This is still one command (`$lookup` with
    /// an inner pipeline from `$documents`, MongoDB 5.1), which reads no more than that from the index `{ reference,
    /// sort, _id }`. A filter with `near` or `text` is [`Error::OperatorRefused`] then.
    pub fn limit(self, documents: u64) -> Self {
        self.with(|mut spec| {
            spec.limit = Some(documents);
            spec
        })
    }

    /// Skips this many children for each document. The server walks over them.
    pub fn skip(self, documents: u64) -> Self {
        self.with(|mut spec| {
            spec.skip = documents;
            spec
        })
    }

    /// Reads each child as a projection: the server sends its fields, and the reference, which assigns the child to its parent.
    pub fn project<V: Projected<P>>(self) -> Join<'a, 'd, D, Children<P, M, V>> {
        self.with(|spec| Children {
            path: spec.path,
            array: spec.array,
            keys: spec.keys,
            filter: spec.filter,
            scope: spec.scope,
            each: spec.each,
            sort: spec.sort,
            skip: spec.skip,
            limit: spec.limit,
            error: spec.error,
            types: PhantomData,
        })
    }
}

impl<'a, 'd, D, P: Model, M> Join<'a, 'd, D, Children<P, M>> {
    /// Counts the children for each document, 0 included, without loading them, regardless of order, `skip` and `limit`. A
    /// filter with `near` (through an array also one with `text`) is [`Error::OperatorRefused`].
    pub fn count(self) -> Join<'a, 'd, D, Counts<P, M>> {
        self.with(|children| Counts { children })
    }
}
