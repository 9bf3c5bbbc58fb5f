//! Finding, storing and deleting documents: the builders that the methods of [`MongoModel`] return.

#[cfg(feature = "driver")]
pub(crate) mod driver;
pub(crate) mod guard;
mod page;

pub use self::page::{Cursor, Page, Paged};

use std::fmt;
use std::marker::PhantomData;

use bson::{Bson, Document, RawDocumentBuf, doc};

use crate::codec;
use crate::error::{Error, Result};
use crate::field::{Field, Handles, Path, path};
use crate::model::{MongoModel, encode_id};
use crate::{ClientSession, Database};

#[cfg(feature = "driver")]
use std::future::{Future, IntoFuture};
#[cfg(feature = "driver")]
use std::pin::Pin;

/// What a builder becomes when it is awaited.
#[cfg(feature = "driver")]
pub type Sent<'a, T> = Pin<Box<dyn Future<Output = Result<T>> + Send + 'a>>;

/// Makes a builder awaitable: `$body` runs when it is.
#[cfg(feature = "driver")]
macro_rules! awaits {
    ([$($generics:tt)*] $builder:ty => $output:ty, $self:ident $body:block) => {
        #[cfg(feature = "driver")]
        impl<$($generics)*> IntoFuture for $builder {
            type Output = Result<$output>;
            type IntoFuture = $crate::crud::Sent<'a, $output>;

            fn into_future($self) -> Self::IntoFuture {
                Box::pin(async move $body)
            }
        }
    };
}
#[cfg(feature = "driver")]
pub(crate) use awaits;

/// How often a write is sent again because others changed the document between its failure and the look at why. Each round
/// needs another writer to have succeeded.
#[cfg(feature = "driver")]
pub(crate) const ROUNDS: usize = 64;

/// The filter for one `_id`. A bare value lets every server go straight to the document; `$eq` stands where a bare value could
/// be taken for operators or for a pattern.
pub(crate) fn by_id<M: MongoModel>(id: &M::Id) -> Result<Document> {
    Ok(match encode_id::<M>(id)? {
        id @ (Bson::Document(_) | Bson::RegularExpression(_)) => doc! { "_id": { "$eq": id } },
        id => doc! { "_id": id },
    })
}

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

/// A `find` about to be sent. `.await` gives a `Vec`, [`stream`](Find::stream) a stream.
#[must_use = "nothing is sent before it is awaited"]
pub struct Find<'a, M> {
    db: &'a Database,
    filter: Result<Document>,
    sort: Option<Document>,
    limit: Option<u64>,
    skip: Option<u64>,
    batch_size: Option<u32>,
    session: Option<&'a mut ClientSession>,
    model: PhantomData<fn() -> M>,
}

impl<M> fmt::Debug for Find<'_, M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Find")
            .field("filter", &self.filter)
            .field("sort", &self.sort)
            .field("limit", &self.limit)
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
            model: PhantomData,
        }
    }

    pub(crate) fn sorted(mut self, sort: Option<Document>) -> Self {
        self.sort = sort;
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
        count
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

    /// How many documents the server sends at a time; by default as many as `limit` asks for, without
    /// a limit 101 first, then as many as fit 16 MiB.
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
    pub fn stream(self) -> impl futures::Stream<Item = Result<M>> + Send + 'a {
        let args = self.args();
        driver::rows(
            self.db,
            M::meta().collection,
            self.filter,
            args,
            self.session,
            driver::decode::<M>,
        )
    }

    #[cfg(feature = "driver")]
    fn args(&self) -> driver::FindArgs {
        driver::FindArgs {
            sort: self.sort.clone(),
            limit: self
                .limit
                .map(|limit| i64::try_from(limit).unwrap_or(i64::MAX)),
            skip: self.skip,
            // What is asked for comes in one reply, if it fits.
            batch_size: self
                .batch_size
                .or_else(|| u32::try_from(self.limit?).ok().filter(|&n| n > 0)),
            projection: None,
        }
    }

    /// Sends the command.
    #[cfg(feature = "driver")]
    pub(crate) async fn open(self) -> Result<(&'a Database, driver::Rows<'a>)> {
        let args = self.args();
        let rows = driver::open(
            self.db,
            M::meta().collection,
            self.filter?,
            args,
            self.session,
        );
        Ok((self.db, rows.await?))
    }
}

