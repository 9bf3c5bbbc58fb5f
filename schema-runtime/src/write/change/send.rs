//! Sends an update of one document until it has an answer. `attempt` sends it once; `unmatched` finds out why it matched nothing.
//!
//! The futures of what most updates do not need are boxed: the future of an update is moved several times before it is polled first, and
//! otherwise has room for all of them.

mod attempt;
mod unmatched;

use bson::{Bson, Document, RawDocument, RawDocumentBuf, doc};
use mongodb::results::UpdateResult;

use self::attempt::{Ready, Sent};
use self::unmatched::store_new;
pub(super) use self::unmatched::{is_about_key, remove_nulls};
use super::{Returned, ReturnedIf, Swapped, Update};
use crate::bson_util::stored_id::id_in_filter;
use crate::builder::{ROUNDS, answers};
use crate::document::documents::Documents;
use crate::document::id::encode_id;
use crate::driver::attempts::pause;
use crate::driver::{self, ClientSession, Database, FindArgs, Image};
use crate::error::{Error, Result};
use crate::index::duplicate;
use crate::outcome::{Outcome, Pending};
use crate::schema::model::{Model, ModelMeta};
use crate::write::change::ops::Changes;

answers!(['a, M: Model] Update<'a, M> => Outcome, self, self.call.clone(), {
    match change(self).await? {
        Swapped::Done(outcome) => Ok(outcome),
        // An update without a condition can only fail to match if the document does not exist.
        Swapped::Not(current) => Err(Error::NotFound { model: M::model_meta().name, id: Box::new(encode_id::<M>(current.document_id())?) }),
    }
});

/// The result of an update.
pub(super) enum Changed<M> {
    /// The change was made; the document, where the caller needs it.
    Done(Outcome, Option<RawDocumentBuf>),
    /// The document does not meet the conditions.
    Not(Box<M>),
}

/// An update of one document: which one, the changes, and the conditions that it has to meet besides the filter.
struct OneUpdate<'u> {
    db: &'u Database,
    filter: Document,
    changes: Changes,
    conditions: Vec<Bson>,
}

impl OneUpdate<'_> {
    fn not_found<M: Model>(&self) -> Error {
        Error::NotFound {
            model: M::model_meta().name,
            id: Box::new(id_in_filter(&self.filter)),
        }
    }

    /// Delivers the events of an update that was made; adds those that are pending to the outcome.
    async fn with_events<M: Model>(
        &self,
        mut outcome: Outcome,
        in_session: bool,
    ) -> Result<Outcome> {
        let events = &self.changes.events;
        if !events.is_empty() {
            let collection = M::model_meta().collection;
            let delivery = events.deliver(self.db, collection, in_session);
            outcome.pending.extend(Box::pin(delivery).await?);
        }
        Ok(outcome)
    }

    /// The result of an update without changes, if the document meets the conditions.
    async fn give_if_met<M: Model>(
        &self,
        image: Option<Image>,
        mut session: Option<&mut ClientSession>,
    ) -> Result<Changed<M>> {
        if self.conditions.is_empty() {
            return give::<M>(self, Outcome::default(), image, session).await;
        }
        let (args, own) = (FindArgs::default(), |raw: &RawDocument| Ok(raw.to_owned()));
        let filter = with_conditions(self.filter.clone(), &self.conditions);
        let (collection, held) = (M::model_meta().collection, session.as_deref_mut());
        let found = driver::first(self.db, collection, filter, args, held, own).await?;
        if let Some(found) = found {
            return Ok(Changed::Done(Outcome::default(), image.map(|_| found)));
        }
        let unmet = self.in_the_way::<M>(session).await?;
        unmet.ok_or_else(|| self.not_found::<M>())
    }
}

/// An update that is sent until it has an answer.
struct Attempts<'u> {
    update: OneUpdate<'u>,
    /// The document to store if there is none.
    new: Option<Documents>,
    ready: Ready,
    session: Option<&'u mut ClientSession>,
}

