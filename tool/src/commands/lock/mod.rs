//! `lock`: the promises of the models about stored documents, as a file that stands in version control.

mod collect;
pub(crate) mod facts;
mod fields;
pub(crate) mod file;

pub(crate) use self::collect::facts_of;
pub(crate) use self::fields::name_of;

use std::path::{Path, PathBuf};

use semver::Version;
use serde::Serialize;

use self::facts::{Change, Facts, changes, number_of};
use self::file::{Lock, Release, key};
use super::Verdict;
use crate::cli;
use crate::failure::{Failure, Result};
use crate::models::Models;
use crate::output::{BAD, FORMAT, GOOD, Output, STRONG, count, paint};
use crate::program::as_typed;

/// The name of the file.
pub(crate) const NAME: &str = "mongo-model.lock";

/// The JSON document.
#[derive(Serialize)]
struct Report<'r> {
    format: u32,
    command: &'static str,
    ok: bool,
    file: String,
    written: bool,
    /// The release that was added.
    release: Option<String>,
    changes: Vec<Change<'r>>,
    /// The releases whose facts are not those that were released.
    edited: Vec<String>,
}

/// Runs the command.
pub(crate) fn run(models: &Models, args: &cli::Lock, out: Output) -> Result<Verdict> {
    if models.is_filtered() {
        return Err(Failure::new(
            "a lock has the facts of all models, and `--model` chooses among them",
        )
        .help("run `mongo-model lock` without `--model`"));
    }
    let version = args.name.as_deref().map(version_of).transpose()?;
    let path = path_of(args.path.as_ref());
    let next = facts_of(models.all())?;
    let stored = Lock::read(&path)?;
    let is_new = stored.is_none();
    let lock = stored.unwrap_or_default();
    let mut report = compare(&path, &lock, &next, is_new);
    if args.check {
        out.both(check_text(&report, is_new), &report);
        return Ok(Verdict::of(report.ok));
    }
    report.ok = true;
    report.release = version.as_ref().map(Version::to_string);
    refuse_edits(&report.file, &lock)?;
    let mut new = lock.clone();
    new.next.clone_from(&next);
    if let Some(version) = version {
        if new.releases.contains_key(&version) {
            let file = &report.file;
            return Err(
                Failure::new(format!("{file} has the release {version} already"))
                    .help("a release does not change: give the new one a version of its own"),
            );
        }
        let release = Release::new(&version, next.clone());
        new.releases.insert(version, release);
    }
    report.written = is_new || new != lock;
    if report.written {
        new.write(&path)?;
    }
    out.both(written_text(&report, is_new, number_of(&next)), &report);
    Ok(Verdict::Fine)
}

/// The text of a check that finds a difference between the file and the linked models.
pub(crate) fn difference(path: &Path) -> Result<Option<String>> {
    let next = facts_of(Models::select(&[])?.all())?;
    let stored = Lock::read(path)?;
    let is_new = stored.is_none();
    let lock = stored.unwrap_or_default();
    let report = compare(path, &lock, &next, is_new);
    Ok((!report.ok).then(|| check_text(&report, is_new)))
}

/// The result of a check.
fn compare<'f>(path: &Path, lock: &'f Lock, next: &'f Facts, is_new: bool) -> Report<'f> {
    let changes = changes(&lock.next, next);
    let edited = lock.edited();
    Report {
        format: FORMAT,
        command: "lock",
        ok: !is_new && changes.is_empty() && edited.is_empty(),
        file: path.display().to_string(),
        written: false,
        release: None,
        changes,
        edited,
    }
}

const RESTORE: &str = "restore the file from version control: a release does not change";

/// The version of a release.
fn version_of(name: &str) -> Result<Version> {
    Version::parse(name).map_err(|error| {
        Failure::new(format!("`{name}` is no version: {error}"))
            .help("a release is called like the version of a package: `1.4.0`")
    })
}

/// The file that was named, else the one beside the manifest of the package, as cargo says it to a program that it runs.
pub(crate) fn path_of(named: Option<&PathBuf>) -> PathBuf {
    let beside = || std::env::var_os("CARGO_MANIFEST_DIR").map_or_else(PathBuf::new, PathBuf::from);
    named.cloned().unwrap_or_else(|| beside().join(NAME))
}

/// Refuses a lock with a release whose facts are not those that were released.
pub(crate) fn refuse_edits(file: &str, lock: &Lock) -> Result<()> {
    match lock.edited().first() {
        Some(release) => Err(Failure::new(edited(file, release)).help(RESTORE)),
        None => Ok(()),
    }
}

fn edited(file: &str, release: &str) -> String {
    format!("{file} was edited: the facts of release {release} do not match its digest")
}

/// A line for each fact that was and for each that is.
fn changes_text(changes: &[Change<'_>]) -> String {
    let mut out = String::new();
    for change in changes {
        let name = key(change.fact);
        for (style, sign, fact) in [(BAD, '-', change.old), (GOOD, '+', change.new)] {
            if let Some(fact) = fact {
                let sign = paint(style, sign);
                let model = paint(STRONG, change.model);
                out.push_str(&format!("{sign} {model}  {name} = {fact}\n"));
            }
        }
    }
    out
}

fn check_text(report: &Report<'_>, is_new: bool) -> String {
    let file = &report.file;
    if report.ok {
        return paint(GOOD, format!("{file} says what the models promise\n"));
    }
    let mut out = String::new();
    for release in &report.edited {
        out.push_str(&format!("{}\n  help: {RESTORE}\n", edited(file, release)));
    }
    if is_new {
        out.push_str(&format!("there is no {file}\n"));
    } else if !report.changes.is_empty() {
        out.push_str(&changes_text(&report.changes));
        let differ = count(report.changes.len() as u64, "fact");
        out.push_str(&format!(
            "\n{file} is not what the models promise: {differ}\n"
        ));
    }
    if is_new || !report.changes.is_empty() {
        out.push_str(&as_typed(
            "  help: `mongo-model lock` writes it: review it, and commit it with the change\n",
        ));
    }
    out
}

fn written_text(report: &Report<'_>, is_new: bool, facts: u64) -> String {
    let file = &report.file;
    if !report.written {
        return format!("{file} says what the models promise, and stays as it is\n");
    }
    let mut out = String::new();
    // All facts of a new file are new.
    if !is_new {
        out.push_str(&changes_text(&report.changes));
    }
    let release = report.release.as_ref();
    let release = release.map_or_else(String::new, |release| format!(", release {release}"));
    out.push_str(&format!(
        "wrote {file}: {}{release}\n",
        count(facts, "fact")
    ));
    out
}
