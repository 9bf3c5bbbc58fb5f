//! Steps that insert a document. Nothing in the collection keeps an insert that arrives late from storing the document once more after its
//! undo has deleted it. So each command ends with the lease of the program that sends it: the server refuses it after that time, by its own
//! clock. A program that takes the saga over does so after that time, and one whose command had no answer leaves the undo to the next.

use bson::{Bson, DateTime, Document, doc};
use mongodb::options::UpdateModifications;

use super::run::{RETRIES, Refused, Run};
use super::step::{NewDocument, Step};
use crate::builder::ROUNDS;
use crate::driver::{self, FindArgs, Lasting, UpdateArgs, attempts};
use crate::error::{Error, Result};
use crate::index::duplicate;
use crate::schema::stored;

/// A job of a saga that has not ended is ready at the end of the year 9999, so that no worker takes it.
const NEVER: DateTime = DateTime::from_millis(253_402_300_799_000);

impl Run<'_> {
    /// Inserts the document, unless it is inserted already.
    pub(super) async fn make_insert(
        &mut self,
        step: &Step,
        new: &NewDocument,
    ) -> Result<std::result::Result<(), Refused>> {
        for attempt in 0..ROUNDS {
            attempts::pause(attempt).await;
            let until = self.journal.extend_doing(self.db).await?;
            let error = match self.send_insert(step, new, until).await {
                Ok(()) => return Ok(Ok(())),
                // The lease had ended: the next extension shows if this program still owns the saga.
                Err(error) if driver::is_unconvertible(&error) => continue,
                Err(error) => error,
            };
            if !driver::is_duplicate(&error) {
                return Ok(Err(Some(Box::new(error))));
            }
            if self.is_inserted(step).await? {
                return Ok(Ok(()));
            }
            let error = match step.meta {
                Some(meta) => duplicate::typed(meta, error, &[]),
                None => error,
            };
            return Ok(Err(Some(Box::new(error))));
        }
        let id = Box::new(step.id.clone());
        let model = step.model();
        Ok(Err(Some(Box::new(Error::Unsettled { model, id }))))
    }

    /// Sends one durable upsert that matches nothing, because an `insert` has no condition. Sends it again if its reply is lost.
    async fn send_insert(&mut self, step: &Step, new: &NewDocument, until: DateTime) -> Result<()> {
        let mut own = doc! { stored::key::SAGA_MARKS: [step.mark] };
        if new.queue.is_some() {
            own.insert(stored::key::JOB, doc! { stored::key::JOB_AT: NEVER });
        }
        let mut document = new.document.clone();
        document.insert(stored::OWN, own);
        let times = new.times.iter().map(|name| (name.clone(), "$$NOW".into()));
        let times: Document = times.collect();
        let in_time = doc! { "$lt": ["$$NOW", until] };
        // No type has a name that is a number: the server refuses the update.
        let refused = doc! { "$toInt": { "$type": "$_id" } };
        let whole = doc! { "$mergeObjects": [
            { "$literal": document }, times, { "$cond": [in_time, {}, refused] },
        ] };
        let mut nothing = step.own.clone();
        nothing.insert(stored::OWN, doc! { "$in": [] });
        let mut tries = 0;
        loop {
            let args = UpdateArgs {
                filter: nothing.clone(),
                changes: UpdateModifications::Pipeline(vec![doc! { "$replaceWith": &whole }]),
                many: false,
                upsert: true,
                lasting: Lasting::Durable,
                strings: driver::Strings::Exactly,
            };
            match driver::update(self.db, &step.collection, args, None).await {
                Err(error) if driver::outcome_unknown(&error) => {
                    self.has_lost_insert = true;
                    if tries == RETRIES {
                        return Err(error);
                    }
                    tries += 1;
                }
                done => return done.map(drop),
            }
        }
    }

    async fn is_inserted(&self, step: &Step) -> Result<bool> {
        let filter = step.with_mark(step.mark);
        let (args, read) = (FindArgs::default(), |_: &bson::RawDocument| Ok(()));
        let found = driver::first(self.db, &step.collection, filter, args, None, read);
        Ok(found.await?.is_some())
    }

    /// Deletes the document, if it is as the saga has inserted it: a change of another program keeps it. No program has a job before the
    /// saga has ended, so it is deleted in any case.
    pub(super) async fn undo_insert(&self, step: &Step, new: &NewDocument) -> Result<()> {
        let mut inserted = step.with_mark(step.mark);
        if new.queue.is_none() {
            let fields = new.document.iter();
            let fields = fields.filter(|(name, _)| *name != "_id" && !new.times.contains(*name));
            inserted.extend(fields.map(|(name, value)| {
                let equal = doc! { "$eq": value };
                (name.clone(), Bson::Document(equal))
            }));
        }
        let mut tries = 0;
        let deleted = loop {
            let (filter, strings) = (inserted.clone(), driver::Strings::Exactly);
            let (db, collection) = (self.db, &step.collection);
            let deleted =
                driver::delete_many(db, collection, filter, Lasting::Durable, strings, None);
            match deleted.await {
                Err(error) if tries < RETRIES && driver::outcome_unknown(&error) => tries += 1,
                done => break done?,
            }
        };
        match deleted {
            0 => self.unmark(step).await,
            _ => Ok(()),
        }
    }
}
