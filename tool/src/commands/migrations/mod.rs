//! `migrations`: the one-off migrations of the program, and the state of each in the database.

mod dry_run;
mod progress;

use bson::DateTime;
use mongo_model::migrations::{MigrationState, MigrationStatus};
use mongo_model::{Error, list_migrations, migrate_all, undo_migration};
use serde::Serialize;

use self::progress::watch;
use super::Verdict;
use crate::cli::{Migrations, RunMigrations, UndoMigration};
use crate::connection::Connection;
use crate::failure::{Failure, Result};
use crate::interrupt::or_stop;
use crate::output::{BAD, FAINT, FORMAT, GOOD, NOTE, Output, STRONG, count, paint};
use crate::program::as_typed;

/// The advice on how to go on after an interruption.
const AGAIN: &str = "run the same command again: it continues at the stored position, once the lock of this run has ended after 30 seconds";

/// The JSON document of `status` and `plan`.
#[derive(Serialize)]
struct Report<'a> {
    format: u32,
    command: &'static str,
    database: &'a str,
    ok: bool,
    migrations: Vec<Listed<'a>>,
}

/// A migration.
#[derive(Serialize)]
struct Listed<'a> {
    name: &'a str,
    after: &'a [&'a str],
    needs: &'a [String],
    state: &'static str,
    linked: bool,
    has_undo: bool,
    program: Option<&'a str>,
    started: Option<String>,
    finished: Option<String>,
    error: Option<&'a str>,
    documents: u64,
}

impl<'a> From<&'a MigrationStatus> for Listed<'a> {
    fn from(one: &'a MigrationStatus) -> Self {
        Listed {
            name: &one.name,
            after: one.after,
            needs: &one.needs,
            state: one.state.name(),
            linked: one.linked,
            has_undo: one.has_undo,
            program: one.program.as_deref(),
            started: one.started.and_then(time_text),
            finished: one.finished.and_then(time_text),
            error: one.error.as_deref(),
            documents: one.documents,
        }
    }
}

fn time_text(time: DateTime) -> Option<String> {
    time.try_to_rfc3339_string().ok()
}

/// The result of `run` and `undo`.
#[derive(Serialize)]
struct Changed<'a> {
    format: u32,
    command: &'static str,
    database: &'a str,
    ok: bool,
    migrations: Vec<&'a str>,
}

/// Runs the command.
pub(crate) async fn run(
    connection: &Connection,
    args: &Migrations,
    out: Output,
) -> Result<Verdict> {
    let all = list_migrations(&connection.db).await?;
    let changed = match args {
        Migrations::Status => return Ok(show(connection, args, &all, status_text, out)),
        Migrations::Plan => return Ok(show(connection, args, &all, plan_text, out)),
        Migrations::Run(run) if run.dry_run => {
            let pending = count(pending(&all).count() as u64, "migration");
            return dry_run::run(connection, run, &pending, out).await;
        }
        Migrations::Run(run) => run_pending(connection, run, &all, out).await?,
        Migrations::Undo(undo) => undo_one(connection, undo, out).await?,
    };
    let verb = match args {
        Migrations::Undo(_) => "undid",
        _ => "ran",
    };
    let mut text = String::new();
    for name in &changed {
        text.push_str(&format!("{verb} {}\n", paint(STRONG, name)));
    }
    if changed.is_empty() {
        text = conclusion(&all);
    }
    let document = Changed {
        format: FORMAT,
        command: args.name(),
        database: connection.db.name(),
        ok: true,
        migrations: changed,
    };
    out.both(text, &document);
    Ok(Verdict::Fine)
}

/// Runs what is pending; gives the names.
async fn run_pending(
    connection: &Connection,
    args: &RunMigrations,
    all: &[MigrationStatus],
    out: Output,
) -> Result<Vec<&'static str>> {
    let pending = pending(all).count() as u64;
    if pending > 0 {
        let (number, place) = (count(pending, "migration"), connection.place());
        out.confirm(&args.confirm, &format!("Run {number} in {place}?"))?;
    }
    let run = migrate_all(&connection.db);
    let run = match args.allow_ahead {
        true => run.allow_ahead(),
        false => run,
    };
    let ahead = "run the newer program, or pass `--allow-ahead`";
    let failed = "`mongo-model migrations status` shows what is done";
    match watch(run, AGAIN, out).await? {
        Ok(done) => Ok(done.ran),
        Err(error @ Error::MigrationsAhead { .. }) => Err(Failure::from(error).help(ahead)),
        Err(error @ Error::MigrationFailed { .. }) => Err(Failure::from(error).help(failed)),
        Err(error) => Err(error.into()),
    }
}

