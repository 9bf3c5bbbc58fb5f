//! Writes the files. Beside them lies what was written last time, so that another run keeps the edits of the user.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use serde::Serialize;

use crate::failure::{Failure, Result};

/// The folder with the files as they were written last.
pub(crate) const SNAPSHOT: &str = ".pull";

/// The fate of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum State {
    /// The file is new.
    Written,
    /// The file is as it was.
    Unchanged,
    /// The text is new, and nobody had edited the file.
    Updated,
    /// The file has edits, which were kept.
    Merged,
    /// Edits and news touch the same lines: both stand there, marked.
    Conflict,
    /// The file was deleted, and stays so.
    Deleted,
    /// The text is new, and the text before it is gone.
    Overwritten,
    /// Nothing in the database leads to the file any more; it stays.
    Left,
    /// The collections of the file, or those that it refers to, cannot be seen; it stays.
    Kept,
}

/// A file and its fate.
#[derive(Debug, Serialize)]
pub(crate) struct Written {
    pub(crate) path: String,
    pub(crate) state: State,
}

/// Files of earlier runs that this one does not write.
#[derive(Debug, Default)]
pub(crate) struct Kept {
    /// Their models were not asked for.
    pub(crate) not_asked: BTreeSet<String>,
    /// Their collections, or those that they refer to, cannot be seen.
    pub(crate) hidden: BTreeSet<String>,
}

/// A file that is to be written.
struct Step {
    path: PathBuf,
    text: String,
    /// The text without edits, for the next run.
    snapshot: (PathBuf, String),
    state: State,
}

/// Writes the files into a folder, beside those that are kept. Nothing is written if one of them stands in the way.
pub(crate) fn write(
    folder: &Path,
    files: &BTreeMap<String, String>,
    kept: &Kept,
    force: bool,
) -> Result<Vec<Written>> {
    let snapshots = folder.join(SNAPSHOT);
    let mut steps = Vec::new();
    for (name, text) in files {
        steps.push(step(
            &folder.join(name),
            &snapshots.join(name),
            text,
            force,
        )?);
    }
    let mut written: Vec<Written> = steps
        .iter()
        .map(|step| Written {
            path: step.path.display().to_string(),
            state: step.state,
        })
        .collect();
    for (at, step) in steps.iter().enumerate() {
        apply(step).map_err(|failure| match at {
            0 => failure,
            _ => failure.help(format!(
                "{at} of {} files were written before it; the same command goes on",
                steps.len()
            )),
        })?;
    }
    for name in read_folder(&snapshots)?.into_keys() {
        let state = match (files.contains_key(&name), kept.hidden.contains(&name)) {
            (true, _) => continue,
            (_, true) => State::Kept,
            _ if kept.not_asked.contains(&name) => continue,
            _ => State::Left,
        };
        let path = folder.join(name).display().to_string();
        written.push(Written { path, state });
    }
    Ok(written)
}

fn step(path: &Path, snapshot: &Path, text: &str, force: bool) -> Result<Step> {
    let (there, base) = (read_file(path)?, read_file(snapshot)?);
    let fresh = text.to_owned();
    let (text, state) = match (there, base) {
        (Some(there), _) if there == text => (text.to_owned(), State::Unchanged),
        (Some(_), _) if force => (text.to_owned(), State::Overwritten),
        (Some(_), None) => {
            let message = format!(
                "{} is there already, and `pull` has not written it",
                path.display()
            );
            return Err(Failure::new(message)
                .help("choose another place with `--out`, or pass `--force` to overwrite it"));
        }
        (Some(there), Some(base)) if there == base => (text.to_owned(), State::Updated),
        (Some(there), Some(_)) if has_conflict(&there) => {
            let message = format!("{} has conflicts of the last run", path.display());
            return Err(Failure::new(message).help(
                "resolve what stands between `<<<<<<<` and `>>>>>>>` first, or pass `--force`",
            ));
        }
        (Some(there), Some(base)) => match diffy::merge(&base, &there, text) {
            Ok(merged) if merged == there => (merged, State::Unchanged),
            Ok(merged) => (merged, State::Merged),
            Err(marked) => (marked, State::Conflict),
        },
        (None, Some(_)) if !force => (String::new(), State::Deleted),
        (None, _) => (text.to_owned(), State::Written),
    };
    Ok(Step {
        path: path.to_owned(),
        text,
        snapshot: (snapshot.to_owned(), fresh),
        state,
    })
}

fn has_conflict(text: &str) -> bool {
    text.lines().any(|line| line.starts_with("<<<<<<< "))
        && text.lines().any(|line| line.starts_with(">>>>>>> "))
}

fn apply(step: &Step) -> Result<()> {
    if !matches!(step.state, State::Unchanged | State::Deleted) {
        replace(&step.path, &step.text)?;
    }
    replace(&step.snapshot.0, &step.snapshot.1)
}

/// The source files of a folder, by name; none if there is no folder.
pub(crate) fn read_folder(folder: &Path) -> Result<BTreeMap<String, String>> {
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(BTreeMap::new()),
        Err(error) => return Err(unreadable(folder, &error)),
    };
    let mut files = BTreeMap::new();
    for name in entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok()) {
        if name.ends_with(".rs")
            && let Some(text) = read_file(&folder.join(&name))?
        {
            files.insert(name, text);
        }
    }
    Ok(files)
}

/// The text of a file; `None` if there is none.
pub(crate) fn read_file(path: &Path) -> Result<Option<String>> {
    match fs::read_to_string(path) {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(unreadable(path, &error)),
    }
}

fn unreadable(path: &Path, error: &std::io::Error) -> Failure {
    Failure::new(format!("{} cannot be read: {error}", path.display()))
}

/// Writes a file beside its place, then moves it there: no reader sees half of it.
pub(crate) fn replace(path: &Path, text: &str) -> Result<()> {
    let failed = |error: std::io::Error| {
        Failure::new(format!("{} cannot be written: {error}", path.display()))
    };
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).map_err(failed)?;
    }
    let beside = path.with_extension("new");
    fs::write(&beside, text).map_err(failed)?;
    fs::rename(&beside, path).map_err(failed)
}
