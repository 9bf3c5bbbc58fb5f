//! Deleting documents.

use std::fmt;
use std::marker::PhantomData;

use bson::Document;

use crate::bson_util::redacted::Redacted;
use crate::bson_util::stored_id::id_in_filter;
use crate::builder::{CallOptions, answers};
use crate::builder::{settles, write_hint, write_options, writes_in_transactions};
use crate::driver::{ClientSession, Database, Strings};
use crate::error::Error;
use crate::error::Result;
use crate::outcome::Pending;
use crate::outcome::deleted::Deleted;
use crate::outcome::deleted::Progress;
use crate::outcome::progress::Listener;
use crate::outcome::progress::Tell;
use crate::propagation::delete::run::{Marked, Marker, Which, delete, soft_delete};
use crate::propagation::delete::without_rules::delete_without_rules;
use crate::schema::model::Model;
use crate::schema::model::ModelMeta;
use crate::schema::soft_delete::DocumentScope;
use crate::schema::soft_delete::deleted_field;
use crate::tenant::{Confined, Wall, confine};
use crate::write::cardinality::{Cardinality, Many, One};
use crate::write::send::events::{Emission, deliver_after};
use crate::write::send::mark::SoftDelete;

/// The kinds of deletes, by the documents that they find and by what they do with them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum DeleteKind {
    /// Live documents are removed, or only marked as deleted, as the model says.
    Declared,
    /// Documents that are marked as deleted are removed.
    Purge,
}

/// Documents about to be deleted; `N` says how many.
#[must_use = "nothing is sent before it is awaited"]
pub struct Delete<'a, M, N = One> {
    db: &'a Database,
    pub(super) filter: Result<Document>,
    pub(super) events: Emission,
    kind: DeleteKind,
    applies_rules: bool,
    listener: Option<Listener<'a>>,
    session: Option<&'a mut ClientSession>,
    notes: Option<&'a mut Vec<Pending>>,
    call: CallOptions,
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
    pub(crate) fn new(db: &'a Database, filter: Result<Document>, kind: DeleteKind) -> Self {
        let meta = M::model_meta();
        let filter = match kind {
            DeleteKind::Purge => {
                filter.map(|filter| DocumentScope::OnlyDeleted.restrict(meta, filter))
            }
            DeleteKind::Declared => filter,
        };
        Delete {
            db,
            filter,
            events: Emission::default(),
            kind,
            applies_rules: true,
            listener: None,
            session: None,
            notes: None,
            call: CallOptions::default(),
            model: PhantomData,
        }
    }

    /// Deletes the documents and nothing else: references to them dangle, copies stay as they are. Sends one `delete`.
    /// [`verify`](crate::verify) finds these references and copies, [`repair`](crate::repair) applies their rules to them. With
    /// `soft_delete` the documents are marked by one `update`.
    ///
    /// Copies beside references with `on_delete = deny` are marked, before and after, by one `update` each per
    /// reference, for 5,000 documents at a time: should a document be stored under the same `_id`, these copies are compared with it, by
    /// the insert if the same program sends it (one `find` per reference after the call has returned), else by
    /// [`recover`](crate::recover) or a [`Sweeper`](crate::Sweeper).
    ///
    /// ```no_run
    /// # use mongo_model::*; use mongo_model_guide::shop::*;
    /// # async fn example(db: &Database, id: Id<Part>) -> Result<()> {
    /// Part::delete(db, id).without_rules().await?; // products still refer to it
    /// Part::delete_many(db, |p| p.partno.starts_with("17-")).without_rules().await?;
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// [`Error::NotFound`] for one document, [`Error::MissingIndex`], or the driver's.
    pub fn without_rules(mut self) -> Self {
        self.applies_rules = false;
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
        wall.set_options(&mut self.call);
        self.filter = confine::<M>(wall, self.filter);
        self
    }
}

settles!(Delete<N>, call);
writes_in_transactions!(Delete<N>);
write_options!(Delete<N>);
write_hint!(DeleteMany);

answers!(['a, M: Model, N: Cardinality] Delete<'a, M, N> => Deleted, self, self.call.clone(), {
    let Delete { db, filter, mut events, kind, applies_rules, listener, session, notes, .. } = self;
    let (meta, filter, in_session) = (M::model_meta(), filter?, session.is_some());
    if N::MANY {
        events.by_many();
    }
    let which = match N::MANY {
        true => Which::Many(filter, Strings::AsCollection, events.values().to_vec()),
        false => Which::One(filter, events.values().to_vec()),
    };
    let is_marked = kind == DeleteKind::Declared && deleted_field(meta).is_some();
    if !events.is_empty() && !applies_rules && !is_marked {
        let what = format!("a delete of a {} without rules that emits an event: nothing would hold the event until it is in the log", meta.name);
        return Err(Error::Impossible { what });
    }
    let mut tell = Tell::to(listener);
    let marker = SoftDelete { db, meta, events: &events };
    let deleted = match (applies_rules, is_marked) {
        (false, true) => mark_unchecked(&marker, which, session).await,
        (false, false) => remove_unchecked(db, meta, which, session).await,
        (true, true) => soft_delete(db, meta, which, &marker, session, &mut tell).await,
        (true, false) => delete(db, meta, which, session, &mut tell).await,
    };
    if !is_marked {
        return Ok(deleted?.noted(notes));
    }
    let marked = |deleted: &Deleted| deleted.deleted;
    let (mut deleted, left) = deliver_after(&events, (db, meta.collection), in_session, deleted, marked).await?;
    deleted.pending.extend(left);
    Ok(deleted.noted(notes))
});

/// Marks live documents as deleted without a look at the references to them.
async fn mark_unchecked(
    marker: &SoftDelete<'_>,
    which: Which,
    session: Option<&mut ClientSession>,
) -> Result<Deleted> {
    let (filter, which, id) = match which {
        Which::One(filter, _) => {
            let id = id_in_filter(&filter);
            (filter, Marked::One, Some(id))
        }
        Which::Many(filter, strings, _) => (filter, Marked::Many(strings), None),
    };
    let meta = marker.meta;
    let filter = DocumentScope::Live.restrict(meta, filter);
    let marked = marker.mark(filter, which, session).await?;
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
        Which::One(filter, _) => Some(id_in_filter(filter)),
        Which::Many(..) => None,
    };
    match (delete_without_rules(db, meta, which, session).await?, id) {
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
