//! New documents, and documents that are stored as a whole.

use std::fmt;
use std::marker::PhantomData;

use bson::{Bson, RawDocument, doc};
use bson::{Document, RawDocumentBuf};

use crate::bson_util::stored_id::id_in_filter;
use crate::builder::{CallOptions, answers};
use crate::builder::{settles, with_copies, write_options, writes_in_transactions};
use crate::document::documents::{Documents, encoded};
use crate::document::encoding::unencodable;
use crate::document::id::by_id;
use crate::document::shared;
use crate::driver::{ClientSession, Database, Lasting, UpdateArgs, is_duplicate, save_outcome};
use crate::error::Error;
use crate::error::Result;
use crate::graph::relations::Relations;
use crate::index::duplicate;
use crate::outcome::Outcome;
use crate::outcome::Pending;
use crate::propagation::keys;
use crate::schema::model::Model;
use crate::schema::relation::Level;
use crate::schema::stamps::Stamps;
use crate::schema::stored;
use crate::tenant::{Confined, Wall, own_tenant};
use crate::write::cardinality::Many;
use crate::write::job_save;
use crate::write::job_wait::{Ready, start_waits};
use crate::write::send as write;
use crate::write::send::events::Emission;
use crate::write::send::insert::Storing;
use crate::write::send::save::Saving;

/// New documents about to be stored.
#[must_use = "nothing is sent before it is awaited"]
///
/// `N` says how many: [`One`](crate::crud::One) document can be returned, [`Many`] cannot.
pub struct Insert<'a, M, N = Many> {
    pub(super) db: &'a Database,
    pub(super) documents: Result<Documents>,
    pub(super) lazy: Option<bool>,
    pub(super) ready: Option<Ready>,
    pub(super) events: Emission,
    pub(super) session: Option<&'a mut ClientSession>,
    pub(super) notes: Option<&'a mut Vec<Pending>>,
    pub(super) call: CallOptions,
    model: PhantomData<fn() -> (M, N)>,
}

impl<M, N> fmt::Debug for Insert<'_, M, N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Insert")
            .field("documents", &self.documents.as_ref().map(Documents::len))
            .finish_non_exhaustive()
    }
}

impl<'a, M: Model, N> Insert<'a, M, N> {
    /// `many` says that errors name the position of the document that they are about.
    pub(crate) fn new<'d>(
        db: &'a Database,
        documents: impl IntoIterator<Item = &'d M>,
        many: bool,
    ) -> Self {
        let mut encoded = Documents::default();
        let mut documents = documents.into_iter().enumerate();
        let pushed = documents.try_for_each(|(n, document)| {
            let pushed = encoded.push(document);
            pushed.map_err(|error| if many { error.with_position(n) } else { error })
        });
        let pushed = pushed.and_then(|()| encoded.check_versions(M::model_meta()));
        Insert {
            db,
            documents: pushed.map(|()| encoded),
            lazy: None,
            ready: None,
            events: Emission::default(),
            session: None,
            notes: None,
            call: CallOptions::default(),
            model: PhantomData,
        }
    }

    /// If true, the insert only marks the copies in the documents; a [`Sweeper`](crate::Sweeper) or [`recover`](crate::recover)
    /// compares them with their sources later. That is the default above 100 documents with copies; references without copies are read in
    /// the call, each target once. In both cases the copies are read from their
    /// sources before the insert, once per source.
    pub fn lazy(mut self, lazy: bool) -> Self {
        self.lazy = Some(lazy);
        self
    }
}

impl<M: Model, N> Insert<'_, M, N> {
    /// The documents as data, in the form that a journal stores, and when jobs are ready.
    ///
    /// # Errors
    /// [`Error::Impossible`] if something has to follow the insert, or if it is a part of a transaction.
    pub(crate) fn statement(self) -> Result<(Vec<Document>, Option<Ready>)> {
        let (meta, documents) = (M::model_meta(), self.documents?);
        let unfit = |why: &str| {
            let what = format!("a step of a saga that inserts a {}{why}", meta.name);
            Err(Error::Impossible { what })
        };
        if self.session.is_some() {
            return unfit(" in a session");
        }
        if write::is_connected(meta)? || !Relations::get().is_leaf(meta.collection) {
            return unfit(
                ", which refers to other documents, or to which others refer: insert it by itself",
            );
        }
        let documents = documents.iter().map(|raw| {
            let document = Document::try_from(raw);
            document.map_err(|error| unencodable(meta, error))
        });
        Ok((documents.collect::<Result<_>>()?, self.ready))
    }
}

