//! Finding and counting: what is asked, in which order, and as what it comes back.

use std::fmt;
#[cfg(feature = "driver")]
use std::future::IntoFuture;
use std::marker::PhantomData;

use bson::{Bson, Document, RawDocument, doc};
use serde::de::DeserializeOwned;

#[cfg(feature = "driver")]
use super::{awaits, driver};
use crate::codec::{self, CodecError};
use crate::error::{Error, Result};
use crate::field::{Field, Handles, Path, path};
use crate::model::MongoModel;
use crate::projection::Projected;
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

    fn into_document(self) -> Document {
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

/// A `find` about to be sent. `.await` gives a `Vec`, [`stream`](Find::stream) a stream, of `M` or of what
/// [`project`](Find::project) or [`ids`](Find::ids) made of it.
#[must_use = "nothing is sent before it is awaited"]
pub struct Find<'a, M, O = M> {
    db: &'a Database,
    filter: Result<Document>,
    sort: Option<Document>,
    limit: Option<u64>,
    skip: Option<u64>,
    batch_size: Option<u32>,
    session: Option<&'a mut ClientSession>,
    projection: Option<Document>,
    decode: fn(&RawDocument) -> Result<O>,
    model: PhantomData<fn() -> M>,
}

impl<M, O> fmt::Debug for Find<'_, M, O> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Find")
            .field("filter", &self.filter)
            .field("sort", &self.sort)
            .field("limit", &self.limit)
            .field("projection", &self.projection)
            .finish_non_exhaustive()
    }
}

impl<'a, M: MongoModel> Find<'a, M> {
    pub(crate) fn new(db: &'a Database, filter: Result<Document>) -> Self {
        Find {
            db,
            filter,
            sort: None,
            limit: None,
            skip: None,
            batch_size: None,
            session: None,
            projection: None,
            decode: decode::<M, M>,
            model: PhantomData,
        }
    }
}

impl<'a, M: MongoModel, O> Find<'a, M, O> {
    /// The fields of `P` only, a `#[derive(MongoProjection)]` struct: fewer bytes are sent, and an index that holds them all
    /// answers without reading a document.
    ///
    /// # Errors
    /// [`Error::Decode`] names the `_id` only where `P` reads it.
    pub fn project<P: Projected<M>>(self) -> Find<'a, M, P> {
        self.giving(P::projection(), decode::<M, P>)
    }

    /// The ids only: `projection: {_id: 1}`. An index that ends in the `_id` answers without reading a document.
    pub fn ids(self) -> Find<'a, M, M::Id> {
        self.giving(Some(doc! { "_id": 1 }), decode_id::<M>)
    }

    fn giving<P>(
        self,
        projection: Option<Document>,
        decode: fn(&RawDocument) -> Result<P>,
    ) -> Find<'a, M, P> {
        Find {
            db: self.db,
            filter: self.filter,
            sort: self.sort,
            limit: self.limit,
            skip: self.skip,
            batch_size: self.batch_size,
            session: self.session,
            projection,
            decode,
            model: PhantomData,
        }
    }

    pub(crate) fn sorted(mut self, sort: Option<Document>) -> Self {
        self.sort = sort;
        self
    }

    /// In this order. An index whose keys go on with it after the filter's saves the server a sort in memory.
    pub fn sort(mut self, order: impl FnOnce(M::Fields) -> Sort<M>) -> Self {
        self.sort = Some(order(M::Fields::VALUE).into_document());
        self
    }

    /// At most this many documents; 0 means all.
    pub fn limit(mut self, documents: u64) -> Self {
        self.limit = Some(documents);
        self
    }

    /// Without the first so many documents. The server walks over them.
    pub fn skip(mut self, documents: u64) -> Self {
        self.skip = Some(documents);
        self
    }

    /// How many documents the server sends at a time; by default 101 first, then as many as fit 16 MiB.
    pub fn batch_size(mut self, documents: u32) -> Self {
        self.batch_size = Some(documents);
        self
    }

    /// In this session, and in its transaction if one is open.
    pub fn session(mut self, session: &'a mut ClientSession) -> Self {
        self.session = Some(session);
        self
    }

    /// The documents as they arrive; memory holds one batch. Dropping it closes the cursor.
    #[cfg(feature = "driver")]
    pub fn stream(self) -> impl futures::Stream<Item = Result<O>> + Send + 'a
    where
        O: Send + 'a,
    {
        let args = driver::FindArgs {
            sort: self.sort,
            limit: self
                .limit
                .map(|limit| i64::try_from(limit).unwrap_or(i64::MAX)),
            skip: self.skip,
            batch_size: self.batch_size,
            projection: self.projection,
        };
        driver::rows(
            self.db,
            M::meta().collection,
            self.filter,
            args,
            self.session,
            self.decode,
        )
    }
}

