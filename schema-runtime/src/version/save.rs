//! Stores a whole document if no other program has changed it since it was read.

use std::fmt;

use bson::{Document, RawDocumentBuf};

use super::next;
use super::swap::Swap;
use crate::bson_util::redacted::Redacted;
use crate::builder::{CallOptions, answers};
use crate::document::id::by_id;
use crate::driver::{ClientSession, Database};
use crate::error::Result;
use crate::outcome::Outcome;
use crate::outcome::Pending;
use crate::schema::events::Emits;
use crate::schema::model::Model;
use crate::schema::relation::Level;
use crate::schema::version::Versioned;
use crate::tenant::{Confined, Wall, own_tenant};
use crate::write::change::emit::add_event;
use crate::write::send::events::Emission;

/// A document about to be stored if no other program has changed it since it was read. `.await` gives an
/// [`Outcome`](crate::Outcome).
#[must_use = "nothing is sent before it is awaited"]
pub struct SaveIfUnchanged<'a, M> {
    db: &'a Database,
    document: &'a mut M,
    encoded: Result<(Document, RawDocumentBuf, i64)>,
    events: Emission,
    refresh: bool,
    level: Option<Level>,
    session: Option<&'a mut ClientSession>,
    notes: Option<&'a mut Vec<Pending>>,
    call: CallOptions,
}

impl<M> fmt::Debug for SaveIfUnchanged<'_, M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let encoded = self.encoded.as_ref();
        f.debug_struct("SaveIfUnchanged")
            .field("filter", &Redacted(&encoded.map(|(filter, ..)| filter)))
            .field("version", &encoded.map(|(.., version)| version))
            .finish_non_exhaustive()
    }
}

impl<'a, M: Versioned> SaveIfUnchanged<'a, M> {
    pub(crate) fn new(db: &'a Database, document: &'a mut M) -> Self {
        let encoded = next(document)
            .and_then(|(raw, version)| Ok((by_id::<M>(document.document_id())?, raw, version)));
        SaveIfUnchanged {
            db,
            document,
            encoded,
            events: Emission::default(),
            refresh: false,
            level: None,
            session: None,
            notes: None,
            call: CallOptions::default(),
        }
    }
}

impl<M: Versioned> SaveIfUnchanged<'_, M> {
    /// Emits an event with the document, in the same atomic write; called again, another one after it. A conflict emits nothing. See
    /// [`events`](crate::MongoModel::events).
    pub fn emit(mut self, event: <M as Emits>::Event) -> Self
    where
        M: Emits,
    {
        self.encoded = add_event::<M, _>(&mut self.events, &event, self.encoded);
        self
    }
}

impl<M: Model> Confined for SaveIfUnchanged<'_, M> {
    fn confined(mut self, wall: &Wall) -> Self {
        wall.set_options(&mut self.call);
        self.encoded = self.encoded.and_then(|(mut filter, raw, version)| {
            filter.extend(own_tenant(wall, M::model_meta(), &raw)?);
            Ok((filter, raw, version))
        });
        self
    }
}

crate::builder::writes_in_transactions!(SaveIfUnchanged);
crate::builder::settles!(SaveIfUnchanged, call);
crate::builder::write_options!(SaveIfUnchanged);
crate::builder::with_copies!(SaveIfUnchanged);

answers!(['a, M: Versioned] SaveIfUnchanged<'a, M> => Outcome, self, self.call.clone(), {
    let SaveIfUnchanged { db, document, encoded, events, refresh, level, session, notes, .. } = self;
    let (filter, raw, version) = encoded?;
    let swap = Swap { db, meta: M::model_meta(), filter: &filter, version, refresh, level, events: &events };
    let outcome = swap.send(&raw, session).await?;
    // The next version fits into the field: that was checked when the document was encoded.
    document.set_version(version + 1);
    Ok(outcome.noted(notes))
});
