//! Stores many whole documents, each if no other program has changed it since it was read.

use std::fmt;

use bson::Bson;

use super::next;
use super::swap::Swap;
use super::together::{Swapping, Whole, together};
use crate::bson_util::stored_id::id_in_filter;
use crate::builder::{CallOptions, answers};
use crate::document::id::by_id;
use crate::driver::{self, ClientSession, Database};
use crate::error::{Error, Result};
use crate::graph::edges::Edges;
use crate::outcome::Pending;
use crate::propagation::keys;
use crate::schema::model::Model;
use crate::schema::relation::Level;
use crate::schema::tenant::tenant_field;
use crate::schema::version::Versioned;
use crate::tenant::{Confined, Wall, own_tenant};
use crate::write::send as write;
use crate::write::send::events::Emission;

/// The largest number of documents that are sent together, and read together again if one of them was not stored.
const TOGETHER: usize = 1_000;

/// Documents about to be stored, each if no other program has changed it since it was read. `.await` gives a [`SavedMany`].
#[must_use = "nothing is sent before it is awaited"]
pub struct SaveManyIfUnchanged<'a, M> {
    db: &'a Database,
    documents: Vec<&'a mut M>,
    encoded: Result<Vec<Whole>>,
    refresh: bool,
    level: Option<Level>,
    session: Option<&'a mut ClientSession>,
    notes: Option<&'a mut Vec<Pending>>,
    call: CallOptions,
}

impl<M> fmt::Debug for SaveManyIfUnchanged<'_, M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SaveManyIfUnchanged")
            .field("documents", &self.documents.len())
            .finish_non_exhaustive()
    }
}

/// The result of storing several documents together.
#[derive(Debug, Default)]
#[non_exhaustive]
#[must_use = "documents that others have changed are in `unsaved`"]
pub struct SavedMany {
    /// The number of documents that are stored. Their versions were increased, in the program's values and in the database.
    pub saved: u64,
    /// The documents that are not stored, in the order of the input.
    pub unsaved: Vec<Unsaved>,
    /// The pending changes that have to follow the writes; [`recover`](crate::recover) completes them.
    pub pending: Vec<Pending>,
}

impl SavedMany {
    /// Returns `self` if all documents are stored.
    ///
    /// # Errors
    /// The error of the first document in `unsaved`. The documents that are not in `unsaved` are stored all the same.
    pub fn complete(mut self) -> Result<Self> {
        if self.unsaved.is_empty() {
            return Ok(self);
        }
        Err(self.unsaved.swap_remove(0).error)
    }
}

/// A document that was not stored.
#[derive(Debug)]
#[non_exhaustive]
pub struct Unsaved {
    /// The document's position in the input, from 0.
    pub at: usize,
    /// The document's `_id`.
    pub id: Bson,
    /// [`Error::Conflict`] with the document as it is now, [`Error::Gone`], or the error of a rule or of the server.
    pub error: Error,
}

impl<'a, M: Versioned> SaveManyIfUnchanged<'a, M> {
    pub(crate) fn new(db: &'a Database, documents: impl IntoIterator<Item = &'a mut M>) -> Self {
        let mut documents: Vec<&'a mut M> = documents.into_iter().collect();
        let whole = |(n, document): (usize, &mut &'a mut M)| {
            let (raw, version) = next(&mut **document).map_err(|error| error.with_position(n))?;
            let filter = by_id::<M>(document.document_id())?;
            Ok(Whole {
                filter,
                raw,
                version,
            })
        };
        let encoded = documents.iter_mut().enumerate().map(whole).collect();
        SaveManyIfUnchanged {
            db,
            documents,
            encoded,
            refresh: false,
            level: None,
            session: None,
            notes: None,
            call: CallOptions::default(),
        }
    }
}

impl<M: Model> Confined for SaveManyIfUnchanged<'_, M> {
    fn confined(mut self, wall: &Wall) -> Self {
        wall.set_options(&mut self.call);
        self.encoded = self.encoded.and_then(|mut encoded| {
            for whole in &mut encoded {
                whole
                    .filter
                    .extend(own_tenant(wall, M::model_meta(), &whole.raw)?);
            }
            Ok(encoded)
        });
        self
    }
}

crate::builder::writes_in_transactions!(SaveManyIfUnchanged);
crate::builder::with_copies!(SaveManyIfUnchanged);
crate::builder::settles!(SaveManyIfUnchanged, call);
crate::builder::write_options!(SaveManyIfUnchanged);

answers!(['a, M: Versioned] SaveManyIfUnchanged<'a, M> => SavedMany, self, self.call.clone(), {
    let SaveManyIfUnchanged { db, mut documents, encoded, refresh, level, mut session, notes, .. } = self;
    let (meta, encoded) = (M::model_meta(), encoded?);
    // Send one by one if other documents hold data of this model, which has to follow, or in a session: an error ends a transaction.
    let connected = write::is_connected(meta)?;
    let apart = !connected || Edges::get().only_checks(meta.collection);
    // A document that was not stored together with others is read by its `_id` alone, which may belong to another tenant.
    let apart = apart && tenant_field(meta).is_none();
    let alone = session.is_none() && apart && !keys::referenced_by_key(meta);
    let (mut out, none) = (SavedMany::default(), Emission::default());
    for (n, some) in encoded.chunks(TOGETHER).enumerate() {
        let start = n * TOGETHER;
        let (became, mut ended) = match alone {
            true => together(db, meta, connected, some).await?,
            false => (some.iter().map(|_| Swapping::Refused).collect(), None),
        };
        for (at, (whole, became)) in (start..).zip(some.iter().zip(became)) {
            let became = match became {
                Swapping::Stored => Ok(Vec::new()),
                Swapping::Not(error) => Err(error),
                Swapping::Refused if ended.is_none() => {
                    let swap = Swap { db, meta, filter: &whole.filter, version: whole.version, refresh, level, events: &none };
                    swap.send(&whole.raw, session.as_deref_mut()).await.map(|outcome| outcome.pending)
                }
                Swapping::Refused | Swapping::Unknown => continue,
            };
            match became {
                Ok(pending) => {
                    out.saved += 1;
                    out.pending.extend(pending);
                    // The next version fits into the field: that was checked when the document was encoded.
                    documents[at].set_version(whole.version + 1);
                }
                // A batch-wide error, or any driver error in a session, ends the call.
                Err(error) if driver::is_batch_wide(&error) || (session.is_some() && matches!(error, Error::Driver(_) | Error::Duplicate { .. })) => {
                    ended = Some(error);
                }
                Err(error) => out.unsaved.push(Unsaved { at, id: id_in_filter(&whole.filter), error }),
            }
        }
        // The stored documents have their new version by now, so the caller can repeat the call to store the rest.
        if let Some(error) = ended {
            return Err(error);
        }
    }
    if let Some(notes) = notes {
        notes.extend(out.pending.iter().cloned());
    }
    Ok(out)
});
