//! Deleting documents.

use std::fmt;
use std::marker::PhantomData;

use bson::Document;

#[cfg(feature = "driver")]
use crate::bson_util::stored_id::id_in_filter;
#[cfg(feature = "driver")]
use crate::builder::answers;
use crate::builder::settles;
#[cfg(feature = "driver")]
use crate::driver::Strings;
#[cfg(feature = "driver")]
use crate::error::Error;
use crate::error::Result;
use crate::outcome::Pending;
#[cfg(feature = "driver")]
use crate::outcome::deleted::Deleted;
use crate::outcome::deleted::Progress;
use crate::outcome::progress::Listener;
#[cfg(feature = "driver")]
use crate::outcome::progress::Tell;
#[cfg(feature = "driver")]
use crate::propagation::delete::run::{Which, delete};
#[cfg(feature = "driver")]
use crate::propagation::delete::unchecked::delete_unchecked;
use crate::schema::model::Model;
use crate::{ClientSession, Database};

/// The fields that both delete builders share.
struct DeleteRequest<'a> {
    db: &'a Database,
    filter: Result<Document>,
    unchecked: bool,
    listener: Option<Listener<'a>>,
    session: Option<&'a mut ClientSession>,
    notes: Option<&'a mut Vec<Pending>>,
    settled: bool,
}

/// A document about to be deleted.
#[must_use = "nothing is sent before it is awaited"]
pub struct Delete<'a, M> {
    asked: DeleteRequest<'a>,
    model: PhantomData<fn() -> M>,
}

/// Documents about to be deleted.
#[must_use = "nothing is sent before it is awaited"]
pub struct DeleteMany<'a, M> {
    asked: DeleteRequest<'a>,
    model: PhantomData<fn() -> M>,
}

macro_rules! builder {
    ($builder:ident) => {
        impl<M> fmt::Debug for $builder<'_, M> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.debug_struct(stringify!($builder))
                    .field("filter", &self.asked.filter)
                    .finish_non_exhaustive()
            }
        }

        impl<'a, M: Model> $builder<'a, M> {
            pub(crate) fn new(db: &'a Database, filter: Result<Document>, unchecked: bool) -> Self {
                $builder {
                    asked: DeleteRequest {
                        db,
                        filter,
                        unchecked,
                        listener: None,
                        session: None,
                        notes: None,
                        settled: false,
                    },
                    model: PhantomData,
                }
            }

            /// In this session, and in its transaction if one is open. References are looked at and changed inside; the
            /// tombstones of the documents go after the commit, with [`after_commit`](crate::after_commit). Until then nothing
            /// can be stored under their `_id`s.
            pub fn session(mut self, session: &'a mut ClientSession) -> Self {
                self.asked.session = Some(session);
                self
            }

            /// Runs the delete in this transaction, which records the pending changes that have to follow its commit.
            #[cfg(feature = "driver")]
            pub fn within(mut self, tx: &'a mut crate::driver::transaction::Transaction) -> Self {
                let (session, notes) = tx.parts();
                self.asked.session = Some(session);
                self.asked.notes = Some(notes);
                self
            }

            /// Calls the listener with the progress after every command that read, changed or deleted documents: useful for large cascades.
            pub fn progress(mut self, listener: impl FnMut(Progress) + Send + 'a) -> Self {
                self.asked.listener = Some(Box::new(listener));
                self
            }
        }
    };
}

builder!(Delete);
builder!(DeleteMany);
settles!(Delete, asked.settled);
settles!(DeleteMany, asked.settled);

#[cfg(feature = "driver")]
answers!(['a, M: Model] Delete<'a, M> => Deleted, self, self.asked.settled, {
    let DeleteRequest { db, filter, unchecked, listener, session, notes, .. } = self.asked;
    let (meta, filter) = (M::model_meta(), filter?);
    if unchecked {
        let id = id_in_filter(&filter);
        let deleted = delete_unchecked(db, meta, Which::One(filter), session).await?;
        return match deleted {
            0 => Err(Error::NotFound { model: meta.name, id: Box::new(id) }),
            deleted => Ok(Deleted { deleted, ..Deleted::default() }),
        };
    }
    let mut tell = Tell::to(listener);
    Ok(delete(db, meta, Which::One(filter), session, &mut tell).await?.noted(notes))
});

#[cfg(feature = "driver")]
answers!(['a, M: Model] DeleteMany<'a, M> => Deleted, self, self.asked.settled, {
    let DeleteRequest { db, filter, unchecked, listener, session, notes, .. } = self.asked;
    let (meta, filter) = (M::model_meta(), filter?);
    if unchecked {
        let deleted = delete_unchecked(db, meta, Which::Many(filter, Strings::AsCollection), session).await?;
        return Ok(Deleted { deleted, ..Deleted::default() });
    }
    let mut tell = Tell::to(listener);
    Ok(delete(db, meta, Which::Many(filter, Strings::AsCollection), session, &mut tell).await?.noted(notes))
});