#[cfg(feature = "driver")]
awaits!(['a, M: MongoModel] Find<'a, M> => Vec<M>, self {
    futures::TryStreamExt::try_collect(self.stream()).await
});

/// A `find` for one document, about to be sent.
#[must_use = "nothing is sent before it is awaited"]
pub struct FindOne<'a, M> {
    find: Find<'a, M>,
}

impl<M> fmt::Debug for FindOne<'_, M> {
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
awaits!(['a, M: MongoModel] FindOne<'a, M> => Option<M>, self {
    let Find { db, filter, sort, skip, session, .. } = self.find;
    let args = driver::FindArgs { sort, skip, ..driver::FindArgs::default() };
    driver::first(db, M::meta().collection, filter?, args, session, driver::decode::<M>).await
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

/// Encodes a document and checks what can be checked without the server.
fn prepare<M: MongoModel>(document: &M) -> Result<RawDocumentBuf> {
    let meta = M::meta();
    let raw = codec::encode_document(document).map_err(|source| Error::Encode {
        model: meta.name,
        field: "document".to_owned(),
        source: Box::new(source),
    })?;
    guard::document(meta, &raw)?;
    Ok(raw)
}

/// New documents about to be stored.
#[must_use = "nothing is sent before it is awaited"]
pub struct Insert<'a, M> {
    db: &'a Database,
    documents: Result<Vec<RawDocumentBuf>>,
    session: Option<&'a mut ClientSession>,
    model: PhantomData<fn() -> M>,
}

impl<M> fmt::Debug for Insert<'_, M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Insert")
            .field("documents", &self.documents.as_ref().map(Vec::len))
            .finish_non_exhaustive()
    }
}

impl<'a, M: MongoModel> Insert<'a, M> {
    pub(crate) fn new<'d>(db: &'a Database, documents: impl IntoIterator<Item = &'d M>) -> Self {
        let documents = documents.into_iter().map(prepare).collect();
        Insert {
            db,
            documents,
            session: None,
            model: PhantomData,
        }
    }

    /// In this session, and in its transaction if one is open.
    pub fn session(mut self, session: &'a mut ClientSession) -> Self {
        self.session = Some(session);
        self
    }
}

#[cfg(feature = "driver")]
awaits!(['a, M: MongoModel] Insert<'a, M> => (), self {
    driver::insert(self.db, M::meta().collection, self.documents?, self.session).await
});

/// A document about to be stored under its `_id`.
#[must_use = "nothing is sent before it is awaited"]
pub struct Save<'a, M> {
    db: &'a Database,
    document: Result<(Document, RawDocumentBuf)>,
    session: Option<&'a mut ClientSession>,
    model: PhantomData<fn() -> M>,
}

impl<M> fmt::Debug for Save<'_, M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Save")
            .field("filter", &self.document.as_ref().map(|(filter, _)| filter))
            .finish_non_exhaustive()
    }
}

impl<'a, M: MongoModel> Save<'a, M> {
    pub(crate) fn new(db: &'a Database, document: &M) -> Self {
        let document = prepare(document).and_then(|raw| Ok((by_id::<M>(document.id())?, raw)));
        Save {
            db,
            document,
            session: None,
            model: PhantomData,
        }
    }

    /// In this session, and in its transaction if one is open.
    pub fn session(mut self, session: &'a mut ClientSession) -> Self {
        self.session = Some(session);
        self
    }
}

