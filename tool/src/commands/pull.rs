//! `pull`: models for a database that exists, with what its documents say about them.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use serde::Serialize;

use super::Verdict;
use crate::cli;
use crate::connection::Connection;
use crate::failure::{Failure, Result};
use crate::findings::Level;
use crate::interrupt::or_stop;
use crate::output::{
    BAD, FAINT, FORMAT, GOOD, NOTE, Output, STRONG, as_typed, count, number, paint,
};
use crate::pull::infer::{Data, Inferred, infer};
use crate::pull::merge::{State, Written, write};
use crate::pull::model::Note;
use crate::pull::profiled;
use crate::pull::relate::{count_children, find_recent, find_references, measure};
use crate::pull::render::{plain, render};
use crate::pull::source::{Class, Extent, Source, list, read};

/// The JSON document.
#[derive(Serialize)]
struct Report<'a> {
    format: u32,
    command: &'static str,
    ok: bool,
    database: &'a str,
    collections: Vec<Group<'a>>,
    files: &'a [Written],
}

/// The findings in one collection.
#[derive(Serialize)]
struct Group<'a> {
    collection: &'a str,
    model: Option<&'a str>,
    documents: u64,
    examined: u64,
    findings: Vec<&'a Note>,
}

/// Runs the command.
pub(crate) async fn run(connection: &Connection, args: &cli::Pull, out: Output) -> Result<Verdict> {
    let extent = match (args.full, args.sample) {
        (true, _) => Extent::Full,
        (false, Some(size)) => Extent::Sample(size),
        (false, None) => Extent::BySize,
    };
    let mut sources = or_stop(list(connection), "the same command").await??;
    if !args.collections.is_empty() {
        choose(&mut sources, &args.collections)?;
    }
    if sources.iter().all(|source| source.class == Class::View) {
        let message = format!(
            "the database `{}` on {} has no collections",
            connection.db.name(),
            connection.hosts
        );
        return Err(Failure::new(message).help("check the name of the database"));
    }
    let bar = out.spinner("reading");
    for source in sources
        .iter_mut()
        .filter(|source| source.class != Class::View)
    {
        bar.set_prefix(format!("reading {}", source.name));
        read(connection, source, extent, &bar).await?;
    }
    let mut references =
        or_stop(find_references(connection, &sources), "the same command").await??;
    measure(connection, &sources, &mut references, extent, &bar).await?;
    let counts = or_stop(
        count_children(connection, &sources, &references),
        "the same command",
    )
    .await??;
    let recents = find_recent(connection, &sources, &references);
    let recents = or_stop(recents, "the same command").await??;
    let queries = profiled::read(connection, &sources);
    let queries = or_stop(queries, "the same command").await??;
    bar.finish_and_clear();
    let inferred = infer(Data {
        sources: &sources,
        references: &references,
        counts: &counts,
        recents: &recents,
        queries: &queries,
    });
    let (folder, single) = place(&args.out)?;
    if inferred.models.files.is_empty() {
        out.text(text(connection, &sources, &inferred, &[]));
        return Err(Failure::new(
            "no collection has documents that could be read: no model is written",
        ));
    }
    let files = render(&inferred.models, connection.db.name(), single.as_deref());
    let written = write(&folder, &files, args.force)?;
    let conflicts = written.iter().any(|file| file.state == State::Conflict);
    let problems = inferred
        .notes
        .iter()
        .flatten()
        .any(|note| note.level == Level::Problem);
    let report = Report {
        format: FORMAT,
        command: "pull",
        ok: !conflicts && !problems,
        database: connection.db.name(),
        collections: groups(&sources, &inferred),
        files: &written,
    };
    out.both(text(connection, &sources, &inferred, &written), &report);
    Ok(Verdict::of(report.ok))
}

/// Leaves the collections that are named.
fn choose(sources: &mut Vec<Source>, names: &[String]) -> Result<()> {
    for name in names {
        if !sources.iter().any(|source| source.name == *name) {
            let there: Vec<&str> = sources.iter().map(|source| source.name.as_str()).collect();
            return Err(Failure::new(format!("no collection is called `{name}`"))
                .help(format!("the database has {}", there.join(", "))));
        }
    }
    sources.retain(|source| names.contains(&source.name));
    Ok(())
}

