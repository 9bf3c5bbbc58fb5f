//! `report`: the advice about the models, and how often their indexes were used.

use std::collections::HashSet;

use bson::{Bson, Document, doc};
use futures::TryStreamExt;
use mongo_model::index::definitions;
use mongo_model::model::{ModelMeta, WriteCosts};
use serde::Serialize;

use super::Verdict;
use super::check::{keys_of, shown_keys};
use crate::cli;
use crate::connection::Connection;
use crate::failure::{Failure, Result};
use crate::models::Models;
use crate::output::{FAINT, FORMAT, NOTE, Output, STRONG, count, number, paint, write_out};
use crate::program::as_typed;

/// The JSON document.
#[derive(Serialize)]
struct Report {
    format: u32,
    command: &'static str,
    ok: bool,
    models: Vec<ModelReport>,
}

/// The report on one model.
#[derive(Debug, Serialize)]
struct ModelReport {
    model: &'static str,
    collection: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    schema_version: Option<i32>,
    /// Bytes of the largest document; none where a field has no bound.
    max_document_bytes: Option<u64>,
    indexes: Vec<Index>,
    costs: Costs,
    advice: Vec<Advice>,
}

/// The costs of the writes of one document.
#[derive(Debug, Serialize)]
struct Costs {
    insert: Cost,
    update: Cost,
    /// An update of a field that other documents show; none where there is no such field.
    update_followed: Option<Cost>,
    /// None where documents below it go with tombstones of their own.
    delete_unreferenced: Option<Cost>,
    #[serde(skip)]
    text: String,
}

/// The costs of one write.
#[derive(Debug, Serialize)]
struct Cost {
    awaited: usize,
    round_trips: usize,
    behind: usize,
    confirming: usize,
    indexes: usize,
}

impl Costs {
    fn of(model: &ModelMeta) -> Self {
        let costs = model.costs();
        Costs {
            insert: costs.insert.into(),
            update: costs.update.into(),
            update_followed: costs.update_followed.map(Cost::from),
            delete_unreferenced: costs.delete_unreferenced.map(Cost::from),
            text: costs.to_string(),
        }
    }
}

impl From<WriteCosts> for Cost {
    fn from(costs: WriteCosts) -> Self {
        Cost {
            awaited: costs.awaited,
            round_trips: costs.round_trips,
            behind: costs.behind,
            confirming: costs.confirming,
            indexes: costs.indexes,
        }
    }
}

/// An index.
#[derive(Debug, Serialize)]
struct Index {
    keys: String,
    /// True if a model declares it; other indexes exist only on the server.
    declared: bool,
    /// The number of uses since the server started; present with `--usage`, if the server has the index.
    #[serde(skip_serializing_if = "Option::is_none")]
    uses: Option<i64>,
    /// The time since which the server counts.
    #[serde(skip_serializing_if = "Option::is_none")]
    since: Option<String>,
}

/// A piece of advice.
#[derive(Debug, Serialize)]
struct Advice {
    rule: String,
    about: String,
    says: String,
}

/// Runs the command; it connects to the server only with `--usage`.
pub(crate) async fn run(
    connection: Option<&Connection>,
    models: &Models,
    args: &cli::Report,
    out: Output,
) -> Result<Verdict> {
    let advised = mongo_model::report();
    let advised = match connection {
        Some(connection) => advised
            .with_usage(&connection.db)
            .await
            .map_err(may_not_count)?,
        None => advised,
    };
    let mut all = Vec::new();
    for model in models.selected() {
        let entry = advised
            .models
            .iter()
            .find(|entry| entry.model == model.name && entry.collection == model.collection);
        let findings = entry.into_iter().flat_map(|entry| &entry.findings);
        let usage = match connection {
            Some(connection) => usage(connection, model).await?,
            None => Vec::new(),
        };
        all.push(ModelReport {
            model: model.name,
            collection: model.collection,
            schema_version: model.schema.map(|schema| schema.version),
            max_document_bytes: model.limits().max_bytes,
            indexes: indexes(model, &usage),
            costs: Costs::of(model),
            advice: findings
                .map(|finding| Advice {
                    rule: finding.rule.to_owned(),
                    // The keys of an index look as they do elsewhere.
                    about: match finding.field.contains(": ") {
                        true => format!("{{ {} }}", finding.field),
                        false => finding.field.clone(),
                    },
                    says: finding.says.clone(),
                })
                .collect(),
        });
    }
    let report = Report {
        format: FORMAT,
        command: "report",
        ok: all.iter().all(|model| model.advice.is_empty()),
        models: all,
    };
    if args.markdown {
        write_out(&markdown(&report));
    } else {
        out.both(text(&report), &report);
    }
    // Advice is no finding: it is there to be read.
    Ok(Verdict::Fine)
}

fn may_not_count(error: mongo_model::Error) -> Failure {
    let failure = Failure::from(error);
    failure.help(
        "`$indexStats` needs the role `clusterMonitor`; without `--usage` the server is not asked",
    )
}

async fn usage(connection: &Connection, model: &ModelMeta) -> Result<Vec<Document>> {
    let collection = connection.db.collection::<Document>(model.collection);
    let found = collection
        .aggregate(vec![doc! { "$indexStats": {} }])
        .await?;
    Ok(found.try_collect().await?)
}

