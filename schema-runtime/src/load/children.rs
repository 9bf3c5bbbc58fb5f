//! Reverse joins: from documents to those that refer to them.

use std::fmt;
use std::marker::PhantomData;

use bson::{Bson, Document, doc};

use super::{AsModel, Join};
use crate::crud::{Count, Find, Ids, Paged, Sort};
use crate::error::{Error, Result};
use crate::field::{Handles, IntoArg};
use crate::filter::Filter;
use crate::model::{FieldRow, MongoModel, encode_id};
use crate::projection::Projected;
use crate::{ClientSession, Database, codec};

/// A reverse join about to be sent: the documents of `P` that refer to one `M`. `.await` gives a `Vec`.
///
/// For a parent with `sort` they come in that order, ties by `_id`, as the generated index holds them.
#[must_use = "nothing is sent before it is awaited"]
pub struct By<'a, P, M, O = P> {
    find: Find<'a, P, O>,
    target: PhantomData<fn() -> M>,
}

impl<'a, P: MongoModel, M: MongoModel> By<'a, P, M> {
    /// For the derives: `path` is the stored path of the id.
    #[doc(hidden)]
    pub fn new(db: &'a Database, path: &'static str, id: impl IntoArg<M::Id>) -> Self {
        let filter = encode_id::<M>(&id.into_arg()).map(|id| doc! { path: { "$eq": id } });
        By {
            find: Find::new(db, filter).sorted(generated_order::<P>(path)),
            target: PhantomData,
        }
    }
}

impl<'a, P: MongoModel, M, O> By<'a, P, M, O> {
    /// Only those that also meet this filter.
    pub fn filter<S>(mut self, filter: impl FnOnce(P::Fields) -> Filter<P, S>) -> Self {
        self.find = self.find.narrowed(filter(P::Fields::VALUE).into_scan());
        self
    }

    /// In another order than the reference declares.
    pub fn sort(mut self, order: impl FnOnce(P::Fields) -> Sort<P>) -> Self {
        self.find = self.find.sort(order);
        self
    }

    /// At most this many documents; 0 means all.
    pub fn limit(mut self, documents: u64) -> Self {
        self.find = self.find.limit(documents);
        self
    }

    /// Without the first so many documents. The server walks over them; [`page`](By::page) does not.
    pub fn skip(mut self, documents: u64) -> Self {
        self.find = self.find.skip(documents);
        self
    }

    /// In this session, and in its transaction if one is open.
    pub fn session(mut self, session: &'a mut ClientSession) -> Self {
        self.find = self.find.session(session);
        self
    }

    /// How many there are, without loading them. Order, `skip` and `limit` do not matter to it.
    pub fn count(self) -> Count<'a, P> {
        self.find.into_count()
    }

    /// One page of at most `size` documents: see [`Find::page`].
    pub fn page(self, size: u32) -> Paged<'a, P, O> {
        self.find.page(size)
    }

    /// Reads each as a projection: see [`Find::project`].
    pub fn project<V: Projected<P>>(self) -> By<'a, P, M, V> {
        By {
            find: self.find.project(),
            target: PhantomData,
        }
    }

    /// Only the `_id` of each: see [`Find::ids`].
    pub fn ids(self) -> Ids<'a, P> {
        self.find.ids()
    }
}

#[cfg(feature = "driver")]
impl<'a, P: MongoModel, M, O: Projected<P>> By<'a, P, M, O> {
    /// The documents as they arrive; memory holds one batch.
    pub fn stream(self) -> impl futures::Stream<Item = Result<O>> + Send + 'a {
        self.find.stream()
    }

    /// Loads on from the documents found: see [`Find::join`].
    pub fn join<T>(
        self,
        inner: impl for<'x> Fn(&'x Database, &'x [O]) -> Join<'x, 'x, O, T> + Send + Sync + 'a,
    ) -> super::FindJoin<'a, P, O, T> {
        self.find.join(inner)
    }
}

/// The order that a `#[parent(.., sort = ..)]` at this path declares, with the `_id` as tie-break.
fn generated_order<P: MongoModel>(path: &str) -> Option<Document> {
    let fields = P::meta().shape.fields;
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

impl<P, M, O> fmt::Debug for By<'_, P, M, O> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.find.fmt(f)
    }
}

