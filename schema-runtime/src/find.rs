//! Finds documents: the filter, the order, and the type that each document is read as.

pub(crate) mod access;
pub(crate) mod fresh;
#[cfg(feature = "driver")]
pub(crate) mod operators;
pub(crate) mod page;
pub(crate) mod variant;

use std::fmt;
use std::marker::PhantomData;

use bson::{Bson, Document, doc};

#[cfg(feature = "driver")]
use super::driver;
#[cfg(feature = "driver")]
use crate::builder::awaits;
use crate::error::Result;
#[cfg(feature = "driver")]
use crate::find::operators::{NEAR, refuse_operators};
#[cfg(feature = "driver")]
use crate::projection::Borrowed;
use crate::projection::{OnlyId, Projected};
use crate::schema::field::place::{Path, path};
use crate::schema::field::{Field, Handles};
use crate::schema::model::Model;
use crate::{ClientSession, Database};

/// An order of results: `|m| m.time.desc()`.
pub struct Sort<M> {
    keys: Vec<(String, i32)>,
    model: PhantomData<fn() -> M>,
}

impl<M> Sort<M> {
    /// Documents that are equal so far in this order.
    #[must_use]
    pub fn then(mut self, next: Sort<M>) -> Self {
        self.keys.extend(next.keys);
        self
    }

    pub(crate) fn into_document(self) -> Document {
        self.keys
            .into_iter()
            .map(|(path, order)| (path, Bson::Int32(order)))
            .collect()
    }
}

impl<M> fmt::Debug for Sort<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Sort").field(&self.keys).finish()
    }
}

impl<P: Path, T: ?Sized, I, W> Field<P, T, I, W> {
    /// Smallest first, in BSON's order.
    #[must_use]
    pub fn asc(self) -> Sort<P::Root> {
        Sort {
            keys: vec![(path::<P>(), 1)],
            model: PhantomData,
        }
    }

    /// Largest first, in BSON's order.
    #[must_use]
    pub fn desc(self) -> Sort<P::Root> {
        Sort {
            keys: vec![(path::<P>(), -1)],
            model: PhantomData,
        }
    }
}

/// A `find` about to be sent; each document is read as `O`. `.await` gives a `Vec`, [`stream`](Find::stream) a stream.
#[must_use = "nothing is sent before it is awaited"]
pub struct Find<'a, M, O = M> {
    pub(crate) db: &'a Database,
    pub(crate) filter: Result<Document>,
    pub(crate) sort: Option<Document>,
    pub(crate) limit: Option<u64>,
    pub(crate) skip: Option<u64>,
    batch_size: Option<u32>,
    /// True if the filter matches one exact id or reference, instead of every value that the collection's collation calls equal.
    pub(crate) exact: bool,
    pub(crate) session: Option<&'a mut ClientSession>,
    /// The access pattern that this query belongs to.
    #[cfg(feature = "driver")]
    pub(crate) pattern: Option<page::index::Pattern>,
    types: PhantomData<fn() -> (M, O)>,
}

impl<M, O> fmt::Debug for Find<'_, M, O> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Find")
            .field("filter", &self.filter)
            .field("sort", &self.sort)
            .field("limit", &self.limit)
            .finish_non_exhaustive()
    }
}

impl<'a, M: Model> Find<'a, M> {
    pub(crate) fn new(db: &'a Database, filter: Result<Document>) -> Self {
        Find {
            db,
            filter,
            sort: None,
            limit: None,
            skip: None,
            batch_size: None,
            exact: false,
            session: None,
            #[cfg(feature = "driver")]
            pattern: None,
            types: PhantomData,
        }
    }
}

impl<'a, M: Model, O> Find<'a, M, O> {
    pub(crate) fn sorted(mut self, sort: Option<Document>) -> Self {
        self.sort = sort;
        self
    }

    #[cfg(feature = "driver")]
    pub(crate) fn of_pattern(mut self, pattern: Option<page::index::Pattern>) -> Self {
        self.pattern = pattern;
        self
    }

    /// Strings in the filter are compared byte by byte, whatever collation the collection has.
    pub(crate) fn exactly(mut self) -> Self {
        self.exact = true;
        self
    }

