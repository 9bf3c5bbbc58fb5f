//! The report as an HTML page: the values that the template shows.

use mongo_model::model::ModelMeta;
use serde_json::{Value, json};

use super::collect::{Index, ModelReport};
use super::template::render;
use crate::commands::compat::Changes;
use crate::commands::diagram::draw_svg;
use crate::commands::lock::facts::{Fact, Facts};
use crate::commands::lock::{facts_of, name_of};
use crate::failure::Result;
use crate::findings::{Example, Finding, Findings, Group, Level, shown};
use crate::models::Models;
use crate::output::{count, number};
use crate::program::as_typed;

const PAGE: &str = include_str!("page.html");
const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");

/// The page about these models; `place` is that of the database, where one was asked.
pub(super) fn draw(
    models: &Models,
    reports: &[ModelReport],
    place: Option<String>,
    findings: Option<&Findings>,
    changes: Option<&Changes>,
) -> Result<String> {
    let facts = facts_of(models.selected())?;
    let reports_of = models.selected().iter().zip(reports).enumerate();
    let shown: Vec<Value> = reports_of
        .map(|(n, (model, report))| model_values(n, model, report, &facts))
        .collect();
    let pieces: usize = reports.iter().map(|report| report.advice.len()).sum();
    let summary = format!(
        "{}, {} of advice",
        count(reports.len() as u64, "model"),
        count(pieces as u64, "piece")
    );
    let values = json!({
        "title": "Schema report",
        "version": env!("CARGO_PKG_VERSION"),
        "summary": summary,
        "place": place,
        "style": STYLE,
        "script": SCRIPT,
        "diagram": draw_svg(models),
        "models": shown,
        "findings": findings.map(findings_values),
        "changes": changes.map(changes_values),
        "help": as_typed("`mongo-model rule NAME` explains a rule."),
    });
    Ok(render(PAGE, &values))
}

fn model_values(n: usize, model: &ModelMeta, report: &ModelReport, facts: &Facts) -> Value {
    let own = facts.get(&name_of(model)).into_iter().flatten();
    let (about, fields): (Vec<_>, Vec<_>) = own.partition(|(name, _)| name.starts_with('$'));
    let kind = about
        .iter()
        .find(|(name, _)| *name == "$model")
        .map(|(_, fact)| fact.0.join(", "));
    let rules = about.iter().filter_map(|(name, fact)| {
        let rule = name.strip_prefix("$check ")?;
        Some(format!("`{rule}` ({})", fact.0.join(", ")))
    });
    let allowed = model.allowed.iter();
    let rules: Vec<String> = rules
        .chain(allowed.map(|code| format!("allowed: `{code}`")))
        .collect();
    let size = match report.max_document_bytes {
        Some(bytes) => format!("at most {} bytes a document", number(bytes)),
        None => "documents without a bound".to_owned(),
    };
    let advised = Some(report.advice.len() as u64).filter(|pieces| *pieces > 0);
    json!({
        "id": format!("model-{n}"),
        "model": report.model,
        "collection": report.collection,
        "size": size,
        "schema": report.schema_version.map(|version| format!("schema version {version}")),
        "kind": kind.filter(|kind| kind != "plain"),
        "advised": advised.map(|pieces| format!("{} of advice", count(pieces, "piece"))),
        "fields": fields.into_iter().map(field_values).collect::<Vec<_>>(),
        "indexes": report.indexes.iter().map(index_values).collect::<Vec<_>>(),
        "costs": report.costs.text.split("; ").collect::<Vec<_>>(),
        "rules": (!rules.is_empty()).then(|| json!({ "lines": rules })),
        "advice": report.advice,
    })
}

fn field_values((path, fact): (&String, &Fact)) -> Value {
    let (kind, promises) = match fact.0.split_first() {
        Some((kind, promises)) => (kind.as_str(), promises),
        None => ("", &[][..]),
    };
    json!({ "path": path, "type": kind, "promises": promises })
}

fn index_values(index: &Index) -> Value {
    let uses = index.uses.map(|uses| {
        let uses = count(uses.unsigned_abs(), "use");
        match &index.since {
            Some(since) => format!("{uses} since {since}"),
            None => uses,
        }
    });
    json!({ "keys": index.keys, "uses": uses, "foreign": !index.declared })
}

fn findings_values(findings: &Findings) -> Value {
    let (problems, notes) = (
        findings.count(Level::Problem) as u64,
        findings.count(Level::Note) as u64,
    );
    let groups = findings.collections.iter().map(group_values);
    json!({
        "totals": format!("{}, {}", count(problems, "problem"), count(notes, "note")),
        "groups": groups.collect::<Vec<_>>(),
    })
}

fn group_values(group: &Group) -> Value {
    let mut found: Vec<&Finding> = group.findings.iter().collect();
    found.sort_by_key(|finding| finding.level);
    let mut about = vec![group.models.join(", ")];
    about.extend(
        group
            .documents
            .map(|documents| count(documents, "document")),
    );
    if let (Some(examined), Some(documents)) = (group.examined, group.documents)
        && examined < documents
    {
        about.push(format!("{} examined", number(examined)));
    }
    about.retain(|part| !part.is_empty());
    json!({
        "collection": group.collection,
        "about": about.join(", "),
        "level": found.first().map_or("fine", |worst| level_name(worst.level)),
        "count": match found.len() as u64 {
            0 => "fine".to_owned(),
            some => count(some, "finding"),
        },
        "found_some": !found.is_empty(),
        "found": found.into_iter().map(finding_values).collect::<Vec<_>>(),
    })
}

fn finding_values(finding: &Finding) -> Value {
    let example = |example: &Example| json!({ "id": shown(&example.id), "text": example.text });
    let examples: Vec<Value> = finding.examples.iter().map(example).collect();
    let more = finding.count.saturating_sub(examples.len() as u64);
    json!({
        "level": level_name(finding.level),
        "message": finding.message,
        "more": (more > 0 && !examples.is_empty()).then(|| number(more)),
        "examples": examples,
        "fix": finding.fix,
    })
}

fn level_name(level: Level) -> &'static str {
    match level {
        Level::Problem => "problem",
        Level::Note => "note",
    }
}

fn changes_values(changes: &Changes) -> Value {
    json!({
        "since": changes.since,
        "rows": changes.rows,
        "some_rows": !changes.rows.is_empty(),
    })
}
