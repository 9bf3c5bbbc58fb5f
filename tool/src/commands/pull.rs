//! `pull`: models for a database that exists, with what its documents say about them.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;

use bson::{Document, doc};
use futures::TryStreamExt;
use serde::Serialize;

use super::Verdict;
use crate::cli;
use crate::connection::Connection;
use crate::failure::{Failure, Result};
use crate::findings::{Level, shown};
use crate::interrupt::or_stop;
use crate::output::{BAD, FAINT, FORMAT, GOOD, NOTE, Output, STRONG, count, number, paint};
use crate::program::as_typed;
use crate::pull::decisions::Decisions;
use crate::pull::draft::draft;
use crate::pull::existing::{Coverage, Existing};
use crate::pull::infer::{Data, Inferred, infer};
use crate::pull::merge::{State, Written, read_file, replace, write};
use crate::pull::model::Note;
use crate::pull::profiled;
use crate::pull::relate::{count_children, find_recent, find_references, measure};
use crate::pull::render::{plain, render, render_root};
use crate::pull::source::{Class, Extent, ModelFile, Source, list, read};
use crate::walk::id_of;

/// The number of documents that are read of a collection of which only the keys are needed.
const KEYS: u32 = 1_000;
/// The number of documents that a finding names.
const EXAMPLES: i64 = 3;
const AGAIN: &str = "the same command";

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
    let (folder, single) = place(&args.out)?;
    let existing = Existing::read(&folder, single.as_deref())?;
    let decided = decisions_file(&folder, single.as_deref());
    let decisions_text = read_file(&decided)?;
    let is_first = decisions_text.is_none();
    let decisions = Decisions::read(&decided, decisions_text)?;
    let (mut sources, is_complete) = or_stop(list(connection), AGAIN).await??;
    decisions.check_collections(&sources, is_complete)?;
    choose(&mut sources, &args.collections, &existing, single.is_some())?;
    if sources.iter().all(|source| source.class == Class::View) {
        let message = format!(
            "the database `{}` on {} has no collections",
            connection.db.name(),
            connection.hosts
        );
        return Err(Failure::new(message).help("check the name of the database"));
    }
    read_collections(connection, args, &mut sources, &decisions, out).await?;
    let mut inferred = measure_and_infer(connection, args, &sources, &decisions, out).await?;
    or_stop(find_examples(connection, &sources, &mut inferred), AGAIN).await?;
    if inferred.models.files.is_empty() {
        out.text(text(connection, &sources, &inferred, &[]));
        return Err(Failure::new(
            "no collection has documents that could be read: no model is written",
        ));
    }
    let mut files = render(&inferred.models, connection.db.name(), single.as_deref());
    let coverage = Coverage {
        sources: &sources,
        names: &inferred.names,
        is_complete,
    };
    let kept = coverage.restrict(&existing, &inferred.models, &mut files);
    if single.is_some() && !kept.hidden.is_empty() && !args.force {
        let message = format!(
            "{} has models of collections that cannot be seen",
            args.out.display()
        );
        return Err(Failure::new(message)
            .help("pull as a user who may read them, or into a folder: it keeps their files"));
    }
    if single.is_none() {
        let all = files.keys().chain(&kept.hidden).chain(&kept.not_asked);
        let folder = args.out.file_name().unwrap_or_default().to_string_lossy();
        let all = all.map(String::as_str).collect();
        let root = render_root(connection.db.name(), &folder, &all);
        files.insert("mod.rs".to_owned(), root);
    }
    let mut written = write(&folder, &files, &kept, args.force)?;
    if is_first {
        replace(&decided, &draft(&sources, &inferred))?;
        written.push(Written {
            path: decided.display().to_string(),
            state: State::Written,
        });
    }
    let conflicts = written.iter().any(|file| file.state == State::Conflict);
    let problems = reviews(&sources, &inferred) > 0;
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

/// Reads the collections, and writes the names that the user chose into their profiles.
async fn read_collections(
    connection: &Connection,
    args: &cli::Pull,
    sources: &mut [Source],
    decisions: &Decisions,
    out: Output,
) -> Result<()> {
    for source in sources
        .iter_mut()
        .filter(|source| source.class != Class::View && source.unread.is_none())
    {
        let bar = out.bar(&source.name, 0);
        read(connection, source, extent_of(args, source), &bar).await?;
        bar.finish_and_clear();
        if let Some(least) = args.majority {
            source.root.keep_majority(least);
        }
        if source.file == ModelFile::Written && source.unread.is_none() && source.read > 0 {
            decisions.name_fields(source)?;
        }
    }
    Ok(())
}

/// Measures how the collections hang together, and decides what becomes of that.
async fn measure_and_infer(
    connection: &Connection,
    args: &cli::Pull,
    sources: &[Source],
    decisions: &Decisions,
    out: Output,
) -> Result<Inferred> {
    let bar = out.spinner("references");
    let mut references = or_stop(find_references(connection, sources), AGAIN).await??;
    decisions.drop_references(sources, &mut references);
    let extent = |source: &Source| extent_of(args, source);
    measure(connection, sources, &mut references, &extent, &bar).await?;
    decisions.decide_copies(sources, &mut references);
    let counts = count_children(connection, sources, &references);
    let counts = or_stop(counts, AGAIN).await??;
    let recents = find_recent(connection, sources, &references);
    let recents = or_stop(recents, AGAIN).await??;
    let queries = profiled::read(connection, sources);
    let queries = or_stop(queries, AGAIN).await??;
    bar.finish_and_clear();
    let mut inferred = infer(Data {
        sources,
        references: &references,
        counts: &counts,
        recents: &recents,
        queries: &queries,
        decisions,
    });
    note_unused(decisions, sources, &mut inferred);
    Ok(inferred)
}

