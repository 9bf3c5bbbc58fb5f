//! `backfill`, `migrate` and `recover`: the library's own maintenance, with progress and a question before it writes.

use std::future::IntoFuture;

use bson::{Document, doc};
use indicatif::ProgressBar;
use mongo_model::denorm::Backfilled;
use mongo_model::model::ModelMeta;
use serde::Serialize;

use super::Verdict;
use crate::cli;
use crate::connection::{Connection, name_of};
use crate::failure::{Failure, Result};
use crate::findings::shown;
use crate::interrupt::or_stop;
use crate::models::{Models, has_derived, has_references};
use crate::output::{FORMAT, GOOD, Output, count, number, paint};
use crate::program::as_typed;
use crate::walk::{Place, Start, Steps, remaining};

/// The advice on how to go on after an interruption.
const AGAIN: &str = "run the same command again: what is done is not done twice, and what was left half way is flagged for `recover`";

/// The JSON document of `backfill`.
#[derive(Default, Serialize)]
struct Filled<'a> {
    format: u32,
    command: &'static str,
    database: &'a str,
    ok: bool,
    /// The reason why the walk was stopped.
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<serde_json::Value>,
    lacking: u64,
    sources: u64,
    changed: u64,
    parents: u64,
    overwritten: u64,
    refused: Vec<String>,
}

impl Filled<'_> {
    fn add(&mut self, done: &Backfilled) {
        self.lacking += done.lacking;
        self.sources += done.sources;
        self.changed += done.changed;
        self.parents += done.parents;
        self.overwritten += done.overwritten;
        let refused = done.refused.iter();
        self.refused.extend(refused.map(ToString::to_string));
    }

    fn text(&self) -> String {
        let mut text = String::new();
        if self.lacking > 0 {
            let (lacked, changed) = (count(self.lacking, "document"), self.changed);
            let changed = count(changed, "document");
            text.push_str(&format!("{lacked} lacked copies; {changed} changed\n"));
        }
        if self.parents > 0 {
            let parents = count(self.parents, "document");
            text.push_str(&format!("{parents} got a list or a number of children\n"));
        }
        if self.overwritten > 0 {
            let values = count(self.overwritten, "differing value");
            text.push_str(&format!("{values} of other programs overwritten\n"));
        }
        for refused in &self.refused {
            text.push_str(&format!("refused: {refused}\n"));
        }
        text
    }
}

/// Fills copies, collection by collection and in steps.
pub(crate) async fn backfill(
    connection: &Connection,
    models: &Models,
    args: &cli::Backfill,
    out: Output,
) -> Result<Verdict> {
    let mut start = Start::new(args.walk.from.as_deref(), models.collections().into_keys())?;
    let about = args.reference.as_ref().map_or_else(
        || "copies, lists and numbers".to_owned(),
        |edge| format!("what follows along `{edge}`"),
    );
    let listed = connection.some_collections().await?;
    out.confirm(
        &args.confirm,
        &format!("Fill {about} in {}?", connection.place()),
    )?;
    let mut filled = Filled {
        format: FORMAT,
        command: "backfill",
        database: connection.db.name(),
        ..Filled::default()
    };
    let edge = args.reference.as_deref();
    let holder = edge.map(|edge| models.collection_of(edge));
    if let (Some(edge), Some("")) = (edge, holder) {
        return Err(Failure::new(format!(
            "no model declares copies that follow at `{edge}`"
        )));
    }
    let mut stopped = None;
    for (collection, stored) in models.collections() {
        let refers = |model: &&'static ModelMeta| has_references(model) || has_derived(model);
        let chosen = holder.is_none_or(|holder| holder == collection);
        let Some(mut place) = start.enter(collection) else {
            continue;
        };
        let exists = listed.iter().any(|one| name_of(one) == collection);
        if !exists || !chosen || !stored.iter().any(refers) {
            continue;
        }
        let walk = fill_collection(connection, &stored, args, &mut place, &mut filled, out);
        if let Err(failure) = walk.await {
            stopped = Some(failure.resumed_by(&place.resume("backfill")));
            break;
        }
    }
    filled.ok = filled.refused.is_empty() && stopped.is_none();
    filled.error = stopped.as_ref().map(Failure::json);
    let text = match filled.text() {
        text if text.is_empty() && stopped.is_none() => {
            format!("{}\n", paint(GOOD, "no document lacks copies"))
        }
        text => text,
    };
    out.both(text, &filled);
    match stopped {
        Some(failure) => Err(Failure::Midway(Box::new(failure))),
        None => Ok(Verdict::of(filled.ok)),
    }
}