    /// Only those that also meet `more`.
    pub(crate) fn narrowed(mut self, more: Result<Document>) -> Self {
        self.filter = self
            .filter
            .and_then(|filter| Ok(doc! { "$and": [filter, more?] }));
        self
    }

    /// How many there are of the documents that the filter finds.
    pub(crate) fn into_count(self) -> Count<'a, M> {
        let mut count = Count::new(self.db, self.filter);
        count.find.session = self.session;
        count.find.exact = self.exact;
        count
    }

    /// Sorts in this order. An index whose keys continue with it after the keys of the filter saves the server a sort in memory.
    pub fn sort(mut self, order: impl FnOnce(M::FieldHandles) -> Sort<M>) -> Self {
        self.sort = Some(order(M::FieldHandles::VALUE).into_document());
        self
    }

    /// At most this many documents; 0 means all.
    pub fn limit(mut self, documents: u64) -> Self {
        self.limit = Some(documents);
        self
    }

    /// Skips this many documents. The server walks over them.
    pub fn skip(mut self, documents: u64) -> Self {
        self.skip = Some(documents);
        self
    }

    /// How many documents the server sends at a time; by default as many as `limit` allows, without
    /// a limit 101 first, then as many as fit 16 MiB.
    pub fn batch_size(mut self, documents: u32) -> Self {
        self.batch_size = Some(documents);
        self
    }

    /// Runs in this session, and in its transaction if one is open.
    pub fn session(mut self, session: &'a mut ClientSession) -> Self {
        self.session = Some(session);
        self
    }

    /// Reads each document as a projection, so that the server sends its fields and no others.
    pub fn project<V: Projected<M>>(self) -> Find<'a, M, V> {
        Find {
            db: self.db,
            filter: self.filter,
            sort: self.sort,
            limit: self.limit,
            skip: self.skip,
            batch_size: self.batch_size,
            exact: self.exact,
            session: self.session,
            #[cfg(feature = "driver")]
            pattern: self.pattern,
            types: PhantomData,
        }
    }

    /// Only the `_id` of each document. An index that serves the filter and holds the `_id` (those that references generate do)
    /// answers without reading the documents.
    pub fn ids(self) -> Ids<'a, M> {
        Ids {
            find: self.project(),
        }
    }
}

#[cfg(feature = "driver")]
impl<'a, M: Model, O: Projected<M>> Find<'a, M, O> {
    /// The documents as they arrive; memory holds one batch. Dropping it closes the cursor.
    pub fn stream(self) -> impl futures::Stream<Item = Result<O>> + Send + 'a {
        let args = self.args();
        driver::rows(
            self.db,
            M::model_meta().collection,
            self.filter,
            args,
            self.session,
            driver::decode_as::<M, O>,
        )
    }

    fn args(&self) -> driver::FindArgs {
        self.args_of(crate::projection::versions::asked::<M, O>())
    }

    /// Sends the command; the reply also holds the values at `paths`.
    pub(crate) async fn open(self, paths: &[&str]) -> Result<(&'a Database, driver::Rows<'a>)> {
        let mut args = self.args();
        for path in paths {
            args.projection = args
                .projection
                .map(|projection| crate::projection::with_path(projection, path));
        }
        let rows = driver::open(
            self.db,
            M::model_meta().collection,
            self.filter?,
            args,
            self.session,
        );
        Ok((self.db, rows.await?))
    }
}

#[cfg(feature = "driver")]
impl<'a, M: Model, O> Find<'a, M, O> {
    pub(crate) fn strings(&self) -> driver::Strings {
        if self.exact {
            driver::Strings::Exactly
        } else {
            driver::Strings::AsCollection
        }
    }

    fn args_of(&self, projection: Option<Document>) -> driver::FindArgs {
        driver::FindArgs {
            hint: None,
            reads: driver::Reads::AsConfigured,
            strings: self.strings(),
            sort: self.sort.clone(),
            limit: self
                .limit
                .map(|limit| i64::try_from(limit).unwrap_or(i64::MAX)),
            skip: self.skip,
            // With the batch size equal to the limit, all documents come in one reply if they fit into it.
            batch_size: self
                .batch_size
                .or_else(|| u32::try_from(self.limit?).ok().filter(|&n| n > 0)),
            projection,
        }
    }

