//! Read, change, store; and once more if another writer was first.

use std::fmt;

use bson::raw::cstr;
use bson::{Document, RawDocument, RawDocumentBuf};

use super::next;
use super::swap::Swap;
use crate::bson_util::redacted::Redacted;
use crate::bson_util::stored_id::id_in_filter;
use crate::builder::{CallOptions, answers};
use crate::document::id::by_id;
use crate::driver::{self, ClientSession, Database};
use crate::error::Error;
use crate::error::Result;
use crate::outcome::Pending;
use crate::schema::events::Emits;
use crate::schema::model::{Model, ModelMeta};
use crate::schema::soft_delete::DocumentScope;
use crate::schema::stamps;
use crate::schema::tenant::tenant_field;
use crate::schema::version::Versioned;
use crate::tenant::{Confined, Wall, confine};
use crate::write::change::emit::add_event;
use crate::write::send::events::Emission;

/// The largest number of attempts, if other writers are first.
const TRIES: usize = 100;

/// A change of one document by a function, about to be made. `.await` gives the document as it was stored.
#[must_use = "nothing is sent before it is awaited"]
pub struct UpdateWith<'a, M> {
    db: &'a Database,
    filter: Result<Document>,
    change: Box<dyn FnMut(&mut M) + Send + 'a>,
    events: Emission,
    tries: usize,
    session: Option<&'a mut ClientSession>,
    notes: Option<&'a mut Vec<Pending>>,
    call: CallOptions,
}

impl<M> fmt::Debug for UpdateWith<'_, M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("UpdateWith")
            .field("filter", &Redacted(&self.filter))
            .field("tries", &self.tries)
            .finish_non_exhaustive()
    }
}

impl<'a, M: Versioned> UpdateWith<'a, M> {
    pub(crate) fn new(
        db: &'a Database,
        id: &M::DocumentId,
        change: impl FnMut(&mut M) + Send + 'a,
    ) -> Self {
        UpdateWith {
            db,
            filter: by_id::<M>(id)
                .map(|filter| DocumentScope::Live.restrict(M::model_meta(), filter)),
            change: Box::new(change),
            events: Emission::default(),
            tries: TRIES,
            session: None,
            notes: None,
            call: CallOptions::default(),
        }
    }

    /// Sets how often the change is tried before the last conflict is returned: by default 100 times. At least once.
    pub fn tries(mut self, tries: usize) -> Self {
        self.tries = tries.max(1);
        self
    }

    /// Emits an event with the change, in the same atomic write; called again, another one after it. If the function changes nothing, nothing is
    /// stored and nothing emitted. See [`events`](crate::MongoModel::events).
    pub fn emit(mut self, event: <M as Emits>::Event) -> Self
    where
        M: Emits,
    {
        self.filter = add_event::<M, _>(&mut self.events, &event, self.filter);
        self
    }
}

/// Refuses a change of a field that the save would leave as it is stored.
fn unchanged_volatile(meta: &ModelMeta, before: &RawDocument, raw: &RawDocument) -> Result<()> {
    let mut rows = stamps::volatile(meta);
    match rows.find(|row| stored_bytes(before, row.name) != stored_bytes(raw, row.name)) {
        None => Ok(()),
        Some(row) => Err(Error::Impossible {
            what: format!(
                "`update_with` changes {model}.{field}, which is volatile: a save of a model with a version leaves it as it is stored; `{model}::update(db, id)` changes it",
                model = meta.name,
                field = row.rust
            ),
        }),
    }
}

/// The bytes of a field: a NaN does not equal itself.
fn stored_bytes(document: &RawDocument, name: &str) -> Option<Vec<u8>> {
    let value = document.get(name).ok()??;
    let mut alone = RawDocumentBuf::new();
    alone.append(cstr!("value"), value.to_owned());
    Some(alone.into_bytes())
}

impl<M: Model> Confined for UpdateWith<'_, M> {
    fn confined(mut self, wall: &Wall) -> Self {
        wall.set_options(&mut self.call);
        self.filter = confine::<M>(wall, self.filter);
        self
    }
}

crate::builder::writes_in_transactions!(UpdateWith);
crate::builder::settles!(UpdateWith, call);
crate::builder::write_options!(UpdateWith);

answers!(['a, M: Versioned] UpdateWith<'a, M> => M, self, self.call.clone(), {
    let UpdateWith { db, filter, mut change, events, tries, mut session, notes, .. } = self;
    let (meta, filter) = (M::model_meta(), filter?);
    let args = driver::FindArgs::default();
    let decode = driver::decode_as::<M, M>;
    let found = driver::first(db, meta.collection, filter.clone(), args, session.as_deref_mut(), decode).await?;
    let Some(mut document) = found else {
        return Err(Error::NotFound { model: meta.name, id: Box::new(id_in_filter(&filter)) });
    };
    for left in (0..tries).rev() {
        let (before, version) = next(&mut document)?;
        change(&mut document);
        // The version is not the function's to change.
        document.set_version(version);
        let (raw, _) = next(&mut document)?;
        unchanged_volatile(meta, &before, &raw)?;
        if tenant_field(meta).is_some_and(|field| stored_bytes(&before, field) != stored_bytes(&raw, field)) {
            return Err(Error::OtherTenant { model: meta.name });
        }
        if raw == before {
            return Ok(document);
        }
        let swap = Swap { db, meta, filter: &filter, version, refresh: false, level: None, events: &events };
        match swap.send(&raw, session.as_deref_mut()).await {
            Ok(outcome) => {
                document.set_version(version + 1);
                outcome.noted(notes);
                return Ok(document);
            }
            Err(Error::Conflict(conflict)) if left > 0 => document = conflict.current()?,
            Err(error) => return Err(error),
        }
    }
    Err(Error::Unsettled { model: meta.name, id: Box::new(id_in_filter(&filter)) })
});