/// The folder of the files, and the name of the only one where the place is a file.
fn place(out: &Path) -> Result<(PathBuf, Option<String>)> {
    if out.extension().is_none_or(|extension| extension != "rs") {
        return Ok((out.to_owned(), None));
    }
    let name = out.file_name().and_then(|name| name.to_str());
    let Some(name) = name else {
        return Err(Failure::new(format!(
            "{} is no name of a file",
            out.display()
        )));
    };
    let folder = out.parent().unwrap_or(Path::new("")).to_owned();
    Ok((folder, Some(name.to_owned())))
}

fn groups<'a>(sources: &'a [Source], inferred: &'a Inferred) -> Vec<Group<'a>> {
    let group = |(at, source): (usize, &'a Source)| Group {
        collection: &source.name,
        model: inferred.names[at].as_deref(),
        documents: source.documents,
        examined: source.read,
        findings: inferred.notes[at].iter().collect(),
    };
    sources.iter().enumerate().map(group).collect()
}

fn text(
    connection: &Connection,
    sources: &[Source],
    inferred: &Inferred,
    written: &[Written],
) -> String {
    let mut out = format!("Models for {}\n\n", connection.place());
    for (at, source) in sources.iter().enumerate() {
        let mut about = inferred.names[at]
            .clone()
            .map(|name| format!("{name}, "))
            .unwrap_or_default();
        about.push_str(&count(source.documents, "document"));
        if source.is_sampled() {
            let _ = write!(about, ", {} read", number(source.read));
        }
        let _ = writeln!(
            out,
            "{}  {}",
            paint(STRONG, plain(&source.name)),
            paint(FAINT, about)
        );
        let mut notes: Vec<&Note> = inferred.notes[at].iter().collect();
        notes.sort_by_key(|note| note.level);
        for note in notes {
            let mark = match note.level {
                Level::Problem => paint(BAD, "✗"),
                Level::Note => paint(NOTE, "·"),
            };
            let about = match note.about.as_str() {
                "" => String::new(),
                about => format!("`{}` ", plain(about)),
            };
            let sure = note
                .confidence
                .filter(|sure| *sure < 0.995)
                .map(|sure| paint(FAINT, format!("  (sure to {:.0} %)", sure * 100.0)));
            let _ = writeln!(
                out,
                "  {mark} {about}{}{}",
                plain(&note.message),
                sure.unwrap_or_default()
            );
        }
    }
    if written.is_empty() {
        return out;
    }
    out.push('\n');
    for file in written {
        let _ = writeln!(out, "{}", line(file));
    }
    let reviews = inferred
        .notes
        .iter()
        .flatten()
        .filter(|note| note.level == Level::Problem)
        .count() as u64;
    match reviews {
        0 => {
            let _ = writeln!(out, "\n{}", paint(GOOD, "nothing needs a review"));
        }
        some => {
            let _ = writeln!(
                out,
                "\n{}: `REVIEW` in the source says what to do",
                paint(BAD, count(some, "finding"))
            );
        }
    }
    let _ = writeln!(
        out,
        "  help: {}",
        as_typed(
            "`mongo-model check` compares the models with the database, `mongo-model plan` shows the indexes that references need"
        )
    );
    out
}

fn line(file: &Written) -> String {
    let path = plain(&file.path);
    match file.state {
        State::Written => format!("wrote {path}"),
        State::Unchanged => format!("{path} is as it was"),
        State::Updated => format!("updated {path}"),
        State::Merged => format!("updated {path}, and kept its edits"),
        State::Conflict => format!(
            "{} in {path}: resolve what stands between `<<<<<<<` and `>>>>>>>`",
            paint(BAD, "conflict")
        ),
        State::Deleted => format!("{path} was deleted, and stays so; `--force` writes it again"),
        State::Overwritten => format!("overwrote {path}"),
        State::Left => format!("{path} is left: no collection leads to it any more"),
    }
}
