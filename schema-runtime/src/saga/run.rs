//! Runs a saga from the state in its journal. Every command here may be sent twice, late, and by two programs that both believe that
//! they own the saga: marks make a step happen once, versions stop a step that is late, and the journal has one owner.

use bson::{Bson, Document, doc};
use mongodb::options::UpdateModifications;

use super::SagaOutcome;
use super::journal::{Journal, State};
use super::step::{Action, Change, Step};
use crate::bson_util::number::integer;
use crate::bson_util::operators::merge;
use crate::builder::ROUNDS;
use crate::driver::{self, Database, FindArgs, Lasting, UpdateArgs, attempts};
use crate::error::{Error, Result};
use crate::schema::stored;
use crate::write::change::ops::Range;

/// The number of times that a command is sent again after its reply was lost.
pub(super) const RETRIES: usize = 2;

pub(super) struct Run<'a> {
    pub(super) db: &'a Database,
    pub(super) journal: Journal,
    pub(super) steps: Vec<Step>,
    /// True if an insert had no answer, so that it may still arrive before the lease has ended.
    pub(super) has_lost_insert: bool,
}

/// The reason why a step cannot be made: the server's error, or `None` if its condition did not hold.
pub(super) type Refused = Option<Box<Error>>;

impl Run<'_> {
    /// Runs the saga until it has ended.
    pub(super) async fn on(mut self) -> Result<SagaOutcome> {
        let mut why = None;
        if matches!(self.journal.state, State::New | State::Doing) {
            let decided = match self.forward().await? {
                None => State::Done,
                Some((step, refused)) if self.has_lost_insert => {
                    let id = Box::new(self.steps[step].id.clone());
                    let model = self.steps[step].model();
                    return Err(refused.map_or(Error::Unsettled { model, id }, |error| *error));
                }
                Some((step, refused)) => {
                    why = refused;
                    State::Undoing(step)
                }
            };
            self.journal.decide(self.db, decided).await?;
        }
        let ended = match self.journal.state {
            State::Undoing(step) => {
                self.back(step).await?;
                SagaOutcome::Undone { step, why }
            }
            State::New | State::Doing | State::Done => {
                for step in &self.steps {
                    self.unmark(step).await?;
                }
                SagaOutcome::Done
            }
        };
        self.journal.delete(self.db).await?;
        Ok(ended)
    }

    /// Makes the steps; the first that cannot be made, and why.
    async fn forward(&mut self) -> Result<Option<(usize, Refused)>> {
        for (n, step) in self.steps.clone().iter().enumerate() {
            let made = match &step.action {
                Action::Update(change) => self.make(step, change).await?,
                Action::Insert(new) => self.make_insert(step, new).await?,
            };
            if let Err(refused) = made {
                return Ok(Some((n, refused)));
            }
        }
        Ok(None)
    }

    /// Makes one change, unless it is made already.
    async fn make(&self, step: &Step, change: &Change) -> Result<std::result::Result<(), Refused>> {
        let (model, id) = (step.model(), &step.id);
        let mut seen = None;
        for attempt in 0..ROUNDS {
            attempts::pause(attempt).await;
            let Some((version, marked)) = self.read_state(step, change).await? else {
                let id = Box::new(id.clone());
                return Ok(Err(Some(Box::new(Error::NotFound { model, id }))));
            };
            if marked {
                return Ok(Ok(()));
            }
            // The step was sent for this very version, and was not made.
            if seen == Some(version) {
                return Ok(Err(self.left_ranges(step, change).await?));
            }
            // A program that takes the saga over after this increases the version before the saga ends, or makes the step itself.
            self.journal.extend_doing(self.db).await?;
            let unmarked = doc! { stored::SAGA_MARKS: { "$ne": step.mark } };
            let filter =
                doc! { "$and": [change.filter.clone(), change.version.is(version), unmarked] };
            let mut operators = change.operators.clone();
            change.version.bump(&mut operators);
            merge(
                &mut operators,
                "$push",
                doc! { stored::SAGA_MARKS: step.mark },
            );
            match self.send(step, filter, operators).await {
                Ok(0) => seen = Some(version),
                Ok(_) => return Ok(Ok(())),
                // The reply is lost: the next read shows whether the step was made.
                Err(error) if driver::outcome_unknown(&error) => {}
                Err(error) => {
                    let left = self.left_ranges(step, change).await?;
                    return Ok(Err(left.or_else(|| Some(Box::new(error)))));
                }
            }
        }
        // Nobody repeats a saga that is completed later: it is undone, so that the caller may.
        let id = Box::new(id.clone());
        Ok(Err(Some(Box::new(Error::Unsettled { model, id }))))
    }

    /// The error that the results of a refused step would leave their ranges.
    async fn left_ranges(&self, step: &Step, change: &Change) -> Result<Refused> {
        let (asked, ranges) = &change.ranges;
        let Some(meta) = step.meta else {
            return Ok(None);
        };
        let left = Range::left_in((self.db, meta), asked, ranges, None).await?;
        Ok(left.map(Box::new))
    }

    /// Undoes the steps up to the refused one, the last first. The refused step was not made, but its write may still arrive late.
    async fn back(&self, refused: usize) -> Result<()> {
        for step in self.steps.iter().take(refused + 1).rev() {
            self.journal.extend(self.db).await?;
            match &step.action {
                Action::Update(change) => self.undo(step, change).await?,
                Action::Insert(new) => self.undo_insert(step, new).await?,
            }
        }
        Ok(())
    }

    async fn undo(&self, step: &Step, change: &Change) -> Result<()> {
        let (model, id) = (step.model(), &step.id);
        let mut did_not_fit = false;
        for _ in 0..ROUNDS {
            let mut operators = change.undo.clone();
            change.version.bump(&mut operators);
            merge(
                &mut operators,
                "$pull",
                doc! { stored::SAGA_MARKS: step.mark },
            );
            let made = step.with_mark(step.mark);
            let made = doc! { "$and": [made, &change.undo_fits] };
            if self.send(step, made, operators).await? > 0 {
                return Ok(());
            }
            // The step was not made, or is undone: if it is still on its way, it finds another version.
            let mut operators = Document::new();
            change.version.bump(&mut operators);
            let unmade = step.with_mark(doc! { "$ne": step.mark });
            if self.send(step, unmade, operators).await? > 0 {
                return Ok(());
            }
            match self.read_state(step, change).await? {
                None => return Ok(()),
                // The mark may have come between the two updates.
                Some((_, is_made)) if is_made && !did_not_fit => did_not_fit = true,
                Some((_, true)) if !change.undo_fits.is_empty() => {
                    return Err(Error::Impossible {
                        what: format!(
                            "the undo of a saga's step: a number of the {model} would leave the range of its type, or break a check"
                        ),
                    });
                }
                Some(_) => {}
            }
        }
        Err(Error::Unsettled {
            model: "Saga",
            id: Box::new(Bson::String(format!("{}: {model} {id}", self.journal.id))),
        })
    }

    /// Takes the mark off, and makes a job ready.
    pub(super) async fn unmark(&self, step: &Step) -> Result<()> {
        let marked = step.with_mark(step.mark);
        self.send(step, marked, step.release()).await.map(drop)
    }

    /// Reads the version of a step's document, and true if the step is made.
    async fn read_state(&self, step: &Step, change: &Change) -> Result<Option<(i64, bool)>> {
        let (version, _) = change.version.stored();
        let args = FindArgs {
            projection: Some(doc! { version: 1, stored::SAGA_MARKS: 1 }),
            ..FindArgs::default()
        };
        let filter = step.own.clone();
        let read = |raw: &bson::RawDocument| Ok(Document::try_from(raw).unwrap_or_default());
        let found = driver::first(self.db, &step.collection, filter, args, None, read).await?;
        Ok(found.map(|found| {
            let dn = found.get_document(stored::OWN).ok();
            let marks = dn.and_then(|dn| dn.get_array(stored::key::SAGA_MARKS).ok());
            let mark = Bson::ObjectId(step.mark);
            let marked = marks.is_some_and(|marks| marks.contains(&mark));
            (integer(found.get(version)).unwrap_or(0), marked)
        }))
    }

    /// Sends one durable update, again if its reply is lost; gives the number of documents that it matched. A step that was made already
    /// matches none, because of its mark.
    async fn send(&self, step: &Step, filter: Document, operators: Document) -> Result<u64> {
        let mut tries = 0;
        loop {
            let args = UpdateArgs {
                filter: filter.clone(),
                changes: UpdateModifications::Document(operators.clone()),
                many: false,
                upsert: false,
                lasting: Lasting::Durable,
                strings: driver::Strings::Exactly,
            };
            match driver::update(self.db, &step.collection, args, None).await {
                Err(error) if tries < RETRIES && driver::outcome_unknown(&error) => tries += 1,
                done => return Ok(done?.matched_count),
            }
        }
    }
}
