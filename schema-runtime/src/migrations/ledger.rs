//! The ledger: a document per migration, in a collection of the library.
//!
//! `{_id: <name>, format, state, token, program, started, finished?, error?, walks: [{at?, documents, done}]}`.
//!
//! `token` is the fencing token of the lock under which the migration was run. Every write names it: a program that has lost the lock
//! changes nothing from the moment at which its successor has claimed the migration. An undone migration keeps its document, so that no
//! late write of its run finds none and inserts it.

use std::collections::BTreeMap;

use bson::{Bson, DateTime, Document, doc};

use super::step::Step;
use crate::bson_util::number::integer;
use crate::driver::{self, Database, FindArgs, Lasting, ReadOptions, UpdateArgs};
use crate::error::{Error, Result};
use crate::schema::stored;

/// The format of the documents. A document of a later one was written by a newer program.
const FORMAT: i64 = 1;

/// The number of times that a command is sent again after its reply was lost.
const RETRIES: usize = 2;

/// The state of a migration in a database.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum MigrationState {
    /// It has not run, or it is undone.
    Pending,
    /// A program runs it, or has died in it: the next run continues it.
    Running,
    /// It ended with an error: the next run continues it.
    Failed,
    /// It has run.
    Done,
    /// It is being undone, or its undo has ended with an error: the next undo continues it.
    Undoing,
}

impl MigrationState {
    const UNDONE: &str = "undone";

    /// The state as a word, as in the ledger: `done`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            MigrationState::Pending => "pending",
            MigrationState::Running => "running",
            MigrationState::Failed => "failed",
            MigrationState::Done => "done",
            MigrationState::Undoing => "undoing",
        }
    }

    fn read(name: &str) -> Option<Self> {
        Some(match name {
            "running" => MigrationState::Running,
            "failed" => MigrationState::Failed,
            "done" => MigrationState::Done,
            "undoing" => MigrationState::Undoing,
            Self::UNDONE => MigrationState::Pending,
            _ => return None,
        })
    }
}

/// The stored position of a walk.
#[derive(Debug, Clone, Default)]
pub(super) struct WalkPosition {
    /// The token of the page that comes next.
    pub(super) at: Option<String>,
    pub(super) documents: u64,
    pub(super) done: bool,
}

impl WalkPosition {
    fn read(stored: &Bson) -> Self {
        let stored = stored.as_document();
        let documents = stored.and_then(|stored| integer(stored.get("documents")));
        let at = stored.and_then(|stored| stored.get_str("at").ok());
        WalkPosition {
            at: at.map(str::to_owned),
            documents: documents.and_then(|n| u64::try_from(n).ok()).unwrap_or(0),
            done: stored.is_some_and(|stored| stored.get_bool("done").unwrap_or(false)),
        }
    }

    fn stored(&self) -> Document {
        let documents = i64::try_from(self.documents).unwrap_or(i64::MAX);
        let mut stored = doc! { "documents": documents, "done": self.done };
        stored.extend(self.at.as_ref().map(|at| ("at".to_owned(), at.into())));
        stored
    }
}

/// A migration as the ledger has it.
#[derive(Debug)]
pub(super) struct Entry {
    pub(super) state: MigrationState,
    pub(super) program: String,
    pub(super) started: Option<DateTime>,
    pub(super) finished: Option<DateTime>,
    pub(super) error: Option<String>,
    pub(super) walks: Vec<WalkPosition>,
}

impl Entry {
    fn read(stored: &Document) -> Result<(String, Entry)> {
        let id = stored.get("_id").unwrap_or(&Bson::Null);
        let format = integer(stored.get("format")).unwrap_or(0);
        if format > FORMAT {
            let name = id.as_str().map_or_else(|| id.to_string(), str::to_owned);
            return Err(Error::NewerLedger {
                name,
                found: format,
                known: FORMAT,
            });
        }
        let state = stored.get_str("state").ok().and_then(MigrationState::read);
        let (Bson::String(name), Some(state)) = (id, state) else {
            let what = format!(
                "`{}` has a document that this library has not written: {id}",
                stored::MIGRATIONS
            );
            return Err(Error::Impossible { what });
        };
        let text = |key: &str| stored.get_str(key).ok().map(str::to_owned);
        let time = |key: &str| stored.get_datetime(key).ok().copied();
        let walks = stored.get_array("walks").into_iter().flatten();
        let entry = Entry {
            state,
            program: text("program").unwrap_or_default(),
            started: time("started"),
            finished: time("finished"),
            error: text("error"),
            walks: walks.map(WalkPosition::read).collect(),
        };
        Ok((name.clone(), entry))
    }
}

/// The ledger of a database, as it was read.
#[derive(Debug)]
pub(super) struct Ledger(pub(super) BTreeMap<String, Entry>);

impl Ledger {
    /// Reads the whole ledger from the primary, as a majority of the servers has it. Sends one `find`.
    pub(super) async fn read(db: &Database) -> Result<Ledger> {
        let options = ReadOptions {
            concern: Some(mongodb::options::ReadConcern::majority()),
            ..ReadOptions::from_primary()
        };
        let args = FindArgs {
            options,
            ..FindArgs::default()
        };
        let mut rows = driver::open(db, stored::MIGRATIONS, doc! {}, args, None).await?;
        let mut entries = BTreeMap::new();
        while let Some(row) = rows.next(|raw| Ok(Document::try_from(raw).ok())).await? {
            let (name, entry) = Entry::read(&row.unwrap_or_default())?;
            entries.insert(name, entry);
        }
        Ok(Ledger(entries))
    }

