//! The report of `apply`.

use mongo_model::index::{IndexReport, VectorChange};
use mongo_model::validator::ValidatorReport;
use serde::Serialize;

use super::named;
use crate::connection::Connection;
use crate::output::FORMAT;

/// The JSON document of `apply`.
#[derive(Serialize)]
pub(super) struct ApplyReport<'a> {
    format: u32,
    command: &'static str,
    database: &'a str,
    pub(super) ok: bool,
    created: Vec<String>,
    changed: Vec<String>,
    replaced: Vec<String>,
    hidden: Vec<String>,
    dropped: Vec<String>,
    unknown: Vec<String>,
    /// The indexes that this server cannot build.
    missing: Vec<String>,
    validators: Vec<String>,
    pub(super) sharded: Vec<String>,
    failures: Vec<String>,
}

/// Collects the report of `apply`.
pub(super) fn applied<'a>(
    connection: &'a Connection,
    report: &IndexReport,
    validators: &ValidatorReport,
    failures: Vec<String>,
) -> ApplyReport<'a> {
    let mut out = ApplyReport {
        format: FORMAT,
        command: "apply",
        database: connection.db.name(),
        ok: failures.is_empty(),
        created: Vec::new(),
        changed: Vec::new(),
        replaced: Vec::new(),
        hidden: Vec::new(),
        dropped: Vec::new(),
        unknown: Vec::new(),
        missing: Vec::new(),
        validators: validators
            .changed
            .iter()
            .map(|change| change.collection.clone())
            .collect(),
        sharded: Vec::new(),
        failures,
    };
    for one in &report.collections {
        let line = |text: String| format!("{}: {text}", one.collection);
        out.created.extend(
            one.created
                .iter()
                .map(|index| line(named(index.name.as_deref(), &index.to_string()))),
        );
        out.changed
            .extend(one.changed.iter().map(|change| line(change.to_string())));
        out.replaced.extend(
            one.replaced
                .iter()
                .map(|conflict| line(conflict.to_string())),
        );
        out.hidden
            .extend(one.hidden.iter().map(|index| line(index.to_string())));
        out.dropped
            .extend(one.dropped.iter().map(|index| line(index.to_string())));
        out.unknown
            .extend(one.unknown.iter().map(|index| line(index.to_string())));
        for change in &one.vectors {
            let list = match change {
                VectorChange::Create(_) => &mut out.created,
                VectorChange::Unavailable(_) => &mut out.missing,
                _ => &mut out.replaced,
            };
            list.push(line(change.to_string()));
        }
        if let Some(differ) = &one.copies_differ {
            out.failures.push(line(differ.to_string()));
            out.ok = false;
        }
    }
    out
}

/// Writes the report in lines.
pub(super) fn applied_text(report: &ApplyReport<'_>) -> String {
    let lists = [
        ("created", &report.created),
        ("changed", &report.changed),
        ("replaced", &report.replaced),
        ("hidden", &report.hidden),
        ("dropped", &report.dropped),
        ("validator", &report.validators),
        ("sharded", &report.sharded),
        ("missing", &report.missing),
        ("failed", &report.failures),
    ];
    let mut out = String::new();
    for (verb, items) in lists {
        for item in items {
            out.push_str(&format!("{verb:<9} {item}\n"));
        }
    }
    if out.is_empty() {
        out.push_str("nothing was changed\n");
    }
    out
}
