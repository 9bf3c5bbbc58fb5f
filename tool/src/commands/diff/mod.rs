//! `diff`: two databases, without models. Reads both as `pull` does, and compares what was found.

mod difference;
mod shapes;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use serde::Serialize;
use serde_json::json;

use self::difference::{Difference, Side, compare_indexes, compare_options};
use self::shapes::compare_fields;
use super::Verdict;
use crate::cli::{self, Global};
use crate::connection::Connection;
use crate::failure::{Failure, Result};
use crate::interrupt::or_stop;
use crate::output::{BAD, FAINT, FORMAT, GOOD, NOTE, Output, STRONG, count, number, paint};
use crate::pull::render::plain;
use crate::pull::source::{Class, Extent, Source, list, read, read_indexes};

const AGAIN: &str = "the same command";

/// The JSON document.
#[derive(Serialize)]
struct Report<'a> {
    format: u32,
    command: &'static str,
    ok: bool,
    databases: Pair<Named<'a>>,
    collections: Vec<Group<'a>>,
}

/// The same of both databases.
#[derive(Serialize)]
struct Pair<T> {
    a: T,
    b: T,
}

/// The name of a database.
#[derive(Serialize)]
struct Named<'a> {
    database: &'a str,
    hosts: &'a str,
    server: &'a str,
}

/// The differences in one collection.
#[derive(Serialize)]
struct Group<'a> {
    collection: &'a str,
    /// The number of documents, by metadata; null where the database has no such collection.
    documents: Pair<Option<u64>>,
    /// The number of documents that were read.
    examined: Pair<Option<u64>>,
    differences: Vec<Difference>,
    /// The reasons why something was not compared.
    notes: Vec<String>,
}

/// Runs the command.
pub(crate) async fn run(global: &Global, args: &cli::Diff, out: Output) -> Result<Verdict> {
    let [first, second] = sides(global)?;
    let a = open(&first, "A").await?;
    let b = open(&second, "B").await?;
    let mut in_a = find(&a, "A").await?;
    let mut in_b = find(&b, "B").await?;
    for name in &args.collections {
        if !in_a.contains_key(name) && !in_b.contains_key(name) {
            let message = format!("neither database has a collection `{name}`");
            return Err(Failure::new(message));
        }
    }
    let is_chosen = |name: &String| args.collections.is_empty() || args.collections.contains(name);
    in_a.retain(|name, _| is_chosen(name));
    in_b.retain(|name, _| is_chosen(name));
    for (connection, sources, side) in [(&a, &mut in_a, "A"), (&b, &mut in_b, "B")] {
        for source in sources.values_mut() {
            let read = read_source(connection, source, args, out).await;
            read.map_err(|failure| failure.name_database(&database(side)))?;
        }
    }
    let names: BTreeSet<&String> = in_a.keys().chain(in_b.keys()).collect();
    let groups = names
        .into_iter()
        .map(|name| group(name, in_a.get(name), in_b.get(name)));
    let collections: Vec<Group<'_>> = groups.collect();
    let report = Report {
        format: FORMAT,
        command: "diff",
        ok: collections.iter().all(|group| group.differences.is_empty()),
        databases: Pair {
            a: named(&a),
            b: named(&b),
        },
        collections,
    };
    out.both(text(&a, &b, &report), &report);
    Ok(Verdict::of(report.ok))
}

/// The options of the connections. A `--uri` or `--db` that is given once counts for both.
fn sides(global: &Global) -> Result<[Global; 2]> {
    match (global.uris.len(), global.dbs.len()) {
        (2, 0..=2) | (0..=2, 2) => {}
        _ => {
            return Err(Failure::new("`diff` compares two databases")
                .help("pass `--uri` twice, or `--db` twice for two databases of one server"));
        }
    }
    let side = |n: usize| {
        let pick = |all: &[String]| all.get(n).or(all.first()).cloned().into_iter().collect();
        Global {
            uris: pick(&global.uris),
            dbs: pick(&global.dbs),
            ..global.clone()
        }
    };
    Ok([side(0), side(1)])
}

fn database(side: &str) -> String {
    format!("database {side}")
}

async fn open(global: &Global, side: &str) -> Result<Connection> {
    let opened = or_stop(Connection::open(global), AGAIN).await?;
    opened.map_err(|failure| failure.name_database(&database(side)))
}

/// The collections and views by name.
async fn find(connection: &Connection, side: &str) -> Result<BTreeMap<String, Source>> {
    let listed = or_stop(list(connection), AGAIN).await?;
    let (sources, is_complete) =
        listed.map_err(|failure| failure.name_database(&database(side)))?;
    if !is_complete {
        let message = format!(
            "the user may not see the options of the collections in `{}` on {}",
            connection.db.name(),
            connection.hosts
        );
        return Err(Failure::new(message)
            .help("grant the role `read`")
            .name_database(&database(side)));
    }
    if sources.is_empty() {
        let message = format!(
            "the database `{}` on {} has no collections",
            connection.db.name(),
            connection.hosts
        );
        return Err(Failure::new(message)
            .help("check the name of the database")
            .name_database(&database(side)));
    }
    let by_name = sources
        .into_iter()
        .map(|source| (source.name.clone(), source));
    Ok(by_name.collect())
}

