//! The command line: what clap parses, and nothing else.

mod describing;
mod locking;
mod migrating;
mod pulling;

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;

pub(crate) use self::describing::{Diagram, Dialect, Drawing, Report, Schema};
pub(crate) use self::locking::{Compat, Lock};
pub(crate) use self::migrating::{Migrations, RunMigrations, UndoMigration};
pub(crate) use self::pulling::{Diff, Pull, Resolve, Sample, Target};

/// Compares a live MongoDB database with the models of a program.
#[derive(Debug, Parser)]
#[command(
    name = "mongo-model",
    version,
    about,
    disable_help_subcommand = true,
    after_help = EXIT_CODES
)]
pub(crate) struct Cli {
    #[command(flatten)]
    pub(crate) global: Global,
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// The same under cargo, where the models are found by building a program that links them.
#[derive(Debug, Parser)]
#[command(
    name = "cargo-mongo-model",
    bin_name = "cargo mongo-model",
    version,
    about = "Compares a live MongoDB database with the models of a crate.",
    disable_help_subcommand = true,
    after_help = EXIT_CODES
)]
pub(crate) struct CargoCli {
    #[command(flatten)]
    pub(crate) build: Build,
    #[command(flatten)]
    pub(crate) cli: Cli,
}

const EXIT_CODES: &str = "Exit codes: 0 nothing was found or is left to do, 1 something was found or is left, 2 the command could not run or was stopped. The `--help` of a command says more.";

/// Options of every command.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Global options")]
pub(crate) struct Global {
    /// Connection string of the server; the password is never printed
    #[arg(
        long = "uri",
        global = true,
        value_name = "URI",
        env = "MONGODB_URI",
        hide_env_values = true
    )]
    pub(crate) uris: Vec<String>,
    /// Database; the default is the one that the connection string names
    #[arg(long = "db", global = true, value_name = "NAME")]
    pub(crate) dbs: Vec<String>,
    /// Only these models, by Rust name or collection; may be repeated
    #[arg(long = "model", global = true, value_name = "MODEL")]
    pub(crate) models: Vec<String>,
    /// Print one JSON document instead of text; tool/README.md documents its shape
    #[arg(long, global = true)]
    pub(crate) json: bool,
    /// Colours; `auto` respects NO_COLOR and CLICOLOR_FORCE
    #[arg(long, global = true, value_enum, default_value_t = Color::Auto)]
    pub(crate) color: Color,
    /// Seconds to wait for a server
    #[arg(long, global = true, value_name = "SECONDS", default_value_t = 5)]
    pub(crate) timeout: u64,
    /// Print the name and collection of every command that is sent, on standard error
    #[arg(long, global = true)]
    pub(crate) show_commands: bool,
}

/// How cargo finds and builds the models.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Build options")]
pub(crate) struct Build {
    /// Package whose library has the models; may be repeated
    #[arg(short, long = "package", global = true, value_name = "SPEC")]
    pub(crate) packages: Vec<String>,
    /// Features of these packages; may be repeated, or separated by commas
    #[arg(short = 'F', long, global = true, value_delimiter = ',')]
    pub(crate) features: Vec<String>,
    /// All features of these packages
    #[arg(long, global = true)]
    pub(crate) all_features: bool,
    /// No default features of these packages
    #[arg(long, global = true)]
    pub(crate) no_default_features: bool,
    /// Build with optimisations
    #[arg(short, long, global = true)]
    pub(crate) release: bool,
    /// Path of the Cargo.toml
    #[arg(long, global = true, value_name = "PATH")]
    pub(crate) manifest_path: Option<PathBuf>,
    /// Folder of cargo's output; the default is the workspace's
    #[arg(long, global = true, value_name = "FOLDER")]
    pub(crate) target_dir: Option<PathBuf>,
    /// Do not use the network for the build
    #[arg(long, global = true)]
    pub(crate) offline: bool,
}

/// When text has colours.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Color {
    /// On a terminal.
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