#[cfg(feature = "driver")]
crate::crud::awaits!(['a, P: MongoModel, M, O: Projected<P>] By<'a, P, M, O> => Vec<O>, self {
    self.find.await
});

/// A reverse join of many documents of `M`: the documents of `P` that refer to each, read as `O`. Each gets a `Vec`.
pub struct Children<P, M, O = P> {
    path: String,
    /// Whether the path leads through arrays, so that a child may have several parents.
    array: bool,
    keys: Result<Vec<Bson>>,
    filter: Option<Document>,
    sort: Option<Document>,
    skip: u64,
    limit: u64,
    error: Option<Error>,
    types: PhantomData<fn() -> (P, M, O)>,
}

/// How many documents of `P` refer to each document of `M`.
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
fn key_of<M: MongoModel>(document: &M, key: Option<&'static str>) -> Result<Bson> {
    let Some(field) = key else {
        return encode_id::<M>(document.id());
    };
    let raw = codec::encode_document(document).map_err(|source| Error::Encode {
        model: M::meta().name,
        field: field.to_owned(),
        source: Box::new(source),
    })?;
    let row = M::FIELDS.iter().find(|row| row.rust == field);
    let value = row.and_then(|row| raw.get(row.name).ok().flatten());
    Ok(value
        .and_then(|value| Bson::try_from(value).ok())
        .unwrap_or(Bson::Null))
}

impl<'a, 'd, D, P: MongoModel, M: MongoModel> Join<'a, 'd, D, Children<P, M>> {
    /// For the derives: row `at` of `P` refers to `M`.
    #[doc(hidden)]
    pub fn children(db: &'a Database, documents: &'d [D], at: usize) -> Self
    where
        D: AsModel<M>,
    {
        let row: &FieldRow = &P::FIELDS[at];
        let (mut path, relation) = (row.name.to_owned(), row.relation);
        if relation.is_some_and(|relation| relation.entry) {
            path.push_str(".id");
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
            skip: 0,
            limit: 0,
            error: None,
            types: PhantomData,
        };
        Join::new(db, documents, spec)
    }
}

impl<'a, 'd, D, P: MongoModel, M, O> Join<'a, 'd, D, Children<P, M, O>> {
    /// Only those that also meet this filter.
    pub fn filter<S>(self, filter: impl FnOnce(P::Fields) -> Filter<P, S>) -> Self {
        self.with(|mut spec| {
            match filter(P::Fields::VALUE).into_scan() {
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

    /// In another order than the reference declares.
    pub fn sort(self, order: impl FnOnce(P::Fields) -> Sort<P>) -> Self {
        self.with(|mut spec| {
            spec.sort = Some(order(P::Fields::VALUE).into_document());
            spec
        })
    }

    /// At most this many for each document; 0 means all. Still one command (`$lookup` with an inner pipeline from
    /// `$documents`, MongoDB 5.1), which reads no more than that from the index `{ reference, sort, _id }`.
    pub fn limit(self, documents: u64) -> Self {
        self.with(|mut spec| {
            spec.limit = documents;
            spec
        })
    }

    /// Without the first so many of each document. The server walks over them.
    pub fn skip(self, documents: u64) -> Self {
        self.with(|mut spec| {
            spec.skip = documents;
            spec
        })
    }

    /// Reads each as a projection: the server sends its fields, and the reference to tell whose it is.
    pub fn project<V: Projected<P>>(self) -> Join<'a, 'd, D, Children<P, M, V>> {
        self.with(|spec| Children {
            path: spec.path,
            array: spec.array,
            keys: spec.keys,
            filter: spec.filter,
            sort: spec.sort,
            skip: spec.skip,
            limit: spec.limit,
            error: spec.error,
            types: PhantomData,
        })
    }
}

impl<'a, 'd, D, P: MongoModel, M> Join<'a, 'd, D, Children<P, M>> {
    /// How many there are for each document, 0 for none, without loading them. Order, `skip` and `limit` do not matter to it.
    pub fn count(self) -> Join<'a, 'd, D, Counts<P, M>> {
        self.with(|children| Counts { children })
    }
}

#[cfg(feature = "driver")]
mod run {
    use std::collections::HashMap;

    use bson::{RawDocument, RawDocumentBuf};
    use futures::TryStreamExt;

    use super::*;
    use crate::codec::IdKey;
    use crate::crud::Sent;
    use crate::crud::driver::{self, FindArgs};
    use crate::load::{Spec, fetch, ids};
    use crate::model::Holds;
    use crate::projection;

    /// The distinct keys in the chunks that are sent, each with the positions of the documents that have it.
    struct Keys {
        distinct: Vec<Bson>,
        positions: HashMap<IdKey, Vec<usize>>,
    }

    impl Keys {
        fn new(keys: Vec<Bson>) -> Self {
            let mut distinct = Vec::new();
            let mut positions: HashMap<_, Vec<usize>> = HashMap::new();
            for (position, key) in keys.into_iter().enumerate() {
                // A document without the key has no children: null would find everything that refers to nothing.
                if key == Bson::Null {
                    continue;
                }
                let places = positions.entry(IdKey::new(&key)).or_default();
                if places.is_empty() {
                    distinct.push(key);
                }
                places.push(position);
            }
            Keys {
                distinct,
                positions,
            }
        }
    }

    /// The size of a first batch that holds so many rows and closes the cursor; none for "as many as there are".
    fn batch(rows: u64) -> Option<u32> {
        let rows = u32::try_from(rows.saturating_add(1)).ok();
        rows.filter(|&rows| rows > 1)
    }

    /// `$documents` of the keys, each joined by the server with what `pipeline` leaves of its children, one row per child.
    fn lookup(
        collection: &str,
        path: &str,
        keys: &[Bson],
        pipeline: Vec<Document>,
    ) -> Vec<Document> {
        let keys: Vec<Document> = keys
            .iter()
            // A key is data: without `$literal` a string could name a field.
            .map(|key| doc! { "k": { "$literal": key.clone() } })
            .collect();
        let join = doc! { "from": collection, "localField": "k", "foreignField": path, "pipeline": pipeline, "as": "c" };
        // The server unwinds while it joins, so no array of children is ever built.
        vec![
            doc! { "$documents": keys },
            doc! { "$lookup": join },
            doc! { "$unwind": "$c" },
        ]
    }

    impl<P: MongoModel, M, O> Children<P, M, O> {
        fn matching(&self, keys: &[Bson]) -> Document {
            let mine = doc! { &self.path: { "$in": keys } };
            match &self.filter {
                Some(filter) => doc! { "$and": [mine, filter.clone()] },
                None => mine,
            }
        }

        fn filter_stage(&self) -> Option<Document> {
            let filter = self.filter.as_ref()?;
            Some(doc! { "$match": filter.clone() })
        }
    }

    impl<P: MongoModel, M, O: Projected<P>> Children<P, M, O> {
        /// All children of these keys, whoever's they are.
        async fn all(
            &self,
            db: &Database,
            keys: Vec<Bson>,
            session: Option<&mut ClientSession>,
            mut found: impl FnMut(RawDocumentBuf, &[Bson]) -> Result<()>,
        ) -> Result<()> {
            // In the order of the index, one parent after the other: no sort in memory. Through an array that is no order.
            let sort = self.sort.as_ref().map(|sort| {
                let mut all = Document::new();
                if !self.array {
                    all.insert(self.path.clone(), 1);
                }
                all.extend(sort.clone());
                all
            });
            let args = FindArgs {
                sort,
                projection: O::projection()
                    .map(|projection| projection::with_path(projection, &self.path)),
                ..FindArgs::default()
            };
            let filter = Ok(self.matching(&keys));
            let collection = P::meta().collection;
            let rows = driver::rows(db, collection, filter, args, session, |raw| {
                Ok(raw.to_owned())
            });
            let mut rows = std::pin::pin!(rows);
            let steps: Vec<&str> = self.path.split('.').collect();
            while let Some(raw) = rows.try_next().await? {
                let mut parents = Vec::new();
                ids::at_path(&raw, &steps, Holds::Ids, &mut parents);
                found(raw, &parents)?;
            }
            Ok(())
        }

        /// The first children of each key.
        async fn some(
            &self,
            db: &Database,
            keys: Vec<Bson>,
            session: Option<&mut ClientSession>,
            mut found: impl FnMut(&RawDocument, Bson) -> Result<()>,
        ) -> Result<()> {
            let skip = i64::try_from(self.skip).unwrap_or(i64::MAX);
            let limit = i64::try_from(self.limit).unwrap_or(i64::MAX);
            let pipeline = [
                self.filter_stage(),
                self.sort.clone().map(|sort| doc! { "$sort": sort }),
                (skip > 0).then(|| doc! { "$skip": skip }),
                (limit > 0).then(|| doc! { "$limit": limit }),
                O::projection().map(|projection| doc! { "$project": projection }),
            ];
            let pipeline = pipeline.into_iter().flatten().collect();
            let pipeline = lookup(P::meta().collection, &self.path, &keys, pipeline);
            let most = u64::try_from(keys.len()).unwrap_or(u64::MAX);
            let batch_size = batch(most.saturating_mul(self.limit));
            let rows = driver::aggregate(db, None, pipeline, batch_size, session, |raw| {
                Ok(raw.to_owned())
            });
            let mut rows = std::pin::pin!(rows);
            while let Some(row) = rows.try_next().await? {
                let key = row.get("k").ok().flatten();
                let key = key.and_then(|key| Bson::try_from(key).ok());
                if let (Some(key), Ok(child)) = (key, row.get_document("c")) {
                    found(child, key)?;
                }
            }
            Ok(())
        }
    }

    impl<P, M, O> Spec for Children<P, M, O>
    where
        P: MongoModel,
        M: MongoModel,
        O: Projected<P>,
    {
        type Loaded = Vec<O>;

        fn run<'x>(
            mut self,
            db: &'x Database,
            mut session: Option<&'x mut ClientSession>,
        ) -> Sent<'x, Vec<Vec<O>>>
        where
            Self: 'x,
        {
            let keys = std::mem::replace(&mut self.keys, Ok(Vec::new()));
            Box::pin(async move {
                if let Some(error) = self.error.take() {
                    return Err(error);
                }
                let keys = keys?;
                let mut groups: Vec<Vec<O>> = keys.iter().map(|_| Vec::new()).collect();
                let keys = Keys::new(keys);
                for chunk in fetch::key_chunks(&keys.distinct) {
                    let session = session.as_deref_mut();
                    if self.limit > 0 || self.skip > 0 {
                        let found = |child: &RawDocument, key: Bson| {
                            for &n in keys.positions.get(&IdKey::new(&key)).into_iter().flatten() {
                                groups[n].push(driver::decode_as::<P, O>(child)?);
                            }
                            Ok(())
                        };
                        self.some(db, chunk, session, found).await?;
                    } else {
                        let asked: std::collections::HashSet<_> =
                            chunk.iter().map(IdKey::new).collect();
                        let found = |child: RawDocumentBuf, parents: &[Bson]| {
                            let mut of: Vec<IdKey> = parents.iter().map(IdKey::new).collect();
                            of.retain(|key| asked.contains(key));
                            // A child that refers to the same parent twice is one child.
                            let mut seen = std::collections::HashSet::new();
                            for key in of.iter().filter(|key| seen.insert(*key)) {
                                for &n in keys.positions.get(key).into_iter().flatten() {
                                    groups[n].push(driver::decode_as::<P, O>(&child)?);
                                }
                            }
                            Ok(())
                        };
                        self.all(db, chunk, session, found).await?;
                    }
                }
                Ok(groups)
            })
        }
    }

    impl<P: MongoModel, M: MongoModel> Spec for Counts<P, M> {
        type Loaded = u64;

        fn run<'x>(
            self,
            db: &'x Database,
            mut session: Option<&'x mut ClientSession>,
        ) -> Sent<'x, Vec<u64>>
        where
            Self: 'x,
        {
            let mut children = self.children;
            let keys = std::mem::replace(&mut children.keys, Ok(Vec::new()));
            Box::pin(async move {
                if let Some(error) = children.error.take() {
                    return Err(error);
                }
                let keys = keys?;
                let mut counts = vec![0; keys.len()];
                let keys = Keys::new(keys);
                for chunk in fetch::key_chunks(&keys.distinct) {
                    let (collection, pipeline) = if children.array {
                        // A child counts once for each of its parents.
                        let mut inner: Vec<_> = children.filter_stage().into_iter().collect();
                        inner.push(doc! { "$count": "n" });
                        let mut pipeline =
                            lookup(P::meta().collection, &children.path, &chunk, inner);
                        pipeline.push(doc! { "$project": { "k": 1, "n": "$c.n" } });
                        (None, pipeline)
                    } else {
                        let group =
                            doc! { "_id": format!("${}", children.path), "n": { "$sum": 1 } };
                        let pipeline = vec![
                            doc! { "$match": children.matching(&chunk) },
                            doc! { "$group": group },
                            doc! { "$project": { "_id": 0, "k": "$_id", "n": 1 } },
                        ];
                        (Some(P::meta().collection), pipeline)
                    };
                    let session = session.as_deref_mut();
                    let batch_size = batch(u64::try_from(chunk.len()).unwrap_or(u64::MAX));
                    let rows =
                        driver::aggregate(db, collection, pipeline, batch_size, session, |raw| {
                            Ok(Document::try_from(raw).unwrap_or_default())
                        });
                    let mut rows = std::pin::pin!(rows);
                    while let Some(row) = rows.try_next().await? {
                        let count = match row.get("n") {
                            Some(Bson::Int32(n)) => u64::try_from(*n).unwrap_or(0),
                            Some(Bson::Int64(n)) => u64::try_from(*n).unwrap_or(0),
                            _ => 0,
                        };
                        let key = row.get("k").map(IdKey::new);
                        for &n in key
                            .iter()
                            .filter_map(|key| keys.positions.get(key))
                            .flatten()
                        {
                            counts[n] = count;
                        }
                    }
                }
                Ok(counts)
            })
        }
    }
}