    /// Reads each document as `V`, a projection that borrows from the server's reply, and gives it to `each` as it arrives:
    /// text and bytes are not copied, and memory holds one batch. Gives how many documents there were.
    ///
    /// Sends a `find` and as many `getMore` as there are batches; an error of either, or of a document that `V` cannot read,
    /// ends it, after the documents before it were given to `each`.
    ///
    /// ```
    /// # use mongo_model::{Database, Id, MongoModel, MongoProjection, Result};
    /// # use serde::{Deserialize, Serialize};
    /// #[derive(Serialize, Deserialize, MongoModel)]
    /// #[model(collection = "logmsgs")]
    /// pub struct LogMsg {
    ///     #[serde(rename = "_id")]
    ///     pub id: Id<LogMsg>,
    ///     pub message: String,
    ///     pub level: Option<String>,
    /// }
    ///
    /// #[derive(Deserialize, MongoProjection)]
    /// #[projection(of = LogMsg)]
    /// pub struct Line<'a> {
    ///     pub message: &'a str,
    ///     #[serde(borrow)]
    ///     pub level: Option<&'a str>,
    /// }
    ///
    /// # async fn example(db: &Database) -> Result<()> {
    /// let mut bytes = 0;
    /// LogMsg::scan(db, |_| mongo_model::filter::everything())
    ///     .for_each::<Line<'_>>(|line| bytes += line.message.len())
    ///     .await?;
    /// # Ok(())
    /// # }
    /// ```
    pub async fn for_each<V: Borrowed<M>>(
        self,
        mut each: impl for<'d> FnMut(V::Of<'d>),
    ) -> Result<u64> {
        let only_id = V::ROWS.iter().all(|row| row.name == "_id");
        let args = self.args_of(crate::projection::versions::asked_for::<M>(
            V::projection(),
            only_id,
        ));
        let collection = M::model_meta().collection;
        let mut rows = driver::open(self.db, collection, self.filter?, args, self.session).await?;
        let mut count = 0;
        while let Some(mut batch) = rows.batch().await? {
            while let Some(raw) = batch.next() {
                let raw = raw?;
                if let Err(error) = driver::lend_as::<M, V>(raw, only_id, &mut each) {
                    return Err(rows.named(error, raw).await);
                }
                count += 1;
            }
        }
        Ok(count)
    }
}

#[cfg(feature = "driver")]
awaits!(['a, M: Model, O: Projected<M>] Find<'a, M, O> => Vec<O>, self {
    let (_, rows) = self.open(&[]).await?;
    rows.all(driver::decode_as::<M, O>).await
});

/// A `find` for ids, about to be sent. `.await` gives a `Vec`, [`stream`](Ids::stream) a stream.
#[must_use = "nothing is sent before it is awaited"]
pub struct Ids<'a, M: Model> {
    find: Find<'a, M, OnlyId<M>>,
}

impl<M: Model> fmt::Debug for Ids<'_, M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.find.fmt(f)
    }
}

impl<'a, M: Model> Ids<'a, M> {
    /// Sorts in this order, as [`Find::sort`].
    pub fn sort(self, order: impl FnOnce(M::FieldHandles) -> Sort<M>) -> Self {
        Ids {
            find: self.find.sort(order),
        }
    }

    /// At most this many, as [`Find::limit`].
    pub fn limit(self, documents: u64) -> Self {
        Ids {
            find: self.find.limit(documents),
        }
    }

    /// Runs in this session, and in its transaction if one is open.
    pub fn session(self, session: &'a mut ClientSession) -> Self {
        Ids {
            find: self.find.session(session),
        }
    }
}

#[cfg(feature = "driver")]
impl<'a, M: Model> Ids<'a, M> {
    /// The ids as they arrive; memory holds one batch. Dropping it closes the cursor.
    pub fn stream(self) -> impl futures::Stream<Item = Result<M::DocumentId>> + Send + 'a {
        futures::TryStreamExt::map_ok(self.find.stream(), |found| found.id)
    }
}

#[cfg(feature = "driver")]
awaits!(['a, M: Model] Ids<'a, M> => Vec<M::DocumentId>, self {
    futures::TryStreamExt::try_collect(self.stream()).await
});

/// A `find` for one document, about to be sent.
#[must_use = "nothing is sent before it is awaited"]
pub struct FindOne<'a, M, O = M> {
    find: Find<'a, M, O>,
}