/// The command to run.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Compare indexes, validators, documents, references and copies with the models; writes nothing
    #[command(
        after_help = "Exit codes: 0 no problem was found (with --strict: no note either); 1 problems were found; 2 the command could not run, or was stopped."
    )]
    Check(Check),
    /// Show what `apply` would do to indexes and validators; writes nothing
    #[command(
        after_help = "Exit codes: 0 indexes and validators are as declared; 1 something remains to be done; 2 the command could not run, or was stopped."
    )]
    Plan(Apply),
    /// Build and change indexes and validators as the models declare
    #[command(
        after_help = "Exit codes: 0 indexes and validators are now as declared; 1 something could not be done; 2 the command could not run, or was stopped."
    )]
    Apply(Apply),
    /// Compare copies, references, lists and counts with their sources; writes nothing
    #[command(
        after_help = "Exit codes: 0 no problem was found; 1 problems were found; 2 the command could not run, or was stopped."
    )]
    Verify(Verify),
    /// Correct what `verify` finds
    #[command(
        after_help = "Exit codes: 0 nothing is left to repair; 1 problems are left; 2 the command could not run, or was stopped."
    )]
    Repair(Repair),
    /// Fill copies that were declared after the documents had been stored
    #[command(
        after_help = "Exit codes: 0 no document lacks copies any more; 1 the server refused some documents; 2 the command could not run, or was stopped."
    )]
    Backfill(Backfill),
    /// Bring documents of older schema versions to the current one
    #[command(
        after_help = "Exit codes: 0 no document has an older version any more; 1 some documents stay as they are; 2 the command could not run, or was stopped."
    )]
    Migrate(Migrate),
    /// Show, run and undo the functions that change a database once
    #[command(subcommand)]
    Migrations(Migrations),
    /// Finish work that interrupted programs left flagged
    #[command(
        after_help = "Exit codes: 0 nothing is left to finish; 1 something could not be finished; 2 the command could not run, or was stopped."
    )]
    Recover(Recover),
    /// Correct what writes by other programs leave wrong, until Ctrl-C
    #[command(
        after_help = "Exit codes: 0 stopped by Ctrl-C; 2 the command could not run. You can stop or kill it at any time: the next run continues where it was."
    )]
    Follow(Follow),
    /// Run each access pattern and generated finder through `explain`; writes nothing
    #[command(
        after_help = "Exit codes: 0 every plan is good, and as it was; 1 a plan examines more than it returns, or got worse; 2 the command could not run, or was stopped."
    )]
    Explain(Explain),
    /// Show advice about the models; writes nothing
    #[command(
        after_help = "Exit codes: 0 with or without advice; 2 the command could not run, or was stopped."
    )]
    Report(Report),
    /// Explain a rule: what it says, why, how to follow it, how to allow it
    Rule(Rule),
    /// List all rules
    Rules,
    /// Draw collections, embedded documents, references, copies and indexes
    Diagram(Diagram),
    /// Print the JSON Schema that other programs see
    Schema(Schema),
    /// List the fields that are about persons, and what an erase does with each
    Personal,
    /// Write what the models promise into `mongo-model.lock`, and show what has changed
    #[command(
        after_help = "Exit codes: 0 the file says what the models promise; 1 (with --check) it does not, or a release was edited; 2 the command could not run, or was stopped."
    )]
    Lock(Lock),
    /// Show what the changes since a release or a git ref mean while old and new programs run side by side
    #[command(
        after_help = "Exit codes: 0 each reads what the other stores; 1 some documents of one are not read by the other; 2 the command could not run, or was stopped."
    )]
    Compat(Compat),
    /// Write models for an existing database, with the evidence that its documents give
    #[command(
        after_help = "Exit codes: 0 the models are written; 1 they are written, and something in them needs a review; 2 the command could not run, or was stopped."
    )]
    Pull(Pull),
    /// Compare the databases of two `--uri`, or of two `--db`: collections, options, indexes and the shapes of documents; writes nothing
    #[command(
        after_help = "Exit codes: 0 no difference was found; 1 differences were found; 2 the command could not run, or was stopped. Collections with names `_dn.*`, in which mongo-model keeps its records, are not compared."
    )]
    Diff(Diff),
    /// Bring the values of a field to one type where that loses nothing; shows the updates, and writes with --apply
    #[command(
        after_help = "Exit codes: 0 every value has the type; 1 some have not; 2 the command could not run, or was stopped."
    )]
    Resolve(Resolve),
    /// Print documents with every value replaced, for a report of a defect; writes nothing to the database
    #[command(
        after_help = "Exit codes: 0 the documents were printed; 2 the command could not run, or was stopped."
    )]
    Sample(Sample),
    /// Write the one-line binary and a CI snippet into a crate
    Init(Init),
    /// Print a completion script for a shell
    Completions(Completions),
}

