//! The journal: the steps of a saga, the state that it has decided, and the program that runs it.
//!
//! `{_id, name, state, owner, token, lease, until, step, steps: [..]}`; `step` has the form of a step.
//!
//! A saga must not run twice when the answer to a write of its journal is lost, although a journal that has ended leaves nothing
//! behind. So each attempt to insert the journal has an `_id` that no other attempt has, and a journal is inserted as `"new"`: no
//! program runs its steps before its first owner, which knows which attempt was acknowledged, has made it `"doing"`. The program that
//! takes over a new journal deletes it. Every write behind the insert matches the owner and creates nothing.

use std::time::Duration;

use bson::oid::ObjectId;
use bson::{Bson, DateTime, Document, doc};

use super::step::Step;
use crate::bson_util::number::integer;
use crate::driver::time::{after, one_more};
use crate::driver::{self, Database, Lasting, UpdateArgs};
use crate::error::{Error, Result};

/// The number of times that a command is sent again after its reply was lost.
const RETRIES: usize = 2;

/// The state of a saga, as decided in its journal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum State {
    /// No step was sent: the first owner has not set the journal to [`Doing`](State::Doing).
    New,
    /// Steps are being made.
    Doing,
    /// The step of this number could not be made: the steps before it are being undone, and the step itself if its write arrives late.
    Undoing(usize),
    /// All steps are made: their marks are being removed.
    Done,
}

impl State {
    fn name(self) -> &'static str {
        match self {
            State::New => "new",
            State::Doing => "doing",
            State::Undoing(_) => "undoing",
            State::Done => "done",
        }
    }
}

#[derive(Debug)]
pub(super) struct Journal {
    collection: String,
    pub(super) id: ObjectId,
    /// The program run that owns the saga: each resumption is another owner.
    owner: ObjectId,
    /// The number of owners that have run the saga.
    token: i64,
    lease: Duration,
    pub(super) state: State,
    name: String,
}

impl Journal {
    /// Inserts the journal, with the server's time. If the reply is lost, inserts it again under another `_id`: the lost attempt may have
    /// stored a new journal, but no program runs it.
    pub(super) async fn insert(
        db: &Database,
        collection: &str,
        name: &str,
        lease: Duration,
        steps: &[Step],
    ) -> Result<Journal> {
        let steps = steps
            .iter()
            .map(Step::written)
            .collect::<Result<Vec<Bson>>>()?;
        let millis = i64::try_from(lease.as_millis()).unwrap_or(i64::MAX);
        let owner = ObjectId::new();
        let mut tries = 0;
        loop {
            let id = ObjectId::new();
            let new = doc! {
                "_id": id,
                "name": name,
                "state": State::New.name(),
                "owner": owner,
                "token": 1_i64,
                "lease": millis,
                "steps": &steps,
            };
            let new = doc! { "$mergeObjects": [{ "$literal": new }, { "until": after(lease) }] };
            let args = UpdateArgs {
                // A journal that is there does not match, so this inserts or is refused.
                filter: doc! { "_id": id, "state": { "$exists": false } },
                changes: vec![doc! { "$replaceWith": new }].into(),
                many: false,
                upsert: true,
                lasting: Lasting::Durable,
                strings: driver::Strings::Exactly,
            };
            match driver::update_and_read(db, collection, args, doc! { "_id": 1 }, None).await {
                Err(error) if tries < RETRIES && driver::outcome_unknown(&error) => tries += 1,
                Err(error) => return Err(error),
                Ok(_) => {
                    return Ok(Journal {
                        collection: collection.to_owned(),
                        id,
                        owner,
                        token: 1,
                        lease,
                        state: State::New,
                        name: name.to_owned(),
                    });
                }
            }
        }
    }