impl<M, O> fmt::Debug for FindOne<'_, M, O> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.find.fmt(f)
    }
}

impl<'a, M: Model> FindOne<'a, M> {
    pub(crate) fn new(db: &'a Database, filter: Result<Document>) -> Self {
        FindOne {
            find: Find::new(db, filter),
        }
    }

    /// The document with this `_id`.
    pub(crate) fn by_id(db: &'a Database, filter: Result<Document>) -> Self {
        FindOne {
            find: Find::new(db, filter).exactly(),
        }
    }
}

impl<'a, M: Model, O> FindOne<'a, M, O> {
    /// Reads the document as a projection, so that the server sends its fields and no others.
    pub fn project<V: Projected<M>>(self) -> FindOne<'a, M, V> {
        FindOne {
            find: self.find.project(),
        }
    }

    /// Only the `_id`, as [`Find::ids`].
    pub fn id(self) -> OneId<'a, M> {
        OneId {
            find: self.project(),
        }
    }

    /// The first in this order.
    pub fn sort(self, order: impl FnOnce(M::FieldHandles) -> Sort<M>) -> Self {
        FindOne {
            find: self.find.sort(order),
        }
    }

    /// Skips this many documents.
    pub fn skip(self, documents: u64) -> Self {
        FindOne {
            find: self.find.skip(documents),
        }
    }

    /// Runs in this session, and in its transaction if one is open.
    pub fn session(self, session: &'a mut ClientSession) -> Self {
        FindOne {
            find: self.find.session(session),
        }
    }
}

#[cfg(feature = "driver")]
awaits!(['a, M: Model, O: Projected<M>] FindOne<'a, M, O> => Option<O>, self {
    let strings = self.find.strings();
    let Find { db, filter, sort, skip, session, .. } = self.find;
    let projection = crate::projection::versions::asked::<M, O>();
    let reads = driver::Reads::AsConfigured;
    let args = driver::FindArgs { sort, skip, projection, strings, reads, ..driver::FindArgs::default() };
    driver::first(db, M::model_meta().collection, filter?, args, session, driver::decode_as::<M, O>).await
});

/// A `find` for one id, about to be sent.
#[must_use = "nothing is sent before it is awaited"]
pub struct OneId<'a, M: Model> {
    find: FindOne<'a, M, OnlyId<M>>,
}

impl<M: Model> fmt::Debug for OneId<'_, M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.find.fmt(f)
    }
}

#[cfg(feature = "driver")]
awaits!(['a, M: Model] OneId<'a, M> => Option<M::DocumentId>, self {
    Ok(self.find.await?.map(|found| found.id))
});

/// A count about to be sent.
#[must_use = "nothing is sent before it is awaited"]
pub struct Count<'a, M> {
    find: Find<'a, M>,
}

impl<M> fmt::Debug for Count<'_, M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Count")
            .field("filter", &self.find.filter)
            .finish_non_exhaustive()
    }
}

impl<'a, M: Model> Count<'a, M> {
    pub(crate) fn new(db: &'a Database, filter: Result<Document>) -> Self {
        Count {
            find: Find::new(db, filter),
        }
    }

    /// Counts no further than this, so that "are there more than 100?" reads 101 keys; 0 means all.
    pub fn limit(self, documents: u64) -> Self {
        Count {
            find: self.find.limit(documents),
        }
    }

    /// Runs in this session, and in its transaction if one is open.
    pub fn session(self, session: &'a mut ClientSession) -> Self {
        Count {
            find: self.find.session(session),
        }
    }
}

#[cfg(feature = "driver")]
awaits!(['a, M: Model] Count<'a, M> => u64, self {
    let strings = self.find.strings();
    let Find { db, filter, limit, session, .. } = self.find;
    // The server has no limit of 0 here.
    let limit = limit.filter(|&limit| limit > 0);
    let filter = filter?;
    refuse_operators(M::model_meta().name, "a count", &filter, &NEAR)?;
    let reads = driver::Reads::AsConfigured;
    driver::count(db, M::model_meta().collection, filter, limit, strings, reads, session).await
});
