//! `explain`: each access pattern and each generated finder, run through the server's `explain` with values that the collection has.

mod plan;

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::time::Duration;

use bson::{Bson, Document, doc};
use futures::TryStreamExt;
use mongo_model::index::{ConditionOp, ConditionRow, KeyKind, Literal};
use mongo_model::model::{AccessRow, ModelMeta};
use mongodb::options::Hint;
use serde::Serialize;

use self::plan::{Plan, plan_of};
use super::Verdict;
use crate::cli;
use crate::connection::{Connection, name_of};
use crate::failure::{Failure, Result};
use crate::findings::{Finding, Findings, Group, Level};
use crate::interrupt::or_stop;
use crate::models::{Models, references, stored_path, value_at};
use crate::output::{FAINT, FORMAT, Output, STRONG, number, paint};

/// The limit for a query without a limit of its own.
const LIMIT: i64 = 1_000;
/// The time for which the server looks for documents with values in the order of `_id`s.
const PATIENCE: Duration = Duration::from_secs(2);
/// The number of documents that are tried as the source of values.
const SAMPLES: i64 = 3;

/// A query of a model.
struct Pattern {
    /// The method: `Comment::latest`.
    name: String,
    /// The stored paths that are compared for equality.
    equal: Vec<String>,
    /// Conditions that every call states.
    only: Document,
    range: Option<String>,
    sort: Document,
    limit: i64,
}

/// The JSON document, and the file of `--save`.
#[derive(Serialize)]
struct Report<'a> {
    format: u32,
    command: &'static str,
    database: &'a str,
    ok: bool,
    plans: &'a [Plan],
    #[serde(flatten)]
    findings: &'a Findings,
}

/// Runs the command.
pub(crate) async fn run(
    connection: &Connection,
    models: &Models,
    args: &cli::Explain,
    out: Output,
) -> Result<Verdict> {
    let before = args.against.as_deref().map(read).transpose()?;
    let listed = connection.some_collections().await?;
    out.text(format!("Explaining on {}\n\n", connection.place()));
    let (mut plans, mut groups) = (Vec::new(), Vec::new());
    let mut table = Vec::new();
    for model in models.selected() {
        let patterns = patterns(model);
        if patterns.is_empty() {
            continue;
        }
        let mut group = Group::new(model.collection, vec![model.name]);
        let exists = listed.iter().any(|one| name_of(one) == model.collection);
        for pattern in &patterns {
            let explained = explain(connection, model, pattern);
            let explained = match exists {
                true => or_stop(explained, "run `explain` again; it has written nothing").await??,
                false => None,
            };
            match explained {
                None => group.findings.push(Finding::note(
                    "no_values",
                    &pattern.name,
                    format!(
                        "{} was not explained: no document has values for it",
                        pattern.name
                    ),
                )),
                Some(plan) => {
                    group.findings.extend(judge(&plan));
                    table.push(row(&plan));
                    plans.push(plan);
                }
            }
        }
        groups.push(group);
    }
    if let Some(before) = &before {
        compare(before, &plans, &mut groups, models);
    }
    if let Some(path) = &args.save {
        save(path, &plans)?;
    }
    let findings = Findings {
        collections: groups,
    };
    let ok = findings.count(Level::Problem) == 0;
    let document = Report {
        format: FORMAT,
        command: "explain",
        database: connection.db.name(),
        ok,
        plans: &plans,
        findings: &findings,
    };
    out.both(
        format!("{}\n{}", aligned(table), findings.text(true)),
        &document,
    );
    Ok(Verdict::of(ok))
}

/// The queries of a model: its declared patterns, and the finder of each reference.
fn patterns(model: &'static ModelMeta) -> Vec<Pattern> {
    let declared = model.accesses.iter().map(|row| declared(model, row));
    let finders = references(model)
        .into_iter()
        .filter(|reference| !reference.in_map)
        .map(|reference| {
            let sort = reference.row.sort.map(|(field, descending)| {
                doc! { stored_path(model, field): if descending { -1 } else { 1 } }
            });
            let method = match reference.rust.contains('.') {
                true => format!("{}::by(|m| m.{})", model.name, reference.rust),
                false => format!("{}::by_{}", model.name, reference.rust),
            };
            Pattern {
                name: method,
                equal: vec![reference.path],
                only: Document::new(),
                range: None,
                sort: sort.unwrap_or_default(),
                limit: LIMIT,
            }
        });
    declared.chain(finders).collect()
}