/// Reads the indexes and documents of a collection.
async fn read_source(
    connection: &Connection,
    source: &mut Source,
    args: &cli::Diff,
    out: Output,
) -> Result<()> {
    if source.class == Class::View {
        return Ok(());
    }
    if source.unread.is_some() {
        let indexes = read_indexes(connection, &source.name);
        source.indexes = or_stop(indexes, AGAIN).await??;
        return Ok(());
    }
    let extent = match (args.amount.full, args.amount.sample) {
        (true, _) => Extent::Full,
        (_, Some(size)) => Extent::Sample(size),
        _ => Extent::BySize,
    };
    let bar = out.bar(&source.name, 0);
    read(connection, source, extent, &bar).await?;
    bar.finish_and_clear();
    match &source.unread {
        Some(why) => Err(
            Failure::new(format!("`{}` cannot be compared: {why}", source.name))
                .help("grant the role `read`, or choose collections with `--collection`"),
        ),
        None => Ok(()),
    }
}

fn named(connection: &Connection) -> Named<'_> {
    Named {
        database: connection.db.name(),
        hosts: &connection.hosts,
        server: &connection.version,
    }
}

/// Compares a collection.
fn group<'a>(name: &'a str, a: Option<&Source>, b: Option<&Source>) -> Group<'a> {
    let of = |get: fn(&Source) -> u64| Pair {
        a: a.filter(|source| source.class != Class::View).map(get),
        b: b.filter(|source| source.class != Class::View).map(get),
    };
    let mut group = Group {
        collection: name,
        documents: of(|source| source.documents),
        examined: of(|source| source.read),
        differences: Vec::new(),
        notes: Vec::new(),
    };
    match (a, b) {
        (Some(a), Some(b)) if class(a) == class(b) => {
            group.differences = compare_options(&a.options, &b.options);
            group
                .differences
                .extend(compare_indexes(&a.indexes, &b.indexes));
            for (source, side) in [(a, "A"), (b, "B")] {
                group.notes.extend(notes(source, side));
            }
            if a.read > 0 && b.read > 0 {
                group.differences.extend(compare_fields(&a.root, &b.root));
            } else if a.read + b.read > 0 {
                let empty = if a.read == 0 { "A" } else { "B" };
                group
                    .notes
                    .push(format!("no documents in {empty}: fields are not compared"));
            }
        }
        (a, b) => {
            let kind = if a.is_some() && b.is_some() {
                "class"
            } else {
                "collection"
            };
            let (a, b) = (a.map(class_side), b.map(class_side));
            group.differences.push(Difference::new(kind, name, a, b));
        }
    }
    group
}

/// The reasons why not all of a collection was compared.
fn notes(source: &Source, side: &str) -> Vec<String> {
    let mut notes = Vec::new();
    if let Some(why) = &source.unread {
        notes.push(format!("fields are not compared: in {side}, {why}"));
    }
    if let Some(why) = &source.unseen {
        notes.push(format!(
            "in {side}, {} of {} were read, and the others may have more fields and types ({why})",
            number(source.read),
            count(source.documents, "document")
        ));
    }
    notes
}

/// A capped collection differs from a plain one in its options.
fn class(source: &Source) -> &'static str {
    match source.class {
        Class::View => "a view",
        Class::TimeSeries => "a time series",
        Class::Plain | Class::Capped => "a collection",
    }
}

fn class_side(source: &Source) -> Side {
    let text = class(source);
    Side {
        json: json!(text.trim_start_matches("a ")),
        text: text.to_owned(),
    }
}

fn text(a: &Connection, b: &Connection, report: &Report<'_>) -> String {
    let mut out = format!("Comparing\n  A  {}\n  B  {}\n\n", a.place(), b.place());
    let groups = &report.collections;
    for group in groups {
        if group.differences.is_empty() && group.notes.is_empty() {
            continue;
        }
        let _ = writeln!(
            out,
            "{}  {}",
            paint(STRONG, plain(group.collection)),
            paint(FAINT, documents(&group.documents))
        );
        for difference in &group.differences {
            let _ = writeln!(out, "  {} {}", paint(BAD, "✗"), plain(&difference.line()));
        }
        for note in &group.notes {
            let _ = writeln!(out, "  {} {}", paint(NOTE, "·"), plain(note));
        }
    }
    let found: usize = groups.iter().map(|group| group.differences.len()).sum();
    let compared = count(groups.len() as u64, "collection");
    if found == 0 {
        let _ = writeln!(out, "{} in {compared}", paint(GOOD, "no difference"));
    } else {
        let found = paint(BAD, count(found as u64, "difference"));
        let _ = writeln!(out, "\n{found} in {compared}");
    }
    out
}

/// `3 documents in A, 2 in B`.
fn documents(documents: &Pair<Option<u64>>) -> String {
    match (documents.a, documents.b) {
        (Some(a), Some(b)) => format!("{} in A, {} in B", count(a, "document"), number(b)),
        (Some(one), None) | (None, Some(one)) => count(one, "document"),
        (None, None) => "a view".to_owned(),
    }
}