/// Undoes a migration; gives its name.
async fn undo_one<'a>(
    connection: &Connection,
    args: &'a UndoMigration,
    out: Output,
) -> Result<Vec<&'a str>> {
    let (name, place) = (args.name.as_str(), connection.place());
    out.confirm(&args.confirm, &format!("Undo `{name}` in {place}?"))?;
    let bar = out.spinner(&format!("undoing {name}"));
    let undone = or_stop(undo_migration(&connection.db, name), AGAIN).await;
    bar.finish_and_clear();
    undone??;
    Ok(vec![name])
}

fn show(
    connection: &Connection,
    args: &Migrations,
    all: &[MigrationStatus],
    list: fn(&[MigrationStatus]) -> String,
    out: Output,
) -> Verdict {
    let report = Report {
        format: FORMAT,
        command: args.name(),
        database: connection.db.name(),
        ok: pending(all).next().is_none() && ahead(all).is_none(),
        migrations: all.iter().map(Listed::from).collect(),
    };
    let mut text = format!("Migrations of {}\n\n", connection.place());
    let list = list(all);
    if !list.is_empty() {
        text.push_str(&format!("{list}\n"));
    }
    text.push_str(&conclusion(all));
    out.both(text, &report);
    Verdict::of(report.ok)
}

/// The migrations of the program that are not done.
fn pending(all: &[MigrationStatus]) -> impl Iterator<Item = &MigrationStatus> {
    all.iter()
        .filter(|one| one.linked && one.state != MigrationState::Done)
}

/// The error of a program that is older than the database.
fn ahead(all: &[MigrationStatus]) -> Option<Error> {
    let names = all
        .iter()
        .filter(|one| !one.linked)
        .map(|one| one.name.clone());
    let names: Vec<String> = names.collect();
    (!names.is_empty()).then_some(Error::MigrationsAhead { names })
}

fn status_text(all: &[MigrationStatus]) -> String {
    let width = width(all);
    let mut text = String::new();
    for one in all {
        let style = match one.state {
            MigrationState::Done => GOOD,
            MigrationState::Failed => BAD,
            _ => NOTE,
        };
        let mut parts = Vec::new();
        parts.extend(one.finished.or(one.started).and_then(time_text));
        parts.extend(one.program.as_ref().map(|program| format!("by {program}")));
        parts.extend((one.documents > 0).then(|| count(one.documents, "document")));
        parts.extend((!one.linked).then(|| "not in this program".to_owned()));
        let state = paint(style, format!("{:<8}", one.state.name()));
        let line = format!("{:<width$}  {state} {}", one.name, parts.join(", "));
        text.push_str(&format!("{}\n", line.trim_end()));
        if let Some(error) = &one.error {
            text.push_str(&format!("    {error}\n"));
        }
    }
    text
}

fn plan_text(all: &[MigrationStatus]) -> String {
    let width = width(all);
    let mut text = String::new();
    for (one, number) in pending(all).zip(1..) {
        let action = match one.state {
            MigrationState::Pending => "run",
            MigrationState::Undoing => "undo",
            _ => "continue",
        };
        let mut parts = Vec::new();
        parts.extend((!one.after.is_empty()).then(|| format!("after {}", one.after.join(", "))));
        parts.extend(one.needs.iter().map(|index| format!("needs {index}")));
        parts.extend((!one.has_undo).then(|| "no undo".to_owned()));
        let rest = paint(FAINT, parts.join("; "));
        text.push_str(&format!(
            "{number}. {action:<8}  {:<width$}  {rest}\n",
            one.name
        ));
    }
    text
}

fn width(all: &[MigrationStatus]) -> usize {
    all.iter()
        .map(|one| one.name.chars().count())
        .max()
        .unwrap_or(0)
}

/// The lines below the list.
fn conclusion(all: &[MigrationStatus]) -> String {
    let mut text = String::new();
    if let Some(ahead) = ahead(all) {
        text.push_str(&format!("{}\n", paint(BAD, ahead)));
    }
    let linked = all.iter().filter(|one| one.linked).count();
    let done = format!("{} done", count(linked as u64, "migration"));
    match pending(all).count() {
        0 if linked == 0 => text.push_str("the program links no migration\n"),
        0 => text.push_str(&format!("{}\n", paint(GOOD, done))),
        left => {
            let left = format!(
                "{left} of {} left to run",
                count(linked as u64, "migration")
            );
            text.push_str(&format!("{}\n", paint(BAD, left)));
            let undoing = pending(all).find(|one| one.state == MigrationState::Undoing);
            text.push_str(&as_typed(&match undoing {
                Some(one) => {
                    let undo = format!("`mongo-model migrations undo {}`", one.name);
                    format!("  help: {undo} completes its undo, and `run` is refused until then\n")
                }
                None => "  help: `mongo-model migrations run` runs them\n".to_owned(),
            }));
        }
    }
    text
}
