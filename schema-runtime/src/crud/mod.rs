//! Finding, storing and deleting documents: the builders that the methods of [`MongoModel`] return.

mod asked;
mod delete;
#[cfg(feature = "driver")]
pub(crate) mod driver;
mod find;
#[cfg(feature = "driver")]
mod operators;
mod page;
mod variant;

#[doc(hidden)]
pub use self::asked::Asked;
pub use self::delete::{Delete, DeleteMany};
pub use self::find::{Count, Find, FindOne, Ids, OneId, Sort};
#[cfg(feature = "driver")]
pub(crate) use self::operators::{NEAR, NEAR_AND_TEXT, refuse_operators};
pub use self::page::{Cursor, Page, Paged};
#[doc(hidden)]
pub use self::variant::{count_variant, find_variant, get_variant};
#[cfg(feature = "driver")]
use crate::bson_util::stored_id::id_in_filter;
use crate::document::id::by_id;

use std::fmt;
use std::marker::PhantomData;

#[cfg(feature = "driver")]
use bson::Bson;
#[cfg(feature = "driver")]
use bson::RawDocument;
use bson::{Document, RawDocumentBuf, doc};

#[cfg(feature = "driver")]
use crate::crud::driver::{Lasting, UpdateArgs};
use crate::denorm::Pending;
#[cfg(feature = "driver")]
use crate::denorm::write::{Saving, Storing};
#[cfg(feature = "driver")]
use crate::denorm::{Outcome, keys, write};
use crate::document::documents::{Documents, encoded};
#[cfg(feature = "driver")]
use crate::error::Error;
use crate::error::Result;
use crate::schema::model::Model;
use crate::schema::relation::Level;
use crate::{ClientSession, Database, queue};

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

/// The sessions that a write can be made in.
macro_rules! in_sessions {
    ($builder:ident) => {
        impl<'a, M: Model> $builder<'a, M> {
            /// In this session, and in its transaction if one is open. What has to follow waits for
            /// [`after_commit`](crate::after_commit).
            pub fn session(mut self, session: &'a mut ClientSession) -> Self {
                self.session = Some(session);
                self
            }

            /// In this transaction; what has to follow its commit is noted in it.
            #[cfg(feature = "driver")]
            pub fn within(mut self, tx: &'a mut crate::Transaction) -> Self {
                let (session, notes) = tx.parts();
                self.session = Some(session);
                self.notes = Some(notes);
                self
            }
        }
    };
}
pub(crate) use in_sessions;

/// How a builder that stores whole documents is told what becomes of copies.
macro_rules! with_copies {
    ($builder:ident) => {
        impl<M: Model> $builder<'_, M> {
            /// How copies of the document's fields follow, whatever they declare.
            pub fn level(mut self, level: Level) -> Self {
                self.level = Some(level);
                self
            }

            /// Brings every copy in the document to what its source is now, also where the document refers to what it referred to before.
            /// Otherwise such copies are left alone: propagation keeps them right. A `snapshot` stays what it is either way.
            pub fn refresh(mut self) -> Self {
                self.refresh = true;
                self
            }
        }
    };
}
pub(crate) use with_copies;

/// How often a write is sent again because others changed the document between its failure and the look at why. Each round
/// needs another writer to have succeeded.
#[cfg(feature = "driver")]
pub(crate) const ROUNDS: usize = 64;

/// New documents about to be stored.
#[must_use = "nothing is sent before it is awaited"]
pub struct Insert<'a, M> {
    db: &'a Database,
    documents: Result<Documents>,
    lazy: Option<bool>,
    pub(crate) ready: Option<queue::Ready>,
    session: Option<&'a mut ClientSession>,
    notes: Option<&'a mut Vec<Pending>>,
    model: PhantomData<fn() -> M>,
}

impl<M> fmt::Debug for Insert<'_, M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Insert")
            .field("documents", &self.documents.as_ref().map(Documents::len))
            .finish_non_exhaustive()
    }
}

impl<'a, M: Model> Insert<'a, M> {
    pub(crate) fn new<'d>(db: &'a Database, documents: impl IntoIterator<Item = &'d M>) -> Self {
        let mut encoded = Documents::default();
        let mut documents = documents.into_iter();
        let pushed = documents.try_for_each(|document| encoded.push(document));
        Insert {
            db,
            documents: pushed.map(|()| encoded),
            lazy: None,
            ready: None,
            session: None,
            notes: None,
            model: PhantomData,
        }
    }

    /// Whether the copies in the documents are compared with their sources later, by a [`Sweeper`](crate::Sweeper) or
    /// [`recover`](crate::recover), and are only marked now: the default above 100 documents. The copies are read from their
    /// sources before the insert either way, once per source.
    pub fn lazy(mut self, lazy: bool) -> Self {
        self.lazy = Some(lazy);
        self
    }
}

in_sessions!(Insert);

