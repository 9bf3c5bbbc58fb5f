//! `backfill`, `migrate` and `recover`: the library's own maintenance, with progress and a question before it writes.

use bson::{Document, doc};
use indicatif::ProgressBar;
use mongo_model::model::ModelMeta;
use serde::Serialize;

use super::Verdict;
use crate::cli;
use crate::connection::Connection;
use crate::failure::{Failure, Result};
use crate::findings::shown;
use crate::interrupt::or_stop;
use crate::models::Models;
use crate::output::{FORMAT, GOOD, Output, count, number, paint};

/// How an interrupted command goes on.
const AGAIN: &str = "run the same command again: what is done is not done twice, and what was left half way is flagged for `recover`";

/// The JSON document of `backfill`.
#[derive(Serialize)]
struct Backfilled<'a> {
    format: u32,
    command: &'static str,
    database: &'a str,
    ok: bool,
    lacking: u64,
    sources: u64,
    changed: u64,
    refused: Vec<String>,
}

/// Fills copies.
pub(crate) async fn backfill(
    connection: &Connection,
    models: &Models,
    args: &cli::Backfill,
    out: Output,
) -> Result<Verdict> {
    let about = args.edge.as_ref().map_or_else(
        || "copies".to_owned(),
        |edge| format!("the copies along `{edge}`"),
    );
    out.confirm(
        &args.confirm,
        &format!("Fill {about} in {}?", connection.place()),
    )?;
    let bar = out.spinner("filling copies");
    let shown = bar.clone();
    let mut backfill = mongo_model::backfill(&connection.db);
    if models.is_filtered() {
        backfill = backfill.models(models.selected());
    }
    if let Some(edge) = &args.edge {
        backfill = backfill.edge(edge.clone());
    }
    let backfill = backfill.progress(move |done| {
        shown.set_message(format!(
            "{} lacked copies, {} changed",
            number(done.lacking),
            number(done.changed)
        ))
    });
    let done = or_stop(backfill.into_future(), AGAIN).await??;
    bar.finish_and_clear();
    let report = Backfilled {
        format: FORMAT,
        command: "backfill",
        database: connection.db.name(),
        ok: done.refused.is_empty(),
        lacking: done.lacking,
        sources: done.sources,
        changed: done.changed,
        refused: done.refused.iter().map(ToString::to_string).collect(),
    };
    let mut text = match done.is_idle() {
        true => format!("{}\n", paint(GOOD, "no document lacks copies")),
        false => format!(
            "{} lacked copies; {} changed\n",
            count(done.lacking, "document"),
            count(done.changed, "document")
        ),
    };
    for refused in &report.refused {
        text.push_str(&format!("refused: {refused}\n"));
    }
    out.both(text, &report);
    Ok(Verdict::of(report.ok))
}

/// The JSON document of `migrate`.
#[derive(Serialize)]
struct Migrated<'a> {
    format: u32,
    command: &'static str,
    database: &'a str,
    ok: bool,
    models: Vec<ModelMigration>,
}

/// What became of the documents of one model.
#[derive(Debug, Serialize)]
struct ModelMigration {
    model: &'static str,
    collection: &'static str,
    version: i32,
    older: u64,
    migrated: u64,
    refused: Vec<Refused>,
    pending: usize,
}

/// A document that stays as it is.
#[derive(Debug, Serialize)]
struct Refused {
    id: bson::Bson,
    reason: String,
}

/// Brings older documents to the present version of their schema.
pub(crate) async fn migrate(
    connection: &Connection,
    models: &Models,
    args: &cli::Migrate,
    out: Output,
) -> Result<Verdict> {
    let versioned = models
        .selected()
        .iter()
        .filter_map(|model| Some((*model, model.schema?)));
    let mut todo = Vec::new();
    for (model, schema) in versioned {
        todo.push((
            model,
            schema.version,
            older(connection, model, schema.version).await?,
        ));
    }
    if todo.is_empty() {
        return Err(Failure::new("no model has a `schema_version`")
            .help("declare it: `#[model(schema_version = 2, migrate = path)]`"));
    }
    let documents: u64 = todo.iter().map(|(.., older)| older).sum();
    if documents > 0 {
        out.confirm(
            &args.confirm,
            &format!(
                "Migrate {} in {}?",
                count(documents, "document"),
                connection.place()
            ),
        )?;
    }
    let mut done = Vec::new();
    for (model, version, older) in todo {
        let bar = out.bar(model.name, older);
        done.push(migrate_model(connection, model, version, older, args.batch, &bar).await?);
        bar.finish_and_clear();
    }
    let ok = done.iter().all(|model| model.refused.is_empty());
    let mut text = String::new();
    for one in &done {
        text.push_str(&format!(
            "{}: {} of {} migrated to version {}\n",
            one.model,
            number(one.migrated),
            count(one.older, "older document"),
            one.version
        ));
        const SHOWN: usize = 10;
        for refused in one.refused.iter().take(SHOWN) {
            text.push_str(&format!(
                "  {} stays as it is: {}\n",
                shown(&refused.id),
                refused.reason
            ));
        }
        if one.refused.len() > SHOWN {
            text.push_str(&format!("  and {} more\n", one.refused.len() - SHOWN));
        }
    }
    let report = Migrated {
        format: FORMAT,
        command: "migrate",
        database: connection.db.name(),
        ok,
        models: done,
    };
    out.both(text, &report);
    Ok(Verdict::of(ok))
}

