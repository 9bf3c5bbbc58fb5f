//! Watches the documents of a model: what is stored, changed and deleted is told as it happens.
//!
//! An event of the server's change stream says which document changed, and at which paths; the document itself is read afterwards, by one
//! `find` for all documents of a reply. So the conditions, the projection, the wall of a tenant and soft deletes are those of every other
//! `find`, and a watch without a change stream differs only in where the ids come from.

mod changes;
mod event;
mod poll;
mod reader;
mod token;

use std::fmt;
use std::time::Duration;

use bson::{Bson, Document};

use self::changes::open;
use crate::builder::{awaits, document_scopes};
use crate::driver::{Database, ReadOptions};
use crate::error::Result;
use crate::error::unread::SkippedDocument;
use crate::filter::{AskedOf, Filter};
use crate::find::Find;
use crate::projection::Projected;
use crate::schema::model::Model;
use crate::tenant::{Confined, Wall};

pub use self::changes::Changes;
pub use self::token::ResumeToken;

/// A change of a document, as [`Changes`] gives it.
#[derive(Debug)]
#[non_exhaustive]
pub enum Change<M: Model, O = M> {
    /// A document was inserted.
    Inserted(O),
    /// A document was changed.
    #[non_exhaustive]
    Updated {
        /// The document as it is now: it may have changed again since, which another item tells.
        document: O,
        /// The stored paths of what changed, without the indexes of arrays; empty if the whole document was replaced, and where the
        /// watch [polls](Changes::is_polling).
        paths: Vec<String>,
        /// True if only fields changed that the library fills, such as copies and counts: another document was written, and this one
        /// followed.
        derived: bool,
    },
    /// A document was changed, and is not among those that are watched now: it does not meet the conditions, or it is marked as deleted.
    /// It may not have been among them before either.
    #[non_exhaustive]
    Left {
        /// The `_id`.
        id: M::DocumentId,
    },
    /// A document was deleted. With conditions, it may not have met them.
    #[non_exhaustive]
    Deleted {
        /// The `_id`.
        id: M::DocumentId,
    },
    /// A document was inserted or changed, and cannot be decoded.
    Undecodable(SkippedDocument),
    /// Changes are missing here: the server does not remember them any more. Read the documents again; every change from now on is told.
    Missed,
    /// The collection was dropped or renamed: all documents are gone.
    Dropped,
}

/// A watch about to begin. `.await` gives [`Changes`].
#[must_use = "nothing is sent before it is awaited"]
pub struct Watch<'a, M, O = M> {
    db: &'a Database,
    find: Find<'a, M, O>,
    /// The condition that the documents belong to a tenant.
    wall: Document,
    id: Result<Option<Bson>>,
    after: Option<ResumeToken>,
    every: Duration,
}

impl<M, O> fmt::Debug for Watch<'_, M, O> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Watch")
            .field("find", &self.find)
            .finish_non_exhaustive()
    }
}

impl<'a, M: Model> Watch<'a, M> {
    pub(crate) fn new(db: &'a Database, id: Result<Option<Bson>>) -> Self {
        Watch {
            db,
            find: Find::new(db, Ok(Document::new())),
            wall: Document::new(),
            id,
            after: None,
            every: Duration::from_secs(1),
        }
    }
}

impl<'a, M: Model, O> Watch<'a, M, O> {
    fn with_find<V>(
        self,
        change: impl FnOnce(Find<'a, M, O>) -> Find<'a, M, V>,
    ) -> Watch<'a, M, V> {
        Watch {
            db: self.db,
            find: change(self.find),
            wall: self.wall,
            id: self.id,
            after: self.after,
            every: self.every,
        }
    }

    /// Watches only documents that meet this filter. A document that is changed so that it may not meet it any more is [`Change::Left`].
    /// No index need serve the filter: the server checks it on the documents that have changed.
    pub fn filter<F, S, C>(self, filter: F) -> Self
    where
        F: FnOnce(M::FieldHandles) -> Filter<C, S>,
        S: AskedOf<M, C>,
    {
        self.with_find(|find| find.filter(filter).retyped())
    }

    /// Reads each document as a projection, so that the server sends its fields and no others.
    pub fn project<V: Projected<M>>(self) -> Watch<'a, M, V> {
        self.with_find(Find::project)
    }

    /// Goes on behind the place that [`Changes::resume_token`] has given, also in another process. If the server does not remember the
    /// changes since then, the first item is [`Change::Missed`].
    pub fn resume_after(mut self, token: ResumeToken) -> Self {
        self.after = Some(token);
        self
    }

    /// Sets how often the documents are compared where the server has no change streams, by default every second.
    pub fn poll_every(mut self, interval: Duration) -> Self {
        self.every = interval;
        self
    }
}

document_scopes!(['a, M: Model, O] Watch<'a, M, O>, M, find.scope);

impl<M: Model, O> Confined for Watch<'_, M, O> {
    fn confined(mut self, wall: &Wall) -> Self {
        self.wall = wall.restrict(M::model_meta(), self.wall);
        self.find.options.reason = wall.reason();
        self
    }
}

awaits!(['a, M: Model, O: Projected<M>] Watch<'a, M, O> => Changes<M, O>, self {
    let Watch { db, mut find, wall, id, after, every } = self;
    find.options = ReadOptions { reason: find.options.reason, ..ReadOptions::from_primary() };
    let reader = reader::Reader::new(db, find, wall, id?)?;
    open(reader, after, every).await
});
