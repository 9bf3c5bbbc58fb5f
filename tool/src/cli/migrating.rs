//! Options of the command about one-off migrations.

use clap::{Args, Subcommand};

use super::Confirm;

/// The action of `migrations`.
#[derive(Debug, Subcommand)]
pub(crate) enum Migrations {
    /// List the migrations with their states; writes nothing
    #[command(
        after_help = "Exit codes: 0 all migrations are done; 1 some are not, or the database is ahead of the program; 2 the command could not run, or was stopped."
    )]
    Status,
    /// Show what `run` would do, in order; writes nothing
    #[command(
        after_help = "Exit codes: 0 nothing is left to run; 1 something is, or the database is ahead of the program; 2 the command could not run, or was stopped."
    )]
    Plan,
    /// Run the migrations that the database has not seen
    #[command(
        after_help = "Exit codes: 0 all migrations are done; 1 a second dry run would change more; 2 a migration failed, or the command could not run, or was stopped. The next run continues."
    )]
    Run(RunMigrations),
    /// Take a migration back by its `undo`
    #[command(
        after_help = "Exit codes: 0 the migration is undone; 2 the undo failed, or the command could not run, or was stopped. The next undo continues."
    )]
    Undo(UndoMigration),
}

impl Migrations {
    /// The name of the command, as it is typed.
    pub(crate) fn name(&self) -> &'static str {
        match self {
            Migrations::Status => "migrations status",
            Migrations::Plan => "migrations plan",
            Migrations::Run(_) => "migrations run",
            Migrations::Undo(_) => "migrations undo",
        }
    }
}

/// Options of `migrations run`.
#[derive(Debug, Args)]
pub(crate) struct RunMigrations {
    #[command(flatten)]
    pub(crate) confirm: Confirm,
    /// Also run if the database has run migrations that the program does not have
    #[arg(long)]
    pub(crate) allow_ahead: bool,
    /// Run them on copies of some documents in a database that is dropped at the end, and show what they change
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Documents of each collection to copy: those with the lowest `_id`s
    #[arg(long, value_name = "DOCUMENTS", default_value_t = 100, requires = "dry_run", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) samples: u32,
}

/// Options of `migrations undo`.
#[derive(Debug, Args)]
pub(crate) struct UndoMigration {
    #[command(flatten)]
    pub(crate) confirm: Confirm,
    /// Name of the migration
    #[arg(value_name = "NAME")]
    pub(crate) name: String,
}