/// The part of a collection that is read: of a collection that was not asked for, as much as its keys need.
fn extent_of(args: &cli::Pull, source: &Source) -> Extent {
    match (args.amount.full, args.amount.sample, source.file) {
        (_, Some(size), _) => Extent::Sample(size),
        (true, None, ModelFile::Written) => Extent::Full,
        (_, None, ModelFile::Outside) => Extent::Sample(KEYS),
        _ => Extent::BySize,
    }
}

/// Notes which models are written: all, or those of the collections that are named. One file has all its models anew.
fn choose(
    sources: &mut [Source],
    names: &[String],
    existing: &Existing,
    single: bool,
) -> Result<()> {
    for name in names {
        if !sources.iter().any(|source| source.name == *name) {
            let there: Vec<&str> = sources.iter().map(|source| source.name.as_str()).collect();
            return Err(Failure::new(format!("no collection is called `{name}`"))
                .help(format!("the database has {}", there.join(", "))));
        }
    }
    for source in sources {
        let is_named = names.is_empty() || names.contains(&source.name);
        source.file = match existing.has(&source.name) {
            _ if is_named => ModelFile::Written,
            true if single => ModelFile::Written,
            true => ModelFile::There,
            false => ModelFile::Outside,
        };
    }
    Ok(())
}

/// Looks for documents that the findings are about. A search that takes the server too long is given up.
async fn find_examples(connection: &Connection, sources: &[Source], inferred: &mut Inferred) {
    const PATIENCE: Duration = Duration::from_secs(10);
    for (at, source) in asked(sources) {
        let collection = connection.db.collection::<Document>(&source.name);
        for note in &mut inferred.notes[at] {
            let Some(filter) = note.filter.clone() else {
                continue;
            };
            let some = collection.find(filter).projection(doc! { "_id": 1 });
            let Ok(some) = some.limit(EXAMPLES).max_time(PATIENCE).await else {
                continue;
            };
            let some: Vec<Document> = some.try_collect().await.unwrap_or_default();
            note.examples = some.iter().map(id_of).collect();
        }
    }
}

/// The number of findings that need a review.
fn reviews(sources: &[Source], inferred: &Inferred) -> u64 {
    let notes = asked(sources).flat_map(|(at, _)| &inferred.notes[at]);
    notes.filter(|note| note.level == Level::Problem).count() as u64
}

/// The collections whose models are written, each with its place.
fn asked(sources: &[Source]) -> impl Iterator<Item = (usize, &Source)> {
    let all = sources.iter().enumerate();
    all.filter(|(_, source)| source.file == ModelFile::Written)
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

/// The file with the decisions of the user.
fn decisions_file(folder: &Path, single: Option<&str>) -> PathBuf {
    match single {
        None => folder.join("pull.toml"),
        Some(name) => folder.join(Path::new(name).with_extension("pull.toml")),
    }
}

/// Notes decisions that nothing in the data asks for.
fn note_unused(decisions: &Decisions, sources: &[Source], inferred: &mut Inferred) {
    for (at, source) in asked(sources).filter(|(_, source)| source.read > 0) {
        let notes = &mut inferred.notes[at];
        let is_found = |kind: &str, about: &str| {
            let mut all = notes.iter();
            all.any(|note| note.kind == kind && note.about == about)
        };
        for unused in decisions.unused(&source.name, is_found) {
            notes.push(Note {
                kind: "unused_decision",
                level: Level::Note,
                about: unused.about,
                message: format!(
                    "nothing in the data asks for `{}` (line {} of the decisions)",
                    unused.text, unused.line
                ),
                confidence: None,
                filter: None,
                examples: Vec::new(),
                resolve: None,
                is_in_source: false,
            });
        }
    }
}

fn groups<'a>(sources: &'a [Source], inferred: &'a Inferred) -> Vec<Group<'a>> {
    let group = |(at, source): (usize, &'a Source)| Group {
        collection: &source.name,
        model: inferred.names[at].as_deref(),
        documents: source.documents,
        examined: source.read,
        findings: inferred.notes[at].iter().collect(),
    };
    asked(sources).map(group).collect()
}

fn text(
    connection: &Connection,
    sources: &[Source],
    inferred: &Inferred,
    written: &[Written],
) -> String {
    let mut out = format!("Models for {}\n\n", connection.place());
    for (at, source) in asked(sources) {
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
            for id in &note.examples {
                let _ = writeln!(out, "      {}", paint(FAINT, plain(&shown(id))));
            }
            if let Some(command) = &note.resolve {
                let _ = writeln!(
                    out,
                    "      help: {}",
                    as_typed(&format!("`mongo-model {command}`"))
                );
            }
        }
    }
    if written.is_empty() {
        return out;
    }
    out.push('\n');
    for file in written {
        let _ = writeln!(out, "{}", line(file));
    }
    match reviews(sources, inferred) {
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
        State::Kept => format!(
            "{path} stays as it was: it has or needs models of collections that cannot be seen, or have no documents"
        ),
    }
}
