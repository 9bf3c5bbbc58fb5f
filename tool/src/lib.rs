//! Compares a live MongoDB database with the models of a program: the work behind `cargo mongo-model`.
//!
//! Under cargo the models are found automatically: `cargo mongo-model check` builds a small program that links the
//! library of the package, and runs it. Without cargo, one line in a binary does the same:
//!
//! ```no_run
//! use std::process::ExitCode;
//!
//! // use my_models as _; // links the crate with the models, if they are not in this one
//!
//! fn main() -> ExitCode {
//!     mongo_model_tool::main()
//! }
//! ```
//!
//! The commands, their options and the JSON that they print are described in the package's README.

#![warn(missing_docs)]

mod cli;
mod commands;
mod connection;
mod failure;
mod findings;
#[cfg(test)]
mod floors;
mod interrupt;
mod models;
mod output;
mod program;
mod pull;
mod references;
mod runner;
mod secrets;
mod walk;

use std::ffi::OsString;
use std::path::Path;
use std::process::ExitCode;

use clap::{CommandFactory, Parser};

use self::cli::{CargoCli, Cli, Command, Global};
use self::commands::Verdict;
use self::connection::Connection;
use self::failure::{Failure, Result};
use self::models::Models;
use self::output::Output;

/// Runs the command that the arguments of the process name, on the models that are linked into it.
///
/// Exits by itself where the arguments cannot be parsed, or ask for help. The exit code is 0 where nothing was found, 1 where
/// something was, 2 where the command could not run or was stopped.
#[must_use]
pub fn main() -> ExitCode {
    run(std::env::args_os())
}

/// As [`main`], with other arguments than those of the process; the first is the program's name.
#[must_use]
pub fn run(args: impl IntoIterator<Item = OsString>) -> ExitCode {
    let args: Vec<OsString> = args.into_iter().collect();
    let name = args.first().map(Path::new).and_then(Path::file_stem);
    let name = name.map_or_else(|| "mongo-model".into(), |name| name.to_string_lossy());
    program::set_program(&name);
    let Cli { global, command } = Cli::parse_from(&args);
    execute(&global, &command, Cli::command())
}

/// As [`main`], for the program that `cargo mongo-model` generates: cargo's options are taken and not looked at.
#[doc(hidden)]
#[must_use]
pub fn runner_main() -> ExitCode {
    program::set_program(CARGO_SUBCOMMAND);
    let CargoCli { build: _, cli } = CargoCli::parse();
    execute(&cli.global, &cli.command, CargoCli::command())
}

const CARGO_SUBCOMMAND: &str = "cargo mongo-model";

/// `cargo mongo-model`: commands about models run in a program that links them, the others here.
#[doc(hidden)]
#[must_use]
pub fn cargo_main() -> ExitCode {
    program::set_program(CARGO_SUBCOMMAND);
    let mut args: Vec<_> = std::env::args_os().collect();
    // Cargo passes the name of the subcommand as the first argument.
    if args.get(1).is_some_and(|first| first == "mongo-model") {
        args.remove(1);
    }
    let CargoCli { build, cli } = CargoCli::parse_from(&args);
    if !cli.command.needs_models() {
        return execute(&cli.global, &cli.command, CargoCli::command());
    }
    let out = Output::new(&cli.global);
    match runner::run(&build, &args[1..], out) {
        Ok(code) => code,
        Err(failure) => {
            out.failure(cli.command.name(), &failure);
            ExitCode::from(2)
        }
    }
}

/// Fails a test if `mongo-model.lock`, beside the package's Cargo.toml, is not what the linked models promise. The message is what
/// `cargo mongo-model lock --check` prints.
///
/// ```no_run
/// // use my_models as _; // links the crate with the models, if they are not in this one
///
/// #[test]
/// fn schema_is_locked() {
///     mongo_model_tool::assert_locked!();
/// }
/// ```
#[macro_export]
macro_rules! assert_locked {
    () => {
        $crate::assert_lock(::std::env!("CARGO_MANIFEST_DIR"))
    };
}

/// As [`assert_locked`], for the file in this folder.
#[doc(hidden)]
#[track_caller]
pub fn assert_lock(folder: &str) {
    program::set_program(CARGO_SUBCOMMAND);
    let difference = commands::lock::difference(&Path::new(folder).join(commands::lock::NAME));
    let difference = difference.unwrap_or_else(|failure| Some(failure.to_string()));
    if let Some(text) = difference {
        panic!(
            "{}",
            anstream::adapter::strip_str(&program::as_typed(&text))
        );
    }
}