/// Walks over one collection; `place` follows. A step that Ctrl-C drops leaves flags; when it is repeated, it does the rest.
async fn fill_collection(
    connection: &Connection,
    models: &[&'static ModelMeta],
    args: &cli::Backfill,
    place: &mut Place,
    filled: &mut Filled<'_>,
    out: Output,
) -> Result<()> {
    let bar = out.bar(&place.collection, remaining(connection, place).await?);
    let (after, batch) = (place.id.clone(), args.walk.batch);
    let mut steps = Steps::new(connection, &place.collection, batch, after).await?;
    while let Some(step) = steps.next(connection).await? {
        let mut backfill = mongo_model::backfill(&connection.db).models(models);
        if let Some(edge) = &args.reference {
            backfill = backfill.reference(edge);
        }
        if !step.range.is_empty() {
            backfill = backfill.range(step.range.clone());
        }
        let before = filled.changed;
        let shown = bar.clone();
        let backfill = backfill.progress(move |done| {
            shown.set_message(format!("{} changed", number(before + done.changed)));
        });
        let done = or_stop(backfill.into_future(), &place.resume("backfill")).await??;
        filled.add(&done);
        bar.inc(step.documents);
        if let Some(last) = step.last {
            place.id = Some(last);
        }
    }
    bar.finish_and_clear();
    Ok(())
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

/// The result of migrating the documents of one model.
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
    moves: u64,
    erases: u64,
    events: u64,
    applied: u64,
    dangling: u64,
    stuck: Vec<String>,
    sagas: Sagas,
}

/// The outcomes of interrupted sagas.
#[derive(Debug, Default, Serialize)]
struct Sagas {
    /// Sagas whose steps are all done now.
    done: u64,
    /// Sagas that are undone.
    undone: u64,
    /// Sagas that a program may still be running: their lease has not ended.
    leased: u64,
    /// Sagas that could not be ended.
    failed: Vec<String>,
}

/// Ends the sagas that no program runs any more. Their journals hold the steps as data, so the code that began them is not needed.
async fn end_sagas(connection: &Connection, collections: &[String]) -> Result<Sagas> {
    let mut out = Sagas::default();
    for collection in collections {
        let done = mongo_model::saga::resume_in(&connection.db, collection).await?;
        out.done += done.done.len() as u64;
        out.undone += done.undone.len() as u64;
        let left = connection.db.collection::<Document>(collection);
        let left = left.count_documents(doc! {}).await?;
        out.leased += left.saturating_sub(done.failed.len() as u64);
        let failed = done.failed.into_iter();
        out.failed
            .extend(failed.map(|(id, error)| format!("saga {id}: {error}")));
    }
    Ok(out)
}

/// Finishes what interrupted programs left flagged, and ends their sagas.
pub(crate) async fn recover(
    connection: &Connection,
    args: &cli::Recover,
    out: Output,
) -> Result<Verdict> {
    let question = format!(
        "Finish what interrupted programs left in {}?",
        connection.place()
    );
    out.confirm(&args.confirm, &question)?;
    let bar = out.spinner("ending sagas");
    let sagas = or_stop(end_sagas(connection, &args.sagas), AGAIN).await??;
    bar.set_prefix("finishing what is flagged");
    let done = or_stop(mongo_model::recover(&connection.db).into_future(), AGAIN).await??;
    bar.finish_and_clear();
    let report = Recovered {
        format: FORMAT,
        command: "recover",
        database: connection.db.name(),
        ok: done.stuck.is_empty() && sagas.failed.is_empty(),
        sources: done.sources,
        targets: done.targets,
        parents: done.parents,
        counted: done.counted,
        deletes: done.deletes,
        moves: done.moves,
        erases: done.erases,
        events: done.events,
        applied: done.applied,
        dangling: done.dangling,
        stuck: done.stuck.iter().map(ToString::to_string).collect(),
        sagas,
    };
    out.both(recovered_text(&report), &report);
    Ok(Verdict::of(report.ok))
}

fn recovered_text(report: &Recovered<'_>) -> String {
    let sagas = &report.sagas;
    let counts = [
        (sagas.done, "saga", "was completed", "were completed"),
        (sagas.undone, "saga", "was undone", "were undone"),
        (
            report.sources,
            "changed source",
            "was brought to its copies",
            "were brought to their copies",
        ),
        (
            report.targets,
            "new document",
            "was compared with its sources",
            "were compared with their sources",
        ),
        (
            report.parents,
            "parent",
            "was compared with its children",
            "were compared with their children",
        ),
        (
            report.counted,
            "child document",
            "was counted",
            "were counted",
        ),
        (
            report.deletes,
            "delete",
            "was finished or undone",
            "were finished or undone",
        ),
        (
            report.moves,
            "move in a tree",
            "was finished",
            "were finished",
        ),
        (report.erases, "erase", "was finished", "were finished"),
        (
            report.events,
            "emitting document",
            "had its events delivered",
            "had their events delivered",
        ),
        (
            report.applied,
            "dangling reference",
            "followed its delete rule",
            "followed their delete rules",
        ),
    ];
    let mut text = String::new();
    for (n, noun, one, many) in counts.into_iter().filter(|(n, ..)| *n > 0) {
        let was = if n == 1 { one } else { many };
        text.push_str(&format!("{} {was}\n", count(n, noun)));
    }
    let refused: Vec<&String> = report.stuck.iter().chain(&sagas.failed).collect();
    if text.is_empty() && refused.is_empty() {
        text.push_str(&format!("{}\n", paint(GOOD, "nothing had to be finished")));
    }
    if sagas.leased > 0 {
        text.push_str(&format!(
            "{} may still be running; run `recover` again when its lease has ended\n",
            count(sagas.leased, "saga")
        ));
    }
    if report.dangling > 0 {
        text.push_str(&as_typed(&format!(
            "{} without a source; `mongo-model verify` lists them\n",
            count(report.dangling, "reference")
        )));
    }
    for refused in refused {
        text.push_str(&format!("refused: {refused}\n"));
    }
    text
}
