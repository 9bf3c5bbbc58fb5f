//! `compat`: the changes of the models since a release, and what each means while old and new programs run side by side.

#[cfg(test)]
mod executed;
mod fields;
mod kinds;
mod matrix;

use semver::Version;
use serde::Serialize;

use self::kinds::{Reads, Save};
use self::matrix::{Row, matrix};
use super::Verdict;
use super::lock::facts::Facts;
use super::lock::file::Lock;
use super::lock::{facts_of, path_of, refuse_edits};
use crate::cli;
use crate::failure::{Failure, Result};
use crate::models::Models;
use crate::output::{BAD, FAINT, FORMAT, GOOD, NOTE, Output, STRONG, count, paint};
use crate::program::as_typed;

/// The JSON document.
#[derive(Serialize)]
struct Report {
    format: u32,
    command: &'static str,
    ok: bool,
    /// The release or git ref that the models are compared with.
    against: String,
    #[serde(skip)]
    since: String,
    changes: Vec<Change>,
}

/// A change.
#[derive(Serialize)]
struct Change {
    model: String,
    fact: String,
    kind: &'static str,
    says: &'static str,
    old_reads_new: Reads,
    new_reads_old: Reads,
    old_save: Save,
    step: String,
    #[serde(skip)]
    is_compatible: bool,
}

impl From<Row> for Change {
    fn from(Row { model, fact, kind }: Row) -> Self {
        Change {
            model,
            fact,
            kind: kind.name,
            says: kind.says,
            old_reads_new: kind.old_reads_new,
            new_reads_old: kind.new_reads_old,
            old_save: kind.old_save,
            step: as_typed(kind.step),
            is_compatible: kind.is_compatible(),
        }
    }
}

/// Runs the command.
pub(crate) fn run(models: &Models, args: &cli::Compat, out: Output) -> Result<Verdict> {
    if models.is_filtered() {
        return Err(Failure::new(
            "a change of one model may be that of another, and `--model` chooses among them",
        )
        .help("run `mongo-model compat` without `--model`"));
    }
    let past = Past::read(args)?;
    let rows = matrix(&past.facts, &facts_of(models.all())?);
    let changes: Vec<Change> = rows.into_iter().map(Change::from).collect();
    let report = Report {
        format: FORMAT,
        command: "compat",
        ok: changes.iter().all(|change| change.is_compatible),
        against: past.name,
        since: past.shown,
        changes,
    };
    out.both(text(&report), &report);
    Ok(Verdict::of(report.ok))
}

const KEEP: &str = "`mongo-model lock --as 1.4.0` keeps the facts of a release";

/// The facts that the models are compared with.
struct Past {
    name: String,
    /// The name in a sentence.
    shown: String,
    facts: Facts,
}

impl Past {
    fn read(args: &cli::Compat) -> Result<Self> {
        let path = path_of(args.path.as_ref());
        let named = args
            .against
            .as_deref()
            .map(|name| (name, Version::parse(name)));
        let named = match named {
            Some((git_ref, Err(_))) => {
                return Ok(Past {
                    name: git_ref.to_owned(),
                    shown: format!("`{git_ref}`"),
                    facts: Lock::read_at(&path, git_ref)?.next,
                });
            }
            named => named.and_then(|(_, version)| version.ok()),
        };
        let file = path.display().to_string();
        let mut lock = Lock::read(&path)?.unwrap_or_default();
        refuse_edits(&file, &lock)?;
        let version = match named {
            Some(version) => version,
            None => newest(&file, &lock)?,
        };
        let Some(release) = lock.releases.remove(&version) else {
            let releases: Vec<String> = lock.releases.keys().map(Version::to_string).collect();
            let help = match &releases[..] {
                [] => KEEP.to_owned(),
                releases => format!("it has {}", releases.join(", ")),
            };
            return Err(Failure::new(format!("{file} has no release {version}")).help(help));
        };
        Ok(Past {
            name: version.to_string(),
            shown: format!("release {version}"),
            facts: release.facts,
        })
    }
}

/// The newest release.
fn newest(file: &str, lock: &Lock) -> Result<Version> {
    let newest = lock.releases.keys().next_back().cloned();
    newest.ok_or_else(|| Failure::new(format!("{file} has no release")).help(KEEP))
}

fn text(report: &Report) -> String {
    let since = &report.since;
    if report.changes.is_empty() {
        return format!("nothing has changed since {since}\n");
    }
    let mut out = String::new();
    for change in &report.changes {
        let style = if change.is_compatible { NOTE } else { BAD };
        let name = format!("{} {}", change.model, change.fact);
        out.push_str(&format!(
            "{}  {}\n    old reads new: {}, new reads old: {}, old save: {}\n    {}\n",
            paint(STRONG, name.trim_end()),
            paint(style, change.says),
            change.old_reads_new.text(),
            change.new_reads_old.text(),
            change.old_save.text(),
            paint(FAINT, &change.step),
        ));
    }
    let changes = count(report.changes.len() as u64, "change");
    let broken = report.changes.iter().filter(|change| !change.is_compatible);
    out.push_str(&match broken.count() {
        0 => {
            let says = paint(GOOD, "old and new programs run side by side");
            format!("\n{changes} since {since}: {says}\n")
        }
        some => {
            let says = "old and new programs do not read all documents of each other";
            let says = paint(BAD, format!("for {some} of them {says}"));
            format!("\n{changes} since {since}; {says}\n")
        }
    });
    out
}
