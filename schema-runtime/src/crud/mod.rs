//! Finding, storing and deleting documents: the builders that the methods of [`MongoModel`] return.

#[cfg(feature = "driver")]
pub(crate) mod driver;
mod find;
pub(crate) mod guard;
mod page;

pub use self::find::{Count, Find, FindOne, Ids, OneId, Sort};
pub use self::page::{Cursor, Page, Paged};

use std::fmt;
use std::marker::PhantomData;

use bson::{Bson, Document, RawDocumentBuf, doc};

use crate::codec;
use crate::error::{Error, Result};
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