impl<M: Model, N> Confined for Insert<'_, M, N> {
    fn confined(mut self, wall: &Wall) -> Self {
        wall.set_options(&mut self.call);
        self.documents = self.documents.and_then(|documents| {
            for document in documents.iter() {
                own_tenant(wall, M::model_meta(), document)?;
            }
            Ok(documents)
        });
        self
    }
}

impl<M: Model> Confined for Save<'_, M> {
    fn confined(mut self, wall: &Wall) -> Self {
        wall.set_options(&mut self.call);
        self.document = self.document.and_then(|(mut filter, document)| {
            filter.extend(own_tenant(wall, M::model_meta(), &document)?);
            Ok((filter, document))
        });
        self
    }
}

write_options!(Insert<N>, Save);

writes_in_transactions!(Insert<N>);
settles!(Insert<N>, call);

answers!(['a, M: Model, N: 'static] Insert<'a, M, N> => Outcome, self, self.call.clone(), {
    let documents = self.documents?;
    let asked = Inserting { lazy: self.lazy, ready: self.ready, events: self.events };
    insert_all::<M>(self.db, &documents, asked, self.session, self.notes).await
});

/// The options of an insert.
pub(super) struct Inserting {
    pub(super) lazy: Option<bool>,
    pub(super) ready: Option<Ready>,
    pub(super) events: Emission,
}

/// Stores new documents, and starts the wait of jobs.
pub(super) async fn insert_all<M: Model>(
    db: &Database,
    documents: &Documents,
    Inserting {
        lazy,
        ready,
        events,
    }: Inserting,
    mut session: Option<&mut ClientSession>,
    notes: Option<&mut Vec<Pending>>,
) -> Result<Outcome> {
    let meta = M::model_meta();
    let asked = Storing {
        lazy,
        queue: ready.map(Ready::state),
        events: Some(&events),
    };
    let in_session = session.is_some();
    let waiting: Vec<Bson> = match ready {
        Some(Ready::After(_)) => documents
            .iter()
            .map(crate::bson_util::stored_id::id_of)
            .collect(),
        Some(Ready::At(_)) | None => Vec::new(),
    };
    let stored = store::<M>(db, documents, asked, session.as_deref_mut()).await;
    if stored.is_err() && (in_session || documents.len() == 1) {
        return stored;
    }
    // Documents that were stored before an error emit their events all the same.
    let left = Box::pin(events.deliver(db, meta.collection, in_session)).await;
    let mut outcome = stored?;
    outcome.pending.extend(left?);
    let outcome = outcome.noted(notes);
    start_waits(db, meta.collection, &waiting, session).await?;
    Ok(outcome)
}

/// Stores new documents.
pub(crate) async fn store<M: Model>(
    db: &Database,
    documents: &Documents,
    asked: Storing<'_>,
    session: Option<&mut ClientSession>,
) -> Result<Outcome> {
    let meta = M::model_meta();
    let typed = |error, documents: &Documents| {
        let documents: Vec<&RawDocument> = documents.iter().collect();
        duplicate::typed(meta, error, &documents)
    };
    if write::is_connected(meta)? && documents.len() > 0 {
        let owned = documents.iter().map(ToOwned::to_owned).collect();
        // Boxed: a call that stores a document alone does not carry its future along.
        let stored = Box::pin(write::insert(db, meta, owned, asked, session)).await;
        return stored.map_err(|error| typed(error, documents));
    }
    let queued = asked.queue.as_ref().map(|state| {
        let documents = documents.with(stored::OWN_KEY, &doc! { stored::key::JOB: state });
        documents.map_err(|error| unencodable(meta, error))
    });
    let queued = queued.transpose()?;
    let raw: Vec<&RawDocument> = queued.as_ref().unwrap_or(documents).iter().collect();
    let stored = crate::driver::store_new(db, meta, &raw, Lasting::AsConfigured, session).await;
    stored.map_err(|error| typed(error, documents))?;
    Ok(Outcome {
        inserted: documents.len() as u64,
        ..Outcome::default()
    })
}

