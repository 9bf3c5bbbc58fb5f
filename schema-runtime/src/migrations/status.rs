//! The state of migrations in a database.

use bson::DateTime;

use super::ledger::{Entry, Ledger, MigrationState};
use super::order;
use super::step::{Step, linked};
use crate::driver::Database;
use crate::error::Result;

/// A migration, and its state in a database.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct MigrationStatus {
    /// Its name.
    pub name: String,
    /// The migrations that it comes after.
    pub after: &'static [&'static str],
    /// The indexes that it needs, which are built before it runs if they are missing: `{ email: 1 } unique of members`.
    pub needs: Vec<String>,
    /// False if only the database knows it: a newer program has run it.
    pub linked: bool,
    /// True if it declares an `undo`.
    pub has_undo: bool,
    /// Its state.
    pub state: MigrationState,
    /// The package and version of the program that ran it last.
    pub program: Option<String>,
    /// The time when it was begun.
    pub started: Option<DateTime>,
    /// The time when it ended.
    pub finished: Option<DateTime>,
    /// The error that it ended with.
    pub error: Option<String>,
    /// The number of documents that its walks have been through.
    pub documents: u64,
}

impl MigrationStatus {
    fn new(name: &str, step: Option<&Step>, entry: Option<&Entry>) -> Self {
        let entry_of = |read: fn(&Entry) -> Option<DateTime>| entry.and_then(read);
        let documents = entry.map(|entry| entry.walks.iter().map(|walk| walk.documents).sum());
        MigrationStatus {
            name: name.to_owned(),
            after: step.map_or(&[], |step| step.after),
            needs: step.map_or_else(Vec::new, Step::needs_texts),
            linked: step.is_some(),
            has_undo: step.is_some_and(|step| step.undo.is_some()),
            state: entry.map_or(MigrationState::Pending, |entry| entry.state),
            program: entry.map(|entry| entry.program.clone()),
            started: entry_of(|entry| entry.started),
            finished: entry_of(|entry| entry.finished),
            error: entry.and_then(|entry| entry.error.clone()),
            documents: documents.unwrap_or(0),
        }
    }
}

/// The migrations that are linked into the program, in their order, and then those that only the database knows. Sends one `find`.
///
/// # Errors
/// [`Error::MigrationOrder`](crate::Error::MigrationOrder), [`Error::NewerLedger`](crate::Error::NewerLedger), the driver's.
pub async fn list_migrations(db: &Database) -> Result<Vec<MigrationStatus>> {
    let steps = order::sorted(linked())?;
    let ledger = Ledger::read(db).await?;
    let own = steps.iter();
    let own = own.map(|step| MigrationStatus::new(step.name, Some(step), ledger.0.get(step.name)));
    let ahead = ledger.names_ahead(&steps).into_iter();
    let ahead = ahead.map(|name| MigrationStatus::new(&name, None, ledger.0.get(&name)));
    Ok(own.chain(ahead).collect())
}