fn execute(global: &Global, command: &Command, program: clap::Command) -> ExitCode {
    let out = Output::new(global);
    if let Command::Completions(args) = command {
        print_completions(args.shell, program);
        return ExitCode::SUCCESS;
    }
    interrupt::catch();
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build();
    let done = match runtime {
        Ok(runtime) => {
            let done = runtime.block_on(dispatch(global, command, out));
            // A query that was given up may still be on its way.
            runtime.shutdown_background();
            done
        }
        Err(error) => Err(Failure::new(format!(
            "the asynchronous runtime does not start: {error}"
        ))),
    };
    match done {
        Ok(Verdict::Fine) => ExitCode::SUCCESS,
        Ok(Verdict::Findings) => ExitCode::from(1),
        Err(failure) => {
            out.failure(command.name(), &failure);
            ExitCode::from(2)
        }
    }
}

async fn dispatch(global: &Global, command: &Command, out: Output) -> Result<Verdict> {
    if global.uris.len().max(global.dbs.len()) > 1 && !matches!(command, Command::Diff(_)) {
        let message = format!("`{}` takes one `--uri` and one `--db`", command.name());
        return Err(Failure::new(message).help("`mongo-model diff` compares two databases"));
    }
    match command {
        Command::Rule(args) => commands::rule::show_rule(args, out),
        Command::Rules => commands::rule::list_rules(out),
        Command::Init(args) => commands::init::run(args, out),
        Command::Pull(_) if !global.models.is_empty() => Err(Failure::new(
            "`pull` writes models, and `--model` chooses among those of a program",
        )
        .help("`--collection NAME` pulls one collection")),
        Command::Pull(args) => {
            commands::pull::run(&Connection::open(global).await?, args, out).await
        }
        Command::Migrations(_) if !global.models.is_empty() => Err(Failure::new(
            "a migration changes a database, and `--model` chooses among models",
        )
        .help("run the command without `--model`")),
        Command::Migrations(action) => {
            commands::migrations::run(&Connection::open(global).await?, action, out).await
        }
        Command::Diff(_) if !global.models.is_empty() => Err(Failure::new(
            "`diff` compares databases, and `--model` chooses among models",
        )
        .help("`--collection NAME` compares one collection")),
        Command::Diff(args) => commands::diff::run(global, args, out).await,
        Command::Resolve(args) => {
            commands::resolve::run(&Connection::open(global).await?, args, out).await
        }
        Command::Sample(args) => {
            commands::sample::run(&Connection::open(global).await?, args, out).await
        }
        command => with_models(global, command, &Models::select(&global.models)?, out).await,
    }
}

/// Commands about models; the connection is opened by those that need one.
async fn with_models(
    global: &Global,
    command: &Command,
    models: &Models,
    out: Output,
) -> Result<Verdict> {
    match command {
        Command::Schema(args) => return commands::schema::run(models, args),
        Command::Personal => return Ok(commands::personal::run(models, out)),
        Command::Diagram(args) => return commands::diagram::run(models, args, out),
        Command::Compat(args) => {
            return commands::compat::run(global, models, args, out).await;
        }
        Command::Lock(args) => return commands::lock::run(models, args, out),
        Command::Report(args) if !args.usage && !args.check => {
            return commands::report::run(None, models, args, out).await;
        }
        _ => {}
    }
    let connection = &Connection::open(global).await?;
    match command {
        Command::Check(args) => commands::check::run(connection, models, args, out).await,
        Command::Plan(args) => commands::plan::plan(connection, models, args, out).await,
        Command::Apply(args) => commands::plan::apply(connection, models, args, out).await,
        Command::Verify(args) => commands::verify::verify(connection, models, args, out).await,
        Command::Repair(args) => commands::verify::repair(connection, models, args, out).await,
        Command::Backfill(args) => {
            commands::maintain::backfill(connection, models, args, out).await
        }
        Command::Migrate(args) => commands::maintain::migrate(connection, models, args, out).await,
        Command::Recover(args) => commands::maintain::recover(connection, args, out).await,
        Command::Follow(args) => commands::follow::follow(connection, args, out).await,
        Command::Explain(args) => commands::explain::run(connection, models, args, out).await,
        Command::Report(args) => commands::report::run(Some(connection), models, args, out).await,
        other => Err(Failure::new(format!("`{}` needs no server", other.name()))),
    }
}

/// Prints a completion script for a program. Cargo passes on no completions, so that `cargo mongo-model` is completed as
/// `cargo-mongo-model`.
fn print_completions(shell: clap_complete::Shell, mut program: clap::Command) {
    let mut script = Vec::new();
    let name = program::program().replace(' ', "-");
    clap_complete::generate(shell, &mut program, name, &mut script);
    output::write_out(&String::from_utf8_lossy(&script));
}