fn declared(model: &'static ModelMeta, row: &AccessRow) -> Pattern {
    let path = |rust: &str| stored_path(model, rust);
    let mut sort = Document::new();
    for key in row.sort {
        sort.insert(
            path(key.path),
            if key.kind == KeyKind::Desc { -1 } else { 1 },
        );
    }
    let mut only = Document::new();
    for condition in row.only {
        let (operator, value) = literal(condition);
        only.insert(path(condition.path), doc! { operator: value });
    }
    Pattern {
        name: format!("{}::{}", model.name, row.name),
        equal: row.keys.iter().map(|key| path(key)).collect(),
        only,
        range: row.range.map(path),
        sort,
        limit: match i64::try_from(row.limit) {
            Ok(limit) if limit > 0 => limit,
            _ => LIMIT,
        },
    }
}

fn literal(row: &ConditionRow) -> (&'static str, Bson) {
    let value = |literal: Literal| match literal {
        Literal::Str(text) => Bson::String(text.to_owned()),
        Literal::Int(n) => Bson::Int64(n),
        Literal::Double(n) => Bson::Double(n),
        Literal::Bool(flag) => Bson::Boolean(flag),
        _ => Bson::Null,
    };
    match row.op {
        ConditionOp::Exists => ("$exists", Bson::Boolean(true)),
        ConditionOp::Type(name) => ("$type", Bson::String(name.to_owned())),
        ConditionOp::Eq(literal) => ("$eq", value(literal)),
        ConditionOp::Gt(literal) => ("$gt", value(literal)),
        ConditionOp::Gte(literal) => ("$gte", value(literal)),
        ConditionOp::Lt(literal) => ("$lt", value(literal)),
        ConditionOp::Lte(literal) => ("$lte", value(literal)),
        _ => ("$exists", Bson::Boolean(true)),
    }
}

/// The worst plan of some calls with values that documents of the collection have; `None` where no document has them.
async fn explain(
    connection: &Connection,
    model: &ModelMeta,
    pattern: &Pattern,
) -> Result<Option<Plan>> {
    let collection = connection.db.collection::<Document>(model.collection);
    let paths = || pattern.equal.iter().chain(&pattern.range);
    let mut exist = pattern.only.clone();
    let mut fields = doc! { "_id": 1 };
    for path in paths() {
        if !exist.contains_key(path) {
            exist.insert(
                path,
                doc! { "$exists": true, "$nin": [Bson::Null, Bson::Array(Vec::new())] },
            );
        }
        if !fields.keys().any(|other| {
            path.starts_with(&format!("{other}.")) || other.starts_with(&format!("{path}."))
        }) {
            fields.insert(path, 1);
        }
    }
    let look = || {
        let found = collection.find(exist.clone()).limit(SAMPLES);
        found.projection(fields.clone())
    };
    // In the order of `_id`s the values are the same in every run, whatever indexes there are; where few documents have them, that is
    // slow.
    let ordered = look()
        .hint(Hint::Keys(doc! { "_id": 1 }))
        .max_time(PATIENCE);
    let found: Result<Vec<Document>, _> = match ordered.await {
        Ok(found) => found.try_collect().await,
        Err(error) => Err(error),
    };
    let found: Vec<Document> = match found {
        Ok(found) => found,
        Err(_) => look().await?.try_collect().await?,
    };
    let mut worst: Option<Plan> = None;
    for document in found {
        let Some(filter) = filter_of(pattern, &document) else {
            continue;
        };
        let mut find = doc! { "find": model.collection, "filter": filter, "limit": pattern.limit };
        if !pattern.sort.is_empty() {
            find.insert("sort", pattern.sort.clone());
        }
        let command = doc! { "explain": find, "verbosity": "executionStats" };
        let plan = plan_of(&pattern.name, &connection.db.run_command(command).await?);
        let cost = |plan: &Plan| (plan.scans(), plan.keys + plan.documents);
        if worst.as_ref().is_none_or(|worst| cost(&plan) > cost(worst)) {
            worst = Some(plan);
        }
    }
    Ok(worst)
}

fn filter_of(pattern: &Pattern, document: &Document) -> Option<Document> {
    let mut filter = pattern.only.clone();
    for path in &pattern.equal {
        filter.insert(path, doc! { "$eq": value_at(document, path)? });
    }
    if let Some(path) = &pattern.range {
        let from = doc! { "$gte": value_at(document, path)? };
        filter.insert(path, from);
    }
    Some(filter)
}

