//! An attempt of an update: the change of a key and the migration before it, the command, and the writes that follow it.

use bson::{Document, RawDocumentBuf};

use super::{OneUpdate, outcome_of, with_conditions};
use crate::document::encoding::unencodable;
use crate::driver::{self, ClientSession, Image, UpdateArgs};
use crate::error::{Error, Result};
use crate::outcome::{Outcome, Pending};
use crate::propagation::keys;
use crate::schema::model::{Model, ModelMeta};
use crate::schema::relation::Level;
use crate::schema::stamps;
use crate::write::send::update::Prepared;
use crate::write::{migrate_one as migrate, send as write};

/// The additions that an update of one document needs, prepared once no matter how often the update is sent.
pub(super) struct Ready {
    /// The document that the caller needs.
    pub(super) image: Option<Image>,
    prepared: Option<Prepared>,
    migrated: Vec<Pending>,
}

/// The result of an update that was sent.
pub(super) enum Sent {
    Done(Outcome, Option<RawDocumentBuf>),
    /// No document matched the filter.
    Not,
    /// The document was being deleted, or another program changed its key. That is completed now: the update may be tried again.
    Helped,
}

impl Ready {
    pub(super) async fn new<M: Model>(
        update: &mut OneUpdate<'_>,
        level: Option<Level>,
        mut session: Option<&mut ClientSession>,
    ) -> Result<Self> {
        let (db, meta, filter) = (update.db, M::model_meta(), &update.filter);
        let migrated = Box::pin(migrate::before::<M>(db, filter, session.as_deref_mut())).await?;
        let prepared = match write::is_connected(meta)? {
            true => {
                let request = update.changes.request(Some(filter));
                write::prepare(db, meta, request, level, session).await?
            }
            false => None,
        };
        Ok(Ready {
            image: None,
            prepared,
            migrated,
        })
    }

    /// Makes the update give the document that the caller needs.
    pub(super) fn giving<M: Model>(mut self, image: Option<Image>) -> Result<Self> {
        self.image = image;
        if let (Some(prepared), Some(image)) = (&mut self.prepared, image) {
            prepared.returning = true;
            if image == Image::Before {
                return Err(Error::Impossible {
                    what: format!(
                        "an update of {} that gives the document before it, and stores a checked reference or is followed by other documents: give the one after it, or read it before",
                        M::model_meta().name
                    ),
                });
            }
        }
        Ok(self)
    }

    /// Sends the update, which applies only if the document meets the conditions.
    pub(super) async fn send<M: Model>(
        &self,
        update: &OneUpdate<'_>,
        mut session: Option<&mut ClientSession>,
    ) -> Result<Sent> {
        let (db, meta, filter) = (update.db, M::model_meta(), &update.filter);
        let next = |key: &str| update.changes.value_of(key);
        let (paths, hold) = (update.changes.paths(), keys::Hold::Needed);
        let held = session.as_deref_mut();
        let keys = Box::pin(keys::check_unreferenced(
            db, meta, filter, &paths, &next, hold, held,
        ))
        .await?;
        let sent = self.send_guarded::<M>(update, &keys, session).await;
        let to_the_end = Box::pin(keys::release(db, meta, filter, &keys)).await?;
        match sent {
            Ok(Sent::Not) if !to_the_end => Ok(Sent::Helped),
            sent => sent,
        }
    }

    /// Sends the update if the document also matches `keys`, the condition that guards a change of a key.
    async fn send_guarded<M: Model>(
        &self,
        update: &OneUpdate<'_>,
        keys: &Document,
        session: Option<&mut ClientSession>,
    ) -> Result<Sent> {
        let (db, meta, in_session) = (update.db, M::model_meta(), session.is_some());
        let (guarded, operators) = update.changes.command(&update.filter);
        let mut guarded = with_conditions(guarded, &update.conditions);
        guarded.extend(keys.clone());
        let entombs = write::not_deleted(meta, &mut guarded);
        let (sent, waits) = match &self.prepared {
            Some(prepared) => {
                let send =
                    self.send_prepared(prepared, update, meta, (guarded, operators), session);
                (send.await?, true)
            }
            None => {
                let send = self.send_plain(update, meta, (guarded, operators), session);
                (send.await?, entombs)
            }
        };
        if matches!(sent, Sent::Not)
            && waits
            && !in_session
            && Box::pin(write::finish_blocking_delete(db, meta, &update.filter)).await?
        {
            return Ok(Sent::Helped);
        }
        Ok(sent)
    }

    /// Sends an update that no other document follows.
    async fn send_plain(
        &self,
        update: &OneUpdate<'_>,
        meta: &'static ModelMeta,
        (guarded, mut operators): (Document, Document),
        session: Option<&mut ClientSession>,
    ) -> Result<Sent> {
        stamps::touch(meta, &mut operators);
        let (db, collection) = (update.db, meta.collection);
        let args = UpdateArgs::plain(guarded, operators, false);
        let pending = self.migrated.clone();
        let Some(image) = self.image else {
            let result = driver::update(db, collection, args, session).await?;
            return Ok(match result.matched_count {
                0 => Sent::Not,
                _ => Sent::Done(outcome_of(&result, pending), None),
            });
        };
        let returned = driver::update_and_return(db, collection, args, image, session);
        let found = Box::pin(returned).await?;
        Ok(match found {
            Some(found) => {
                let outcome = Outcome {
                    matched: 1,
                    modified: 1,
                    pending,
                    ..Outcome::default()
                };
                Sent::Done(outcome, Some(found))
            }
            None => Sent::Not,
        })
    }

    /// Sends an update that other documents follow, or that stores references, and makes them follow.
    async fn send_prepared(
        &self,
        prepared: &Prepared,
        update: &OneUpdate<'_>,
        meta: &'static ModelMeta,
        (guarded, operators): (Document, Document),
        session: Option<&mut ClientSession>,
    ) -> Result<Sent> {
        let (db, in_session) = (update.db, session.is_some());
        let mut sent = Box::pin(prepared.send(db, guarded, operators, session)).await?;
        if sent.outcome.matched == 0 {
            return Ok(Sent::Not);
        }
        let document = sent.document.take();
        let document = document.map(|document| RawDocumentBuf::try_from(&document));
        let document = document
            .transpose()
            .map_err(|error| unencodable(meta, error))?;
        let propagated = Box::pin(prepared.follow(db, &update.filter, sent, in_session));
        let mut outcome = propagated.await?;
        outcome.pending.extend(self.migrated.iter().cloned());
        Ok(Sent::Done(outcome, document))
    }
}
