//! `compat`: the changes of the models since a release, and what each means while old and new programs run side by side.

mod compare;
#[cfg(test)]
mod executed;
mod fields;
mod generate;
mod kinds;
mod linked;
mod matrix;
mod proof;
mod read;
mod sampled;
mod table;

use semver::Version;
use serde::Serialize;

use self::kinds::{Reads, Save};
use self::matrix::{Row, matrix};
use self::proof::{Contradiction, Executed};
use self::sampled::{Refused, Sampled, sample};
use super::Verdict;
use super::lock::facts::Facts;
use super::lock::file::Lock;
use super::lock::{facts_of, path_of, refuse_edits};
use crate::cli;
use crate::connection::Connection;
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
    /// The result of the runs of the programs.
    executed: Executed,
    /// The documents of a database that the models have read.
    #[serde(skip_serializing_if = "Option::is_none")]
    sampled: Option<Vec<Sampled>>,
}

/// A change.
#[derive(Serialize)]
pub(crate) struct Change {
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
    fn from(row: Row) -> Self {
        Change {
            kind: row.kind.name,
            says: row.kind.says,
            old_reads_new: row.kind.old_reads_new,
            new_reads_old: row.new_reads_old(),
            old_save: row.old_save(),
            step: as_typed(row.kind.step),
            is_compatible: row.is_compatible(),
            model: row.model,
            fact: row.fact,
        }
    }
}

/// Runs the command.
pub(crate) async fn run(
    global: &cli::Global,
    models: &Models,
    args: &cli::Compat,
    out: Output,
) -> Result<Verdict> {
    if models.is_filtered() {
        return Err(Failure::new(
            "a change of one model may be that of another, and `--model` chooses among them",
        )
        .help("run `mongo-model compat` without `--model`"));
    }
    let past = Past::read(args)?;
    let now = facts_of(models.all())?;
    let rows = matrix(&past.facts, &now);
    let executed = Executed::of(&past.facts, &now, &rows, models.all());
    let sampled = match &args.database {
        None => None,
        Some(uri) => {
            let global = cli::Global {
                uris: vec![uri.clone()],
                ..global.clone()
            };
            let connection = Connection::open(&global).await?;
            Some(sample(&connection, models, &now, args.sample).await?)
        }
    };
    let are_read = sampled.iter().flatten().all(|one| one.refused.is_empty());
    let changes: Vec<Change> = rows.into_iter().map(Change::from).collect();
    let report = Report {
        format: FORMAT,
        command: "compat",
        ok: changes.iter().all(|change| change.is_compatible)
            && executed.contradictions.is_empty()
            && are_read,
        against: past.name,
        since: past.shown,
        changes,
        executed,
        sampled,
    };
    out.both(text(&report), &report);
    Ok(Verdict::of(report.ok))
}

const KEEP: &str = "`mongo-model lock --as 1.4.0` keeps the facts of a release";

/// The changes since a release.
pub(crate) struct Changes {
    /// The release in a sentence: `release 1.4.0`.
    pub(crate) since: String,
    /// The changes, as the JSON document has them.
    pub(crate) rows: Vec<Change>,
}

/// The changes since the newest release of `mongo-model.lock`; `None` where there is none.
pub(crate) fn changes_since_release(models: &Models) -> Result<Option<Changes>> {
    let path = path_of(None);
    let Some(mut lock) = Lock::read(&path)? else {
        return Ok(None);
    };
    refuse_edits(&path.display().to_string(), &lock)?;
    let Some((version, release)) = lock.releases.pop_last() else {
        return Ok(None);
    };
    let now = facts_of(models.all())?;
    let rows = matrix(&release.facts, &now);
    Ok(Some(Changes {
        since: format!("release {version}"),
        rows: rows.into_iter().map(Change::from).collect(),
    }))
}

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
    let mut out = report
        .sampled
        .as_deref()
        .map_or_else(String::new, sampled_text);
    if report.changes.is_empty() {
        out.push_str(&format!("nothing has changed since {since}\n"));
        return out;
    }
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
    out.push_str(&executed_text(&report.executed));
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

fn executed_text(executed: &Executed) -> String {
    let mut out = String::new();
    for one in &executed.contradictions {
        let Contradiction {
            model,
            fact,
            claim,
            found,
            shape,
        } = one;
        let name = format!("{model} {fact}");
        out.push_str(&format!(
            "{}  {}\n    {found}\n    {}\n",
            paint(STRONG, name.trim_end()),
            paint(BAD, format!("a run contradicts `{claim}`")),
            paint(FAINT, shape),
        ));
    }
    for one in &executed.not_executed {
        let name = format!("{} {}", one.model, one.fact);
        let name = paint(STRONG, name.trim_end());
        out.push_str(&format!("{name}  not executed: {}\n", one.why));
    }
    if executed.documents > 0 && executed.contradictions.is_empty() {
        let documents = count(executed.documents as u64, "time");
        out.push_str(&format!(
            "\nthe programs do so: generated documents were read {documents}\n"
        ));
    }
    out
}

fn sampled_text(sampled: &[Sampled]) -> String {
    let mut out = String::new();
    for one in sampled.iter().filter(|one| one.documents > 0) {
        let refused: usize = one.refused.iter().map(|refused| refused.documents).sum();
        let documents = count(one.documents as u64, "document");
        let (style, verdict) = match refused {
            0 => (GOOD, "all are read".to_owned()),
            refused => (
                BAD,
                format!("{} not read", count(refused as u64, "document")),
            ),
        };
        let name = paint(STRONG, &one.collection);
        out.push_str(&format!(
            "{name}  {documents} sampled, {}\n",
            paint(style, verdict)
        ));
        for Refused {
            path,
            why,
            documents,
        } in &one.refused
        {
            let documents = count(*documents as u64, "document");
            let place = match path.as_str() {
                "" => "the document".to_owned(),
                path => format!("`{path}`"),
            };
            out.push_str(&format!("    {place}: {why}: {documents}\n"));
        }
    }
    out.push('\n');
    out
}