/// Changes one document once, if it meets the conditions; `None` if it does not, or if there is no document.
pub(crate) async fn change_once<M: Model>(update: Update<'_, M>) -> Result<Option<Outcome>> {
    let Update {
        db,
        filter,
        changes,
        conditions,
        level,
        mut session,
        notes,
        ..
    } = update;
    let mut update = OneUpdate {
        db,
        filter: filter?,
        changes,
        conditions,
    };
    update.changes.check_one::<M>(&update.filter)?;
    let ready = Ready::new::<M>(&mut update, level, session.as_deref_mut()).await?;
    let in_session = session.is_some();
    let sent = ready.send::<M>(&update, session).await;
    Ok(
        match sent.map_err(|error| refused(M::model_meta(), error))? {
            Sent::Done(outcome, _) => Some(
                update
                    .with_events::<M>(outcome, in_session)
                    .await?
                    .noted(notes),
            ),
            Sent::Not | Sent::Helped => None,
        },
    )
}

/// Changes one document, if it meets the conditions.
pub(crate) async fn change<M: Model>(update: Update<'_, M>) -> Result<Swapped<M>> {
    let done = change_one(update, None).await;
    match done.map_err(|error| refused(M::model_meta(), error))? {
        Changed::Done(outcome, _) => Ok(Swapped::Done(outcome)),
        Changed::Not(current) => Ok(Swapped::Not(current)),
    }
}

/// Changes one document and gives it.
pub(super) async fn change_and_return<M: Model>(
    update: Update<'_, M>,
    image: Image,
) -> Result<ReturnedIf<M>> {
    let meta = M::model_meta();
    let done = change_one(update, Some(image)).await;
    match done.map_err(|error| refused(meta, error))? {
        Changed::Done(outcome, raw) => {
            let raw = raw.unwrap_or_default();
            let document = driver::decode_as::<M, M>(&raw)?;
            Ok(ReturnedIf::Done(Returned::new(document, outcome)))
        }
        Changed::Not(current) => Ok(ReturnedIf::Not(current)),
    }
}

/// Types the errors by which the server refuses a change: another document has the key, or the document becomes too large.
pub(super) fn refused(meta: &'static ModelMeta, error: Error) -> Error {
    duplicate::typed(meta, driver::outgrown(meta, error), &[])
}

/// Changes one document, if it meets the conditions. Gives its stored form before or after the change, as `image` says.
pub(super) async fn change_one<M: Model>(
    update: Update<'_, M>,
    image: Option<Image>,
) -> Result<Changed<M>> {
    let Update {
        db,
        filter,
        changes,
        conditions,
        level,
        new,
        mut session,
        notes,
        ..
    } = update;
    let filter = filter?;
    if let Some(new) = new.as_ref().filter(|_| changes.is_empty()) {
        // An upsert without changes stores the document if there is none.
        let stored = Box::pin(store_new::<M>(db, (new, &changes.events), session)).await?;
        let outcome = stored.unwrap_or_else(unchanged);
        return Ok(Changed::Done(outcome.noted(notes), None));
    }
    let mut update = OneUpdate {
        db,
        filter,
        changes,
        conditions,
    };
    update.changes.check_one::<M>(&update.filter)?;
    if update.changes.nothing_left() && new.is_none() {
        return Box::pin(update.give_if_met::<M>(image, session)).await;
    }
    let in_session = session.is_some();
    let ready = Ready::new::<M>(&mut update, level, session.as_deref_mut()).await?;
    let mut attempts = Attempts {
        update,
        new,
        ready: ready.giving::<M>(image)?,
        session,
    };
    let answered = match attempts.send_until_answered::<M>().await {
        Err(error) if driver::is_other_type(&error) => {
            Err(Box::pin(attempts.update.explain::<M>(error)).await)
        }
        answered => answered,
    };
    Ok(match answered? {
        Changed::Done(outcome, document) => {
            let outcome = attempts
                .update
                .with_events::<M>(outcome, in_session)
                .await?;
            Changed::Done(outcome.noted(notes), document)
        }
        unmet => unmet,
    })
}