/// A document about to be stored under its `_id`.
#[must_use = "nothing is sent before it is awaited"]
pub struct Save<'a, M> {
    db: &'a Database,
    pub(super) document: Result<(Document, RawDocumentBuf)>,
    pub(super) events: Emission,
    refresh: bool,
    level: Option<Level>,
    session: Option<&'a mut ClientSession>,
    notes: Option<&'a mut Vec<Pending>>,
    call: CallOptions,
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
            events: Emission::default(),
            refresh: false,
            level: None,
            session: None,
            notes: None,
            call: CallOptions::default(),
            model: PhantomData,
        }
    }
}

writes_in_transactions!(Save);
settles!(Save, call);

with_copies!(Save);

answers!(['a, M: Model] Save<'a, M> => Outcome, self, self.call.clone(), {
    let saved = store_whole(self).await;
    saved.map_err(|error| duplicate::typed(M::model_meta(), error, &[]))
});

async fn store_whole<M: Model>(save: Save<'_, M>) -> Result<Outcome> {
    let Save {
        db,
        document,
        events,
        refresh,
        level,
        mut session,
        notes,
        ..
    } = save;
    let meta = M::model_meta();
    let (mut filter, document) = document?;
    let changed = keys::of_whole(meta);
    let next = |key: &str| Bson::try_from(document.get(key).ok().flatten()?).ok();
    let held = session.as_deref_mut();
    let keys =
        keys::check_unreferenced(db, meta, &filter, &changed, &next, keys::Hold::Needed, held)
            .await?;
    let by_id = filter.clone();
    filter.extend(keys.clone());
    if write::is_connected(meta)? || keys::is_held(&keys) {
        let saving = Saving {
            refresh,
            level,
            swap: None,
            upsert: true,
            migrates: false,
            events: &events,
        };
        let done = write::save(db, meta, filter, &document, saving, session).await;
        let to_the_end = keys::release(db, meta, &by_id, &keys).await?;
        return match done {
            Err(error) if !to_the_end && is_duplicate(&error) => Err(Error::Unsettled {
                model: meta.name,
                id: Box::new(id_in_filter(&by_id)),
            }),
            done => Ok(done?.noted(notes)),
        };
    }
    let waits = write::not_deleted(meta, &mut filter) && session.is_none();
    let mut waited = 0;
    loop {
        let held = session.as_deref_mut();
        let stored = match meta.queue {
            Some(_) => job_save::save(db, meta, filter.clone(), &document, held).await,
            None => replace(db, meta, filter.clone(), &document, held).await,
        };
        // A document that is being deleted is left out by the filter, and is there.
        match stored {
            Err(error) if waits && waited < write::WAITS && is_duplicate(&error) => {
                if !write::finish_blocking_delete(db, meta, &filter).await? {
                    return Err(error);
                }
                waited += 1;
            }
            stored => return stored,
        }
    }
}

/// Stores a document of a model in whose documents the library stores no data of its own.
pub(crate) async fn replace(
    db: &Database,
    meta: &crate::schema::model::ModelMeta,
    filter: Document,
    document: &RawDocumentBuf,
    session: Option<&mut ClientSession>,
) -> Result<Outcome> {
    if let Some(stamps) = Stamps::of(meta) {
        let document = Document::try_from(&**document).map_err(|error| unencodable(meta, error))?;
        let mut args = UpdateArgs::plain(filter, Document::new(), false);
        args.upsert = true;
        args.changes = shared::replacement(meta, &stamps, document, Document::new()).into();
        let result = crate::driver::update(db, meta.collection, args, session).await?;
        return Ok(save_outcome(&result));
    }
    let result = match shared::names(meta) {
        Some(names) => {
            let document =
                Document::try_from(&**document).map_err(|error| unencodable(meta, error))?;
            let changes = shared::operators(&names, document);
            let args = UpdateArgs {
                upsert: true,
                ..UpdateArgs::plain(filter, changes, false)
            };
            crate::driver::update(db, meta.collection, args, session).await?
        }
        None => {
            crate::driver::replace(db, meta.collection, filter, document, true, session).await?
        }
    };
    Ok(save_outcome(&result))
}