#[cfg(feature = "driver")]
awaits!(['a, M: MongoModel] Save<'a, M> => (), self {
    let meta = M::meta();
    let (filter, document) = self.document?;
    let copies = guard::copies_of(meta, None);
    if copies.is_empty() {
        driver::replace(self.db, meta.collection, filter, &document, true, self.session).await?;
        return Ok(());
    }
    save_source::<M>(self.db, filter, &document, &copies, self.session).await
});

/// Saves a document whose fields other models copy: only while the stored copied fields are what they are here.
#[cfg(feature = "driver")]
async fn save_source<M: MongoModel>(
    db: &Database,
    filter: Document,
    document: &RawDocumentBuf,
    copies: &[(&'static str, String)],
    mut session: Option<&mut ClientSession>,
) -> Result<()> {
    let meta = M::meta();
    let here = |name: &str| {
        let value = document.get(name).ok().flatten()?;
        Bson::try_from(value).ok()
    };
    let stored_name = |field: &str| {
        let row = meta.shape.fields.iter().find(|row| row.rust == field);
        row.map(|row| row.name)
    };
    let mut unchanged = filter.clone();
    for name in copies.iter().filter_map(|(field, _)| stored_name(field)) {
        let same =
            here(name).map_or_else(|| doc! { "$exists": false }, |value| doc! { "$eq": value });
        unchanged.insert(name, same);
    }
    let mut wanted = doc! { "_id": 1 };
    let names = copies.iter().filter_map(|(field, _)| stored_name(field));
    wanted.extend(names.map(|name| (name.to_owned(), Bson::Int32(1))));
    for _ in 0..ROUNDS {
        let replaced = driver::replace(
            db,
            meta.collection,
            unchanged.clone(),
            document,
            false,
            session.as_deref_mut(),
        )
        .await?;
        if replaced.matched_count > 0 {
            return Ok(());
        }
        let args = driver::FindArgs {
            projection: Some(wanted.clone()),
            ..driver::FindArgs::default()
        };
        let found = driver::first(
            db,
            meta.collection,
            filter.clone(),
            args,
            session.as_deref_mut(),
            |raw| Ok(Document::try_from(raw).unwrap_or_default()),
        )
        .await?;
        let Some(found) = found else {
            return driver::insert(db, meta.collection, vec![document.clone()], session).await;
        };
        let changed = copies.iter().find(|(field, _)| {
            stored_name(field).is_some_and(|name| found.get(name).cloned() != here(name))
        });
        if let Some((field, copy)) = changed {
            return Err(guard::stale(meta, field, copy));
        }
        // Another writer stored the document, or put its fields back, between the two commands.
    }
    Err(Error::Unsettled {
        model: meta.name,
        id: Box::new(id_of(&filter)),
    })
}

/// A document about to be deleted.
#[must_use = "nothing is sent before it is awaited"]
pub struct Delete<'a, M> {
    db: &'a Database,
    filter: Result<Document>,
    session: Option<&'a mut ClientSession>,
    model: PhantomData<fn() -> M>,
}

impl<M> fmt::Debug for Delete<'_, M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Delete")
            .field("filter", &self.filter)
            .finish_non_exhaustive()
    }
}

impl<'a, M: MongoModel> Delete<'a, M> {
    pub(crate) fn new(db: &'a Database, filter: Result<Document>) -> Self {
        Delete {
            db,
            filter,
            session: None,
            model: PhantomData,
        }
    }

    /// In this session, and in its transaction if one is open.
    pub fn session(mut self, session: &'a mut ClientSession) -> Self {
        self.session = Some(session);
        self
    }
}

#[cfg(feature = "driver")]
awaits!(['a, M: MongoModel] Delete<'a, M> => (), self {
    let meta = M::meta();
    let filter = self.filter?;
    guard::not_referred_to(meta)?;
    let id = id_of(&filter);
    match driver::delete_one(self.db, meta.collection, filter, self.session).await? {
        0 => Err(Error::NotFound { model: meta.name, id: Box::new(id) }),
        _ => Ok(()),
    }
});

/// The `_id` that a filter by [`by_id`] asks for.
#[cfg(feature = "driver")]
pub(crate) fn id_of(filter: &Document) -> Bson {
    match filter.get("_id") {
        Some(Bson::Document(exactly)) => exactly.get("$eq").cloned().unwrap_or(Bson::Null),
        id => id.cloned().unwrap_or(Bson::Null),
    }
}