impl Attempts<'_> {
    async fn send_until_answered<M: Model>(&mut self) -> Result<Changed<M>> {
        for attempt in 0..ROUNDS {
            if self.update.changes.nothing_left() {
                // The document holds every value already, as the read just showed.
                let held = self.session.as_deref_mut();
                let given = give::<M>(&self.update, unchanged(), self.ready.image, held);
                return Box::pin(given).await;
            }
            let held = self.session.as_deref_mut();
            match self.ready.send::<M>(&self.update, held).await? {
                Sent::Done(outcome, document) => return Ok(Changed::Done(outcome, document)),
                Sent::Helped => continue,
                Sent::Not => {}
            }
            let held = self.session.as_deref_mut();
            if let Some(error) = Box::pin(self.update.other_variant::<M>(held)).await? {
                return Err(error);
            }
            let held = self.session.as_deref_mut();
            Box::pin(self.update.check_ranges::<M>(held)).await?;
            if self.update.changes.are_guarded() {
                pause(attempt).await;
                let held = self.session.as_deref_mut();
                if Box::pin(self.update.clear_the_way::<M>(held)).await? {
                    continue;
                }
            }
            if let Some(answer) = self.without_match().await? {
                return Ok(answer);
            }
        }
        Err(Error::Unsettled {
            model: M::model_meta().name,
            id: Box::new(id_in_filter(&self.update.filter)),
        })
    }

    /// The answer if no document meets the filter and the conditions. Stores the new document of an upsert. `None` if another program has
    /// stored or changed a document meanwhile.
    async fn without_match<M: Model>(&mut self) -> Result<Option<Changed<M>>> {
        let held = self.session.as_deref_mut();
        let Some(new) = &self.new else {
            if Box::pin(self.update.fits_now::<M>(held)).await? {
                return Ok(None);
            }
            let held = self.session.as_deref_mut();
            let unmet = Box::pin(self.update.in_the_way::<M>(held)).await?;
            let not_found = || self.update.not_found::<M>();
            return unmet.map(Some).ok_or_else(not_found);
        };
        let stored = Box::pin(store_new::<M>(
            self.update.db,
            (new, &self.update.changes.events),
            held,
        ))
        .await?;
        Ok(stored.map(|stored| Changed::Done(stored, None)))
    }
}

/// The outcome where the document is there, and holds everything already.
fn unchanged() -> Outcome {
    Outcome {
        matched: 1,
        ..Outcome::default()
    }
}

/// The result of an update that had nothing to change, with the document as it is stored.
async fn give<M: Model>(
    update: &OneUpdate<'_>,
    outcome: Outcome,
    image: Option<Image>,
    session: Option<&mut ClientSession>,
) -> Result<Changed<M>> {
    if image.is_none() {
        return Ok(Changed::Done(outcome, None));
    }
    let own = |raw: &RawDocument| Ok(raw.to_owned());
    let (args, filter) = (FindArgs::default(), update.filter.clone());
    let collection = M::model_meta().collection;
    let found = driver::first(update.db, collection, filter, args, session, own).await?;
    let found = found.ok_or_else(|| update.not_found::<M>())?;
    Ok(Changed::Done(outcome, Some(found)))
}

/// The filter, together with these conditions.
pub(crate) fn with_conditions(filter: Document, conditions: &[Bson]) -> Document {
    if conditions.is_empty() {
        return filter;
    }
    let mut all = vec![Bson::Document(filter)];
    all.extend_from_slice(conditions);
    doc! { "$and": all }
}

/// The outcome of an update that the server has answered.
pub(super) fn outcome_of(result: &UpdateResult, pending: Vec<Pending>) -> Outcome {
    Outcome {
        matched: result.matched_count,
        modified: result.modified_count,
        pending,
        ..Outcome::default()
    }
}