fn indexes(model: &ModelMeta, usage: &[Document]) -> Vec<Index> {
    let mut known: HashSet<usize> = HashSet::new();
    let all = definitions(model).into_iter().map(|index| {
        let key = index.spec().get_document("key").cloned().ok();
        let found = usage
            .iter()
            .position(|stats| same_key(stats.get_document("key").ok(), key.as_ref()));
        known.extend(found);
        let stats = found.and_then(|found| usage.get(found));
        Index::new(keys_of(&index), true, stats)
    });
    let mut all: Vec<Index> = all.collect();
    let others = usage.iter().enumerate();
    let others = others.filter(|(n, stats)| {
        !known.contains(n) && stats.get_str("name").is_ok_and(|name| name != "_id_")
    });
    all.extend(others.map(|(_, stats)| {
        let keys = stats.get_document("key").map(shown_keys);
        Index::new(keys.unwrap_or_default(), false, Some(stats))
    }));
    all
}

impl Index {
    fn new(keys: String, declared: bool, stats: Option<&Document>) -> Self {
        let accesses = stats.and_then(|stats| stats.get_document("accesses").ok());
        let since = accesses.and_then(|accesses| accesses.get_datetime("since").ok());
        Index {
            keys,
            declared,
            uses: accesses.and_then(|accesses| accesses.get_i64("ops").ok()),
            since: since.and_then(|since| since.try_to_rfc3339_string().ok()),
        }
    }
}

/// True if two keys are the same, whatever type their directions have.
fn same_key(one: Option<&Document>, other: Option<&Document>) -> bool {
    let is_text = |key: &Document| key.values().any(|kind| kind.as_str() == Some("text"));
    // A collection has one text index, whose keys the server calls by names of its own.
    if let (Some(one), Some(other)) = (one, other)
        && is_text(one)
        && is_text(other)
    {
        return true;
    }
    let shown = |key: &Document| -> Vec<(String, String)> {
        let direction = |value: &Bson| match value {
            Bson::Double(n) => format!("{n}"),
            value => value.to_string(),
        };
        key.iter()
            .map(|(path, value)| (path.clone(), direction(value)))
            .collect()
    };
    matches!((one, other), (Some(one), Some(other)) if shown(one) == shown(other))
}

fn text(report: &Report) -> String {
    let mut out = String::new();
    for model in &report.models {
        let mut about = vec![model.collection.to_owned()];
        about.extend(
            model
                .schema_version
                .map(|version| format!("schema version {version}")),
        );
        about.push(match model.max_document_bytes {
            Some(bytes) => format!("at most {} bytes a document", number(bytes)),
            None => "documents without a bound".to_owned(),
        });
        out.push_str(&format!(
            "{}  {}\n",
            paint(STRONG, model.model),
            paint(FAINT, about.join(", "))
        ));
        for index in &model.indexes {
            let uses = match index.uses {
                Some(uses) => format!("  {}", count(uses.unsigned_abs(), "use")),
                None => String::new(),
            };
            let uses = match index.declared {
                true => uses,
                false => format!("{uses}, declared by no model"),
            };
            out.push_str(&format!("    index {}{}\n", index.keys, paint(FAINT, uses)));
        }
        for cost in model.costs.text.split("; ") {
            out.push_str(&format!("    {cost}\n"));
        }
        for (rule, says, about) in grouped(&model.advice) {
            let about = match about.as_slice() {
                [""] => String::new(),
                about => format!("{}: ", about.join(", ")),
            };
            out.push_str(&format!("  {} {about}{says} [{rule}]\n", paint(NOTE, "·")));
        }
    }
    let pieces: usize = report.models.iter().map(|model| model.advice.len()).sum();
    let pieces = count(pieces as u64, "piece");
    let models = count(report.models.len() as u64, "model");
    out.push_str(&format!("\n{pieces} of advice about {models}\n"));
    if report.models.iter().any(|model| !model.advice.is_empty()) {
        out.push_str(&as_typed(
            "  help: `mongo-model rule NAME` explains a rule\n",
        ));
    }
    out
}

/// The advice, with one line for the same advice about several fields or indexes: the rule, its text, and the fields or indexes.
fn grouped(advice: &[Advice]) -> Vec<(&str, &str, Vec<&str>)> {
    let mut out: Vec<(&str, &str, Vec<&str>)> = Vec::new();
    for one in advice {
        let alike = out
            .iter_mut()
            .find(|(rule, says, _)| *rule == one.rule && *says == one.says);
        match alike {
            Some((.., about)) => about.push(&one.about),
            None => out.push((&one.rule, &one.says, vec![&one.about])),
        }
    }
    out
}

fn markdown(report: &Report) -> String {
    let cell = |text: &str| text.replace('|', "\\|");
    let mut out = String::from(
        "# Schema report\n\n## Advice\n\n| model | about | rule | advice |\n|---|---|---|---|\n",
    );
    for model in &report.models {
        for advice in &model.advice {
            let (about, says) = (cell(&advice.about), cell(&advice.says));
            out.push_str(&format!(
                "| {} | {about} | `{}` | {says} |\n",
                model.model, advice.rule
            ));
        }
    }
    out.push_str(
        "\n## Indexes\n\n| collection | index | declared | uses | since |\n|---|---|---|---|---|\n",
    );
    for model in &report.models {
        for index in &model.indexes {
            let uses = index.uses.map(|uses| uses.to_string()).unwrap_or_default();
            let since = index.since.clone().unwrap_or_default();
            out.push_str(&format!(
                "| {} | `{}` | {} | {uses} | {since} |\n",
                model.collection,
                cell(&index.keys),
                if index.declared { "yes" } else { "no" }
            ));
        }
    }
    out
}