impl Command {
    /// True if the command needs the program that links the models.
    pub(crate) fn needs_models(&self) -> bool {
        !matches!(
            self,
            Command::Rule(_)
                | Command::Rules
                | Command::Pull(_)
                | Command::Diff(_)
                | Command::Resolve(_)
                | Command::Sample(_)
                | Command::Init(_)
                | Command::Completions(_)
        )
    }

    /// The name, as it is typed.
    pub(crate) fn name(&self) -> &'static str {
        match self {
            Command::Check(_) => "check",
            Command::Plan(_) => "plan",
            Command::Apply(_) => "apply",
            Command::Verify(_) => "verify",
            Command::Repair(_) => "repair",
            Command::Backfill(_) => "backfill",
            Command::Migrate(_) => "migrate",
            Command::Migrations(action) => action.name(),
            Command::Recover(_) => "recover",
            Command::Follow(_) => "follow",
            Command::Explain(_) => "explain",
            Command::Report(_) => "report",
            Command::Rule(_) => "rule",
            Command::Rules => "rules",
            Command::Diagram(_) => "diagram",
            Command::Schema(_) => "schema",
            Command::Personal => "personal",
            Command::Lock(_) => "lock",
            Command::Compat(_) => "compat",
            Command::Pull(_) => "pull",
            Command::Diff(_) => "diff",
            Command::Resolve(_) => "resolve",
            Command::Sample(_) => "sample",
            Command::Init(_) => "init",
            Command::Completions(_) => "completions",
        }
    }
}

/// Options of `check`.
#[derive(Debug, Args)]
pub(crate) struct Check {
    /// Look at every document, however large the collection
    #[arg(long, conflicts_with = "sample")]
    pub(crate) full: bool,
    /// Look at this many random documents of each collection; by default 10,000 of those with more than 100,000 documents
    #[arg(long, value_name = "DOCUMENTS")]
    pub(crate) sample: Option<u32>,
    /// Examples per finding
    #[arg(long, value_name = "NUMBER", default_value_t = 3)]
    pub(crate) examples: usize,
    /// Notes (unknown indexes and collections, for example) count as findings too
    #[arg(long)]
    pub(crate) strict: bool,
    #[command(flatten)]
    pub(crate) walk: Walk,
}

/// The question before a write.
#[derive(Debug, Args)]
pub(crate) struct Confirm {
    /// Write without asking
    #[arg(short, long)]
    pub(crate) yes: bool,
}

/// Options of `plan` and `apply`.
#[derive(Debug, Args)]
pub(crate) struct Apply {
    #[command(flatten)]
    pub(crate) confirm: Confirm,
    /// Drop and rebuild indexes that conflict with declared ones
    #[arg(long)]
    pub(crate) replace_conflicts: bool,
    /// Drop indexes that no model declares, after everything else is in place
    #[arg(long)]
    pub(crate) drop_unknown: bool,
    /// Hide indexes that no model declares; with --drop-unknown, drop only those that are hidden already
    #[arg(long)]
    pub(crate) hide_first: bool,
    /// On a sharded cluster, shard collections whose models have a shard key and that are not sharded
    #[arg(long)]
    pub(crate) shard: bool,
    /// State that all programs know the copies that this one knows
    #[arg(long)]
    pub(crate) accept_copies: bool,
    /// Include validators: the server warns about wrong documents, or refuses them
    #[arg(long, value_enum, value_name = "ACTION")]
    pub(crate) validators: Option<Validators>,
    /// Replace validators that mongo-model did not write
    #[arg(long, requires = "validators")]
    pub(crate) replace_validators: bool,
}