    /// The state of the migration of this name.
    pub(super) fn state(&self, name: &str) -> MigrationState {
        let entry = self.0.get(name);
        entry.map_or(MigrationState::Pending, |entry| entry.state)
    }

    /// The migrations that have run, and are not linked into the program.
    pub(super) fn names_ahead(&self, steps: &[&Step]) -> Vec<String> {
        let is_linked = |name: &str| steps.iter().any(|step| step.name == name);
        let ahead = self.0.iter().filter(|(name, entry)| {
            entry.state != MigrationState::Pending && !is_linked(name.as_str())
        });
        ahead.map(|(name, _)| name.clone()).collect()
    }
}

/// The right to change a migration's document in the ledger.
#[derive(Debug, Clone)]
pub(super) struct Claim {
    pub(super) db: Database,
    pub(super) name: &'static str,
    pub(super) token: i64,
}

impl Claim {
    /// Begins the migration, or continues it; gives the positions of its walks, and `None` if it is done, or another program has claimed
    /// it. Sends one durable `findAndModify`, again if its reply is lost.
    pub(super) async fn run(&self, program: &str) -> Result<Option<Vec<WalkPosition>>> {
        let filter = doc! { "state": { "$ne": MigrationState::Done.name() } };
        let is_new = doc! { "$eq": ["$state", MigrationState::UNDONE] };
        self.send(filter, MigrationState::Running, is_new, program)
            .await
    }

    /// As [`run`](Self::run), for the undo of a migration that is done.
    pub(super) async fn undo(&self, program: &str) -> Result<Option<Vec<WalkPosition>>> {
        let (done, undoing) = (MigrationState::Done.name(), MigrationState::Undoing.name());
        let filter = doc! { "state": { "$in": [done, undoing] } };
        let is_new = doc! { "$eq": ["$state", done] };
        self.send(filter, MigrationState::Undoing, is_new, program)
            .await
    }

    async fn send(
        &self,
        state: Document,
        next: MigrationState,
        is_new: Document,
        program: &str,
    ) -> Result<Option<Vec<WalkPosition>>> {
        let mut filter = doc! {
            "_id": { "$eq": self.name },
            "token": { "$not": { "$gt": self.token } },
            "format": { "$not": { "$gt": FORMAT } },
        };
        filter.extend(state);
        let kept = |field: &str, new: Bson| doc! { "$cond": [&is_new, &new, { "$ifNull": [field, &new] }] };
        let pipeline = vec![
            doc! { "$set": {
                "format": FORMAT,
                "state": next.name(),
                "token": self.token,
                "program": { "$literal": program },
                "started": kept("$started", "$$NOW".into()),
                "walks": kept("$walks", Bson::Array(Vec::new())),
            } },
            doc! { "$unset": ["error", "finished"] },
        ];
        let mut tries = 0;
        let found = loop {
            let args = UpdateArgs {
                filter: filter.clone(),
                changes: pipeline.clone().into(),
                many: false,
                upsert: next == MigrationState::Running,
                lasting: Lasting::Durable,
                strings: driver::Strings::Exactly,
            };
            let fields = doc! { "walks": 1 };
            match driver::update_and_read(&self.db, stored::MIGRATIONS, args, fields, None).await {
                Err(error) if tries < RETRIES && driver::outcome_unknown(&error) => tries += 1,
                Err(error) if driver::is_duplicate(&error) => return Ok(None),
                found => break found?,
            }
        };
        let walks = |found: Document| {
            let walks = found.get_array("walks").into_iter().flatten();
            walks.map(WalkPosition::read).collect()
        };
        Ok(found.map(walks))
    }

    /// Stores the position of the walk with this number.
    pub(super) async fn store(&self, walk: usize, position: &WalkPosition) -> Result<()> {
        let at = format!("walks.{walk}");
        self.write(doc! { "$set": { at: position.stored() } }).await
    }

    /// Records that the migration is done.
    pub(super) async fn finish(&self) -> Result<()> {
        self.end(MigrationState::Done.name()).await
    }

    /// Records that the migration is undone.
    pub(super) async fn finish_undo(&self) -> Result<()> {
        self.end(MigrationState::UNDONE).await
    }

    async fn end(&self, state: &str) -> Result<()> {
        let set = doc! { "state": state };
        self.write(doc! { "$set": set, "$currentDate": { "finished": true } })
            .await
    }

    /// Records the error; the migration stays to be continued.
    pub(super) async fn fail(&self, state: MigrationState, error: &Error) -> Result<()> {
        let set = doc! { "state": state.name(), "error": error.to_string() };
        self.write(doc! { "$set": set, "$currentDate": { "finished": true } })
            .await
    }

    /// Sends one durable `update`, again if its reply is lost.
    ///
    /// # Errors
    /// [`Error::LeaseLost`] if another program has claimed the migration since. The driver's.
    async fn write(&self, change: Document) -> Result<()> {
        let filter = doc! { "_id": { "$eq": self.name }, "token": self.token };
        let update = doc! { "q": filter, "u": change };
        let done = driver::statements(&self.db, stored::MIGRATIONS, &[update], true, None).await?;
        if let Some((_, code, message)) = done.failed.into_iter().next() {
            return Err(Error::Refused {
                reference: format!("the ledger of migrations, {}", self.name),
                code,
                message,
            });
        }
        match done.matched {
            0 => Err(Error::LeaseLost {
                of: format!("the migration `{}`", self.name),
                token: self.token,
            }),
            _ => Ok(()),
        }
    }
}