fn judge(plan: &Plan) -> Option<Finding> {
    const FIX: &str = "`mongo-model plan` shows which indexes are missing";
    let Plan {
        pattern,
        keys,
        documents,
        returned,
        ..
    } = plan;
    let (keys, documents, returned) = (number(*keys), number(*documents), number(*returned));
    let finding =
        |kind, message: String| Some(Finding::problem(kind, pattern, message).fixed_by(FIX));
    if plan.scans() {
        return finding(
            "collection_scan",
            format!(
                "{pattern} scans the collection: {documents} documents examined for {returned} returned"
            ),
        );
    }
    if plan.sorts() {
        return finding(
            "sort",
            format!(
                "{pattern} sorts in memory: {keys} keys and {documents} documents examined for {returned} returned"
            ),
        );
    }
    if plan.is_wasteful() {
        return finding(
            "wasteful",
            format!(
                "{pattern} examines {keys} keys and {documents} documents for {returned} returned"
            ),
        );
    }
    None
}

/// Plans that have changed.
fn compare(before: &[Plan], now: &[Plan], groups: &mut [Group], models: &Models) {
    const WORSE: f64 = 1.5;
    let before: BTreeMap<&str, &Plan> = before
        .iter()
        .map(|plan| (plan.pattern.as_str(), plan))
        .collect();
    for plan in now {
        let Some(then) = before.get(plan.pattern.as_str()) else {
            continue;
        };
        let name = &plan.pattern;
        let finding = if plan.indexes != then.indexes {
            let (now, then) = (index_list(&plan.indexes), index_list(&then.indexes));
            Finding::problem(
                "other_index",
                name,
                format!("{name} uses {now}; it used {then}"),
            )
        } else if plan.stages != then.stages {
            let (now, then) = (plan.stages.join(", "), then.stages.join(", "));
            Finding::note(
                "other_plan",
                name,
                format!("{name} runs {now}; it ran {then}"),
            )
        } else if plan.documents_per_result() > then.documents_per_result() * WORSE + 1.0
            || plan.keys_per_result() > then.keys_per_result() * WORSE + 1.0
        {
            Finding::problem(
                "more_work",
                name,
                format!(
                    "{name} examines {:.1} keys and {:.1} documents per result; it examined {:.1} and {:.1}",
                    plan.keys_per_result(),
                    plan.documents_per_result(),
                    then.keys_per_result(),
                    then.documents_per_result()
                ),
            )
        } else {
            continue;
        };
        let model = name.split("::").next().unwrap_or_default();
        let model = models.selected().iter().find(|one| one.name == model);
        let group = groups
            .iter_mut()
            .find(|group| model.is_some_and(|model| group.models == [model.name]));
        if let Some(group) = group {
            group.findings.push(finding);
        }
    }
}

fn index_list(indexes: &[String]) -> String {
    match indexes.is_empty() {
        true => "no index".to_owned(),
        false => indexes
            .iter()
            .map(|name| format!("`{name}`"))
            .collect::<Vec<_>>()
            .join(", "),
    }
}

fn row(plan: &Plan) -> [String; 4] {
    [
        plan.pattern.clone(),
        index_list(&plan.indexes),
        format!(
            "{:.1} keys, {:.1} documents per result",
            plan.keys_per_result(),
            plan.documents_per_result()
        ),
        format!("{} returned", number(plan.returned)),
    ]
}

fn aligned(rows: Vec<[String; 4]>) -> String {
    let width = |n: usize| {
        rows.iter()
            .map(|row| row[n].chars().count())
            .max()
            .unwrap_or(0)
    };
    let widths = [width(0), width(1), width(2)];
    let mut out = String::new();
    for [pattern, indexes, work, returned] in &rows {
        let pattern = paint(STRONG, format!("{pattern:0$}", widths[0]));
        let returned = paint(FAINT, returned);
        out.push_str(&format!(
            "{pattern}  {indexes:0$}  {work:1$}  {returned}\n",
            widths[1], widths[2]
        ));
    }
    out
}

fn save(path: &Path, plans: &[Plan]) -> Result<()> {
    let failed =
        |error: String| Failure::new(format!("{} cannot be written: {error}", path.display()));
    let text = serde_json::to_string_pretty(plans).map_err(|error| failed(error.to_string()))?;
    fs::write(path, text + "\n").map_err(|error| failed(error.to_string()))
}

fn read(path: &Path) -> Result<Vec<Plan>> {
    let text = fs::read_to_string(path)
        .map_err(|error| Failure::new(format!("{} cannot be read: {error}", path.display())))?;
    serde_json::from_str(&text).map_err(|error| {
        Failure::new(format!("{} holds no plans: {error}", path.display()))
            .help("`--save` writes such a file")
    })
}
