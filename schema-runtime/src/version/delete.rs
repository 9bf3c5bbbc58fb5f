//! Deletes a document if no other program has changed it since it was read.

use std::fmt;
use std::marker::PhantomData;

use bson::Document;
use bson::RawDocument;

use crate::bson_util::redacted::Redacted;
use crate::bson_util::stored_id::id_in_filter;
use crate::builder::{CallOptions, answers};
use crate::builder::{settles, write_options, writes_in_transactions};
use crate::document::id::by_id;
use crate::driver::{self, ClientSession, Database, FindArgs};
use crate::error::Error;
use crate::error::Result;
use crate::error::conflict::Conflict;
use crate::outcome::Pending;
use crate::outcome::deleted::Deleted;
use crate::outcome::progress::Tell;
use crate::propagation::delete::run::{Which, delete, soft_delete};
use crate::schema::events::Emits;
use crate::schema::model::Model;
use crate::schema::soft_delete::{DocumentScope, deleted_field};
use crate::schema::version::Version;
use crate::schema::version::Versioned;
use crate::tenant::{Confined, Wall, confine};
use crate::write::change::emit::add_event;
use crate::write::send::events::Emission;
use crate::write::send::mark::SoftDelete;

/// The largest number of attempts, if other programs interrupt the delete.
const TRIES: usize = 4;

/// A document about to be deleted if no other program has changed it since it was read. `.await` gives a [`Deleted`](crate::Deleted).
#[must_use = "nothing is sent before it is awaited"]
pub struct DeleteIfUnchanged<'a, M> {
    db: &'a Database,
    filter: Result<Document>,
    events: Emission,
    version: i64,
    session: Option<&'a mut ClientSession>,
    notes: Option<&'a mut Vec<Pending>>,
    call: CallOptions,
    model: PhantomData<fn() -> M>,
}

impl<M> fmt::Debug for DeleteIfUnchanged<'_, M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DeleteIfUnchanged")
            .field("filter", &Redacted(&self.filter))
            .field("version", &self.version)
            .finish_non_exhaustive()
    }
}

impl<'a, M: Versioned> DeleteIfUnchanged<'a, M> {
    pub(crate) fn new(db: &'a Database, document: &M) -> Self {
        DeleteIfUnchanged {
            db,
            filter: by_id::<M>(document.document_id()),
            events: Emission::default(),
            version: document.version(),
            session: None,
            notes: None,
            call: CallOptions::default(),
            model: PhantomData,
        }
    }
}

impl<M: Versioned> DeleteIfUnchanged<'_, M> {
    /// Emits an event with the delete, as [`Delete::emit`](crate::crud::Delete::emit) does. A conflict emits nothing.
    pub fn emit(mut self, event: <M as Emits>::Event) -> Self
    where
        M: Emits,
    {
        self.filter = add_event::<M, _>(&mut self.events, &event, self.filter);
        self
    }
}

impl<M: Model> Confined for DeleteIfUnchanged<'_, M> {
    fn confined(mut self, wall: &Wall) -> Self {
        wall.set_options(&mut self.call);
        self.filter = confine::<M>(wall, self.filter);
        self
    }
}

writes_in_transactions!(DeleteIfUnchanged);
settles!(DeleteIfUnchanged, call);
write_options!(DeleteIfUnchanged);

answers!(['a, M: Versioned] DeleteIfUnchanged<'a, M> => Deleted, self, self.call.clone(), {
    let DeleteIfUnchanged { db, filter, events, version: expected, mut session, notes, .. } = self;
    let (meta, by_id, in_session) = (M::model_meta(), filter?, session.is_some());
    let version = Version::of(meta).ok_or_else(|| super::swap::unversioned(meta))?;
    let live = DocumentScope::Live.restrict(meta, by_id.clone());
    let mut filter = by_id.clone();
    filter.extend(version.is(expected));
    let id = || Box::new(id_in_filter(&by_id));
    for _ in 0..TRIES {
        let which = Which::One(filter.clone(), events.values().to_vec());
        let mut tell = Tell::to(None);
        let held = session.as_deref_mut();
        let deleted = match deleted_field(meta) {
            Some(_) => {
                let marker = SoftDelete { db, meta, events: &events };
                soft_delete(db, meta, which, &marker, held, &mut tell).await
            }
            None => delete(db, meta, which, held, &mut tell).await,
        };
        match deleted {
            Err(Error::NotFound { .. }) => {}
            done => {
                let mut done = done?;
                if deleted_field(meta).is_some() {
                    let left = Box::pin(events.deliver(db, meta.collection, in_session));
                    done.pending.extend(left.await?);
                }
                return Ok(done.noted(notes));
            }
        }
        let own = |raw: &RawDocument| Ok(raw.to_owned());
        let (collection, held) = (meta.collection, session.as_deref_mut());
        let current = driver::first(db, collection, live.clone(), FindArgs::default(), held, own);
        let Some(current) = current.await? else {
            return Err(Error::Gone { model: meta.name, id: id() });
        };
        let same = has_version(&version, expected, &current);
        // If another program began to delete the document and undid that, the document is still as it was read.
        if !same {
            return Err(Conflict::seen(meta, id_in_filter(&by_id), expected, current));
        }
    }
    Err(Error::Unsettled { model: meta.name, id: id() })
});

/// True if the stored document has this version.
fn has_version(version: &Version, expected: i64, current: &RawDocument) -> bool {
    let stored = current.get(version.stored().0).ok().flatten();
    let stored = stored.and_then(|stored| bson::Bson::try_from(stored).ok());
    crate::bson_util::number::integer(stored.as_ref()).unwrap_or(0) == expected
}