#[cfg(feature = "driver")]
awaits!(['a, M: MongoModel, O: Send + 'a] Find<'a, M, O> => Vec<O>, self {
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

impl<'a, M: MongoModel> FindOne<'a, M> {
    pub(crate) fn new(db: &'a Database, filter: Result<Document>) -> Self {
        FindOne {
            find: Find::new(db, filter),
        }
    }
}

impl<'a, M: MongoModel, O> FindOne<'a, M, O> {
    /// The fields of `P` only, as [`Find::project`].
    pub fn project<P: Projected<M>>(self) -> FindOne<'a, M, P> {
        FindOne {
            find: self.find.project(),
        }
    }

    /// The id only, as [`Find::ids`].
    pub fn id(self) -> FindOne<'a, M, M::Id> {
        FindOne {
            find: self.find.ids(),
        }
    }

    /// The first in this order.
    pub fn sort(self, order: impl FnOnce(M::Fields) -> Sort<M>) -> Self {
        FindOne {
            find: self.find.sort(order),
        }
    }

    /// Without the first so many documents.
    pub fn skip(self, documents: u64) -> Self {
        FindOne {
            find: self.find.skip(documents),
        }
    }

    /// In this session, and in its transaction if one is open.
    pub fn session(self, session: &'a mut ClientSession) -> Self {
        FindOne {
            find: self.find.session(session),
        }
    }
}

#[cfg(feature = "driver")]
awaits!(['a, M: MongoModel, O: Send + 'a] FindOne<'a, M, O> => Option<O>, self {
    let Find { db, filter, sort, skip, session, projection, decode, .. } = self.find;
    let args = driver::FindArgs { sort, skip, projection, ..driver::FindArgs::default() };
    driver::first(db, M::meta().collection, filter?, args, session, decode).await
});

/// A count about to be asked for.
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

impl<'a, M: MongoModel> Count<'a, M> {
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

    /// In this session, and in its transaction if one is open.
    pub fn session(self, session: &'a mut ClientSession) -> Self {
        Count {
            find: self.find.session(session),
        }
    }
}

#[cfg(feature = "driver")]
awaits!(['a, M: MongoModel] Count<'a, M> => u64, self {
    let Find { db, filter, limit, session, .. } = self.find;
    // The server has no limit of 0 here.
    let limit = limit.filter(|&limit| limit > 0);
    driver::count(db, M::meta().collection, filter?, limit, session).await
});

/// Decodes a document of `M`, or what was asked of it; an error names its `_id`.
pub(crate) fn decode<M: MongoModel, O: DeserializeOwned>(raw: &RawDocument) -> Result<O> {
    codec::decode_document(raw).map_err(|source| undecodable::<M>(raw, source))
}

/// Decodes the `_id` of a document of `M`.
fn decode_id<M: MongoModel>(raw: &RawDocument) -> Result<M::Id> {
    #[derive(serde::Deserialize)]
    struct OnlyId<I> {
        #[serde(rename = "_id")]
        id: I,
    }
    decode::<M, OnlyId<M::Id>>(raw).map(|only| only.id)
}

fn undecodable<M: MongoModel>(raw: &RawDocument, source: CodecError) -> Error {
    let id = raw
        .get("_id")
        .ok()
        .flatten()
        .and_then(|id| Bson::try_from(id).ok());
    Error::Decode {
        model: M::meta().name,
        id: id.map_or_else(|| "(no _id)".to_owned(), |id| id.to_string()),
        source: Box::new(source),
    }
}