#[cfg(feature = "driver")]
awaits!(['a, M: Model] Insert<'a, M> => Outcome, self {
    let Insert { db, documents, lazy, ready, mut session, notes, .. } = self;
    let meta = M::model_meta();
    let documents = documents?;
    let asked = Storing { lazy, queue: ready.map(queue::Ready::state) };
    let waiting: Vec<Bson> = match ready {
        Some(queue::Ready::After(_)) => documents.iter().map(crate::bson_util::stored_id::id_of).collect(),
        Some(queue::Ready::At(_)) | None => Vec::new(),
    };
    let outcome = if let Some(edges) = write::edges_of(meta)? && documents.len() > 0 {
        let documents = documents.iter().map(ToOwned::to_owned).collect();
        let held = session.as_deref_mut();
        write::insert(db, edges, meta, documents, asked, held).await?.noted(notes)
    } else {
        let inserted = documents.len() as u64;
        let documents = match &asked.queue {
            Some(state) => documents.with(bson::cstr!("_dn"), &doc! { "q": state }),
            None => Ok(documents),
        };
        let documents = documents.map_err(|error| write::unencodable(meta, error))?;
        let documents: Vec<&RawDocument> = documents.iter().collect();
        let lasting = Lasting::AsConfigured;
        driver::insert(db, meta.collection, &documents, lasting, session.as_deref_mut()).await?;
        Outcome { inserted, ..Outcome::default() }
    };
    queue::begin(db, meta.collection, &waiting, session).await?;
    Ok(outcome)
});

/// A document about to be stored under its `_id`.
#[must_use = "nothing is sent before it is awaited"]
pub struct Save<'a, M> {
    db: &'a Database,
    document: Result<(Document, RawDocumentBuf)>,
    refresh: bool,
    level: Option<Level>,
    session: Option<&'a mut ClientSession>,
    notes: Option<&'a mut Vec<Pending>>,
    model: PhantomData<fn() -> M>,
}

impl<M> fmt::Debug for Save<'_, M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Save")
            .field("filter", &self.document.as_ref().map(|(filter, _)| filter))
            .finish_non_exhaustive()
    }
}

impl<'a, M: Model> Save<'a, M> {
    pub(crate) fn new(db: &'a Database, document: &M) -> Self {
        let document =
            encoded(document).and_then(|raw| Ok((by_id::<M>(document.document_id())?, raw)));
        Save {
            db,
            document,
            refresh: false,
            level: None,
            session: None,
            notes: None,
            model: PhantomData,
        }
    }
}

in_sessions!(Save);
with_copies!(Save);

#[cfg(feature = "driver")]
awaits!(['a, M: Model] Save<'a, M> => Outcome, self {
    let Save { db, document, refresh, level, mut session, notes, .. } = self;
    let meta = M::model_meta();
    let (mut filter, document) = document?;
    let changed: Vec<String> = meta.shape.fields.iter().map(|row| row.name.to_owned()).collect();
    let next = |key: &str| Bson::try_from(document.get(key).ok().flatten()?).ok();
    let held = session.as_deref_mut();
    let keys = keys::unreferenced(db, meta, &filter, &changed, &next, keys::Hold::Needed, held).await?;
    let by_id = filter.clone();
    filter.extend(keys.clone());
    if let Some(edges) = write::edges_of(meta)? {
        let saving = Saving { refresh, level, swap: None, upsert: true, migrates: false };
        let done = write::save(db, edges, meta, filter, &document, saving, session).await;
        let to_the_end = keys::release(db, meta, &by_id, &keys).await?;
        return match done {
            Err(error) if !to_the_end && driver::is_duplicate(&error) => {
                Err(Error::Unsettled { model: meta.name, id: Box::new(id_in_filter(&by_id)) })
            }
            done => Ok(done?.noted(notes)),
        };
    }
    let waits = write::not_deleted(meta, &mut filter) && session.is_none();
    let mut waited = 0;
    loop {
        let held = session.as_deref_mut();
        let stored = match meta.queue {
            Some(_) => queue::save(db, meta, filter.clone(), &document, held).await,
            None => replace(db, meta, filter.clone(), &document, held).await,
        };
        // A document that is being deleted is left out by the filter, and is there.
        match stored {
            Err(error) if waits && waited < write::WAITS && driver::is_duplicate(&error) => {
                if !write::helped(db, meta, &filter).await? {
                    return Err(error);
                }
                waited += 1;
            }
            stored => return stored,
        }
    }
});

/// Stores a document of a model that the library keeps nothing in.
#[cfg(feature = "driver")]
async fn replace(
    db: &Database,
    meta: &crate::schema::model::ModelMeta,
    filter: Document,
    document: &RawDocumentBuf,
    session: Option<&mut ClientSession>,
) -> Result<Outcome> {
    let result = match crate::document::shared::names(meta) {
        Some(names) => {
            let document =
                Document::try_from(&**document).map_err(|error| write::unencodable(meta, error))?;
            let changes = crate::document::shared::operators(&names, document);
            let args = UpdateArgs {
                upsert: true,
                ..UpdateArgs::plain(filter, changes, false)
            };
            driver::update(db, meta.collection, args, session).await?
        }
        None => driver::replace(db, meta.collection, filter, document, true, session).await?,
    };
    Ok(Outcome {
        inserted: u64::from(result.upserted_id.is_some()),
        matched: result.matched_count,
        modified: result.modified_count,
        ..Outcome::default()
    })
}