/// The action of validators.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Validators {
    /// Keep the action that is set; new validators warn.
    Keep,
    /// Write a line into the server's log.
    Warn,
    /// Refuse the document.
    Error,
}

/// Options of `verify`.
#[derive(Debug, Args)]
pub(crate) struct Verify {
    #[command(flatten)]
    pub(crate) walk: Walk,
    /// Examples per finding
    #[arg(long, value_name = "NUMBER", default_value_t = 3)]
    pub(crate) examples: usize,
}

/// Where a walk begins, and how long its steps are.
#[derive(Debug, Args)]
pub(crate) struct Walk {
    /// Continue where a walk was stopped: a collection, and the last `_id` in Extended JSON
    #[arg(long, value_name = "COLLECTION[:ID]")]
    pub(crate) from: Option<String>,
    /// Documents per step
    #[arg(long, value_name = "DOCUMENTS", default_value_t = 10_000, value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) batch: u32,
}

/// Options of `repair`.
#[derive(Debug, Args)]
pub(crate) struct Repair {
    #[command(flatten)]
    pub(crate) confirm: Confirm,
    #[command(flatten)]
    pub(crate) verify: Verify,
}

/// Options of `backfill`.
#[derive(Debug, Args)]
pub(crate) struct Backfill {
    #[command(flatten)]
    pub(crate) confirm: Confirm,
    /// Only the copies on one reference: `products.parts`
    #[arg(long, value_name = "REFERENCE")]
    pub(crate) reference: Option<String>,
    #[command(flatten)]
    pub(crate) walk: Walk,
}

/// Options of `follow`.
#[derive(Debug, Args)]
pub(crate) struct Follow {
    #[command(flatten)]
    pub(crate) confirm: Confirm,
    /// Name of the position and of the lock; programs with different models need different ones
    #[arg(long, value_name = "NAME", default_value = "follower")]
    pub(crate) name: String,
    /// Seconds without a renewal of the lock after which another program takes over
    #[arg(long, value_name = "SECONDS", default_value_t = 6, value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) lease: u64,
    /// Instead of a change stream, compare all documents at this interval: for a server without change streams
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) poll: Option<u64>,
}

/// Options of `recover`.
#[derive(Debug, Args)]
pub(crate) struct Recover {
    #[command(flatten)]
    pub(crate) confirm: Confirm,
    /// Collection with the journals of sagas; may be repeated
    #[arg(long, value_name = "COLLECTION", default_value = mongo_model::saga::COLLECTION)]
    pub(crate) sagas: Vec<String>,
}

/// Options of `migrate`.
#[derive(Debug, Args)]
pub(crate) struct Migrate {
    #[command(flatten)]
    pub(crate) confirm: Confirm,
    /// Documents to read and store together
    #[arg(long, value_name = "DOCUMENTS", default_value_t = 1_000, value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) batch: u32,
}

/// Options of `explain`.
#[derive(Debug, Args)]
pub(crate) struct Explain {
    /// Store the plans in a file
    #[arg(long, value_name = "FILE")]
    pub(crate) save: Option<PathBuf>,
    /// Compare the plans with those in a file: a different index, or more work per result, is a finding
    #[arg(long, value_name = "FILE")]
    pub(crate) against: Option<PathBuf>,
}

/// Options of `rule`.
#[derive(Debug, Args)]
pub(crate) struct Rule {
    /// The code of a rule; may be repeated
    #[arg(value_name = "RULE", required = true)]
    pub(crate) codes: Vec<String>,
}

/// Options of `init`.
#[derive(Debug, Args)]
pub(crate) struct Init {
    #[command(flatten)]
    pub(crate) confirm: Confirm,
    /// Folder of the crate
    #[arg(long, value_name = "FOLDER", default_value = ".")]
    pub(crate) path: PathBuf,
}

/// Options of `completions`.
#[derive(Debug, Args)]
pub(crate) struct Completions {
    /// The shell
    #[arg(value_enum)]
    pub(crate) shell: Shell,
}
