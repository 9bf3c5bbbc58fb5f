//! Deleting documents.

use std::fmt;
use std::marker::PhantomData;

use bson::Document;

use crate::bson_util::redacted::Redacted;
use crate::bson_util::stored_id::id_in_filter;
use crate::builder::answers;
use crate::builder::{settles, write_hint, write_options};
use crate::driver::{ClientSession, Database, Strings};
use crate::error::Error;
use crate::error::Result;
use crate::outcome::Pending;
use crate::outcome::deleted::Deleted;
use crate::outcome::deleted::Progress;
use crate::outcome::progress::Listener;
use crate::outcome::progress::Tell;
use crate::propagation::delete::run::{Marked, Marker, Which, delete, soft_delete};
use crate::propagation::delete::unchecked::delete_unchecked;
use crate::schema::model::Model;
use crate::schema::model::ModelMeta;
use crate::schema::soft_delete::DocumentScope;
use crate::schema::soft_delete::deleted_field;
use crate::tenant::{Confined, Wall, confine};
use crate::write::cardinality::{Cardinality, Many, One};
use crate::write::send::mark::SoftDelete;

/// How documents are deleted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum How {
    /// As the model says: with all delete rules, or only marked as deleted.
    Declared,
    /// Without a look at the references.
    Unchecked,
    /// Documents that are marked as deleted are removed, with all delete rules.
    Purge,
}

/// Documents about to be deleted; `N` says how many.
#[must_use = "nothing is sent before it is awaited"]
pub struct Delete<'a, M, N = One> {
    db: &'a Database,
    filter: Result<Document>,
    how: How,
    listener: Option<Listener<'a>>,
    session: Option<&'a mut ClientSession>,
    notes: Option<&'a mut Vec<Pending>>,
    settled: bool,
    model: PhantomData<fn() -> (M, N)>,
}

/// The documents of a filter, about to be deleted.
pub type DeleteMany<'a, M> = Delete<'a, M, Many>;

impl<M, N: Cardinality> fmt::Debug for Delete<'_, M, N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = if N::MANY { "DeleteMany" } else { "Delete" };
        f.debug_struct(name)
            .field("filter", &Redacted(&self.filter))
            .finish_non_exhaustive()
    }
}

impl<'a, M: Model, N> Delete<'a, M, N> {
    pub(crate) fn new(db: &'a Database, filter: Result<Document>, how: How) -> Self {
        let meta = M::model_meta();
        let filter = match how {
            How::Purge => filter.map(|filter| DocumentScope::OnlyDeleted.restrict(meta, filter)),
            How::Declared | How::Unchecked => filter,
        };
        Delete {
            db,
            filter,
            how,
            listener: None,
            session: None,
            notes: None,
            settled: false,
            model: PhantomData,
        }
    }

    /// Runs in this session, and in its transaction if one is open. References are checked and changed inside it; the
    /// tombstones of the documents are removed after the commit, with [`after_commit`](crate::after_commit). Until then
    /// nothing can be stored under their `_id`s.
    pub fn session(mut self, session: &'a mut ClientSession) -> Self {
        self.session = Some(session);
        self
    }

    /// Runs the delete in this transaction, which records the pending changes that have to follow its commit.
    pub fn within(mut self, tx: &'a mut crate::driver::transaction::Transaction) -> Self {
        let (session, notes) = tx.parts();
        self.session = Some(session);
        self.notes = Some(notes);
        self
    }

    /// Calls the listener with the progress after every command that read, changed or deleted documents: useful for large cascades.
    pub fn progress(mut self, listener: impl FnMut(Progress) + Send + 'a) -> Self {
        self.listener = Some(Box::new(listener));
        self
    }
}

impl<M: Model, N> Confined for Delete<'_, M, N> {
    fn confined(mut self, wall: &Wall) -> Self {
        self.filter = confine::<M>(wall, self.filter);
        self
    }
}

settles!(Delete<N>, settled);
write_options!(Delete<N>);
write_hint!(DeleteMany);

answers!(['a, M: Model, N: Cardinality] Delete<'a, M, N> => Deleted, self, self.settled, {
    let Delete { db, filter, how, listener, session, notes, .. } = self;
    let (meta, filter) = (M::model_meta(), filter?);
    let which = match N::MANY {
        true => Which::Many(filter, Strings::AsCollection),
        false => Which::One(filter),
    };
    let deleted = send(db, meta, (which, how), listener, session).await?;
    Ok(deleted.noted(notes))
});

/// Sends a delete.
async fn send(
    db: &Database,
    meta: &'static ModelMeta,
    (which, how): (Which, How),
    listener: Option<Listener<'_>>,
    session: Option<&mut ClientSession>,
) -> Result<Deleted> {
    let mut tell = Tell::to(listener);
    let is_soft = deleted_field(meta).is_some();
    match how {
        How::Unchecked if is_soft => mark_unchecked(db, meta, which, session).await,
        How::Unchecked => remove_unchecked(db, meta, which, session).await,
        How::Declared if is_soft => {
            let marker = SoftDelete { db, meta };
            soft_delete(db, meta, which, &marker, session, &mut tell).await
        }
        How::Declared | How::Purge => delete(db, meta, which, session, &mut tell).await,
    }
}

/// Marks live documents as deleted without a look at the references to them.
async fn mark_unchecked(
    db: &Database,
    meta: &'static ModelMeta,
    which: Which,
    session: Option<&mut ClientSession>,
) -> Result<Deleted> {
    let (filter, which, id) = match which {
        Which::One(filter) => {
            let id = id_in_filter(&filter);
            (filter, Marked::One, Some(id))
        }
        Which::Many(filter, strings) => (filter, Marked::Many(strings), None),
    };
    let filter = DocumentScope::Live.restrict(meta, filter);
    let marked = SoftDelete { db, meta }.mark(filter, which, session).await?;
    match id {
        Some(id) if marked.deleted == 0 => Err(Error::NotFound {
            model: meta.name,
            id: Box::new(id),
        }),
        _ => Ok(marked),
    }
}

/// Removes documents without a look at the references to them.
async fn remove_unchecked(
    db: &Database,
    meta: &'static ModelMeta,
    which: Which,
    session: Option<&mut ClientSession>,
) -> Result<Deleted> {
    let id = match &which {
        Which::One(filter) => Some(id_in_filter(filter)),
        Which::Many(..) => None,
    };
    match (delete_unchecked(db, meta, which, session).await?, id) {
        (0, Some(id)) => Err(Error::NotFound {
            model: meta.name,
            id: Box::new(id),
        }),
        (deleted, _) => Ok(Deleted {
            deleted,
            ..Deleted::default()
        }),
    }
}