    /// Takes over a journal that no program has run for as long as its lease.
    pub(super) async fn take_over(
        db: &Database,
        collection: &str,
    ) -> Result<Option<(Journal, Result<Vec<Step>>)>> {
        let owner = ObjectId::new();
        let millis = doc! { "$ifNull": ["$lease", 0_i64] };
        let longer =
            doc! { "$dateAdd": { "startDate": "$$NOW", "unit": "millisecond", "amount": millis } };
        let args = UpdateArgs {
            filter: doc! { "$expr": { "$lte": ["$until", "$$NOW"] } },
            changes: vec![
                doc! { "$set": { "owner": owner, "token": one_more("$token"), "until": longer } },
            ]
            .into(),
            many: false,
            upsert: false,
            lasting: Lasting::Durable,
            strings: driver::Strings::Exactly,
        };
        let found = driver::update_and_read(db, collection, args, doc! {}, None).await?;
        let Some(found) = found else { return Ok(None) };
        let journal = found.get("_id").unwrap_or(&Bson::Null);
        let unreadable = || Error::Impossible {
            what: format!(
                "`{collection}` has a journal that this library has not written: {journal}"
            ),
        };
        let id = found.get_object_id("_id").map_err(|_| unreadable())?;
        let step = integer(found.get("step")).unwrap_or(0);
        let state = match found.get_str("state") {
            Ok("undoing") => State::Undoing(usize::try_from(step).unwrap_or(0)),
            Ok("done") => State::Done,
            Ok("new") => State::New,
            _ => State::Doing,
        };
        let lease = integer(found.get("lease")).unwrap_or(0);
        let journal = Journal {
            collection: collection.to_owned(),
            id,
            owner,
            token: integer(found.get("token")).unwrap_or(0),
            lease: Duration::from_millis(u64::try_from(lease).unwrap_or(0)),
            state,
            name: found.get_str("name").unwrap_or_default().to_owned(),
        };
        let steps = found.get_array("steps").into_iter().flatten();
        let steps = steps
            .map(|step| Step::read(step).ok_or_else(unreadable))
            .collect();
        Ok(Some((journal, steps)))
    }

    /// Extends the lease before each step, and sets the state of a journal that this program has just inserted to `doing`. A late copy of
    /// this write does not match any more once the saga is decided. Gives the end of the lease.
    pub(super) async fn extend_doing(&self, db: &Database) -> Result<DateTime> {
        let undecided = doc! { "$in": [State::New.name(), State::Doing.name()] };
        let set = doc! { "state": State::Doing.name() };
        self.set(db, doc! { "state": undecided }, set).await
    }

    /// Extends the lease. Success proves that this owner still had the right to decide during all earlier reads.
    pub(super) async fn extend(&self, db: &Database) -> Result<()> {
        self.set(db, doc! {}, doc! {}).await.map(drop)
    }

    /// Records a decision, which no later write changes.
    pub(super) async fn decide(&mut self, db: &Database, state: State) -> Result<()> {
        let mut set = doc! { "state": state.name() };
        if let State::Undoing(step) = state {
            set.insert("step", i64::try_from(step).unwrap_or(i64::MAX));
        }
        self.set(db, doc! {}, set).await?;
        self.state = state;
        Ok(())
    }

    /// Changes the journal, as long as this program owns it and `state` holds. Gives the end of the lease.
    async fn set(&self, db: &Database, state: Document, mut set: Document) -> Result<DateTime> {
        set.insert("until", after(self.lease));
        let mut filter = doc! { "_id": self.id, "owner": self.owner };
        filter.extend(state);
        let mut tries = 0;
        let found = loop {
            let args = UpdateArgs {
                filter: filter.clone(),
                changes: vec![doc! { "$set": set.clone() }].into(),
                many: false,
                upsert: false,
                lasting: Lasting::Durable,
                strings: driver::Strings::Exactly,
            };
            let fields = doc! { "until": 1 };
            match driver::update_and_read(db, &self.collection, args, fields, None).await {
                Err(error) if tries < RETRIES && driver::outcome_unknown(&error) => tries += 1,
                done => break done?,
            }
        };
        let until = found.and_then(|found| found.get_datetime("until").ok().copied());
        until.ok_or_else(|| Error::LeaseLost {
            of: format!("the saga `{}` {}", self.name, self.id),
            token: self.token,
        })
    }

    /// Deletes the journal: all that was decided is done. A lost answer makes the delete be sent again.
    pub(super) async fn delete(self, db: &Database) -> Result<()> {
        let filter = doc! { "_id": self.id, "owner": self.owner };
        let mut tries = 0;
        loop {
            let (filter, strings) = (filter.clone(), driver::Strings::Exactly);
            let done = driver::delete_many(
                db,
                &self.collection,
                filter,
                Lasting::Durable,
                strings,
                None,
            );
            match done.await {
                Err(error) if tries < RETRIES && driver::outcome_unknown(&error) => tries += 1,
                done => return done.map(drop),
            }
        }
    }
}