async fn older(connection: &Connection, model: &ModelMeta, version: i32) -> Result<u64> {
    let collection = connection.db.collection::<Document>(model.collection);
    let filter = doc! { mongo_model::migrate::FIELD: { "$not": { "$gte": version } } };
    Ok(collection.count_documents(filter).await?)
}

async fn migrate_model(
    connection: &Connection,
    model: &'static ModelMeta,
    version: i32,
    older: u64,
    batch: u32,
    bar: &ProgressBar,
) -> Result<ModelMigration> {
    let shown = bar.clone();
    let progress = move |done: &mongo_model::migrate::Migrated| shown.set_position(done.found);
    let done = match mongo_model::migrate_model(&connection.db, model, batch, progress) {
        Some(migration) if older > 0 => or_stop(migration, AGAIN).await??,
        _ => mongo_model::migrate::Migrated::default(),
    };
    Ok(ModelMigration {
        model: model.name,
        collection: model.collection,
        version,
        older,
        migrated: done.migrated,
        refused: done
            .refused
            .into_iter()
            .map(|refused| Refused {
                id: refused.id,
                reason: refused.reason,
            })
            .collect(),
        pending: done.pending.len(),
    })
}

/// The JSON document of `recover`.
#[derive(Serialize)]
struct Recovered<'a> {
    format: u32,
    command: &'static str,
    database: &'a str,
    ok: bool,
    sources: u64,
    targets: u64,
    parents: u64,
    counted: u64,
    deletes: u64,
    applied: u64,
    dangling: u64,
    stuck: Vec<String>,
}

/// Finishes what interrupted programs left flagged.
pub(crate) async fn recover(
    connection: &Connection,
    args: &cli::Confirm,
    out: Output,
) -> Result<Verdict> {
    out.confirm(
        args,
        &format!(
            "Finish what interrupted programs left in {}?",
            connection.place()
        ),
    )?;
    let bar = out.spinner("finishing what is flagged");
    let done = or_stop(mongo_model::recover(&connection.db).into_future(), AGAIN).await??;
    bar.finish_and_clear();
    let report = Recovered {
        format: FORMAT,
        command: "recover",
        database: connection.db.name(),
        ok: done.stuck.is_empty(),
        sources: done.sources,
        targets: done.targets,
        parents: done.parents,
        counted: done.counted,
        deletes: done.deletes,
        applied: done.applied,
        dangling: done.dangling,
        stuck: done.stuck.iter().map(ToString::to_string).collect(),
    };
    let mut text = String::new();
    let counts = [
        (done.sources, "changed source", "brought to its copies"),
        (done.targets, "new document", "compared with its sources"),
        (done.parents, "parent", "compared with its children"),
        (done.counted, "child", "counted"),
        (done.deletes, "delete", "finished or undone"),
        (
            done.applied,
            "dangling reference",
            "removed by its delete rule",
        ),
    ];
    for (n, what, done) in counts.into_iter().filter(|(n, ..)| *n > 0) {
        text.push_str(&format!("{n} × {what} {done}\n"));
    }
    if done.is_idle() {
        text.push_str(&format!("{}\n", paint(GOOD, "nothing was flagged")));
    }
    if done.dangling > 0 {
        text.push_str(&format!(
            "{} without a source; `mongo-model verify` lists them\n",
            count(done.dangling, "reference")
        ));
    }
    for stuck in &report.stuck {
        text.push_str(&format!("refused: {stuck}\n"));
    }
    out.both(text, &report);
    Ok(Verdict::of(report.ok))
}
