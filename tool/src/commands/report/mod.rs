//! `report`: the advice about the models, and how often their indexes were used; as text, Markdown, JSON or an HTML page.

mod collect;
mod page;
mod template;

use std::fs;
use std::path::Path;

use serde::Serialize;

use self::collect::{Advice, ModelReport, collect};
use self::page::draw;
use super::compat::changes_since_release;
use super::{Verdict, check};
use crate::cli;
use crate::connection::Connection;
use crate::failure::{Failure, Result};
use crate::findings::Findings;
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

/// Runs the command; it connects to the server only with `--usage` or `--check`.
pub(crate) async fn run(
    connection: Option<&Connection>,
    models: &Models,
    args: &cli::Report,
    out: Output,
) -> Result<Verdict> {
    let all = collect(connection.filter(|_| args.usage), models).await?;
    if let Some(file) = &args.html {
        let checked = match connection.filter(|_| args.check) {
            Some(connection) => Some(find(connection, models, out).await?),
            None => None,
        };
        // A change of one model may be that of another.
        let changes = match models.is_filtered() {
            true => None,
            false => changes_since_release(models)?,
        };
        let place = connection.map(Connection::place);
        let page = draw(models, &all, place, checked.as_ref(), changes.as_ref())?;
        return write_page(&page, file.as_deref(), out);
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

/// The findings of `check`, which include those of `verify`.
async fn find(connection: &Connection, models: &Models, out: Output) -> Result<Findings> {
    let args = cli::Check {
        full: false,
        sample: None,
        examples: 3,
        strict: false,
        walk: cli::Walk {
            from: None,
            batch: 10_000,
        },
    };
    check::find(connection, models, &args, out).await
}

fn write_page(page: &str, file: Option<&Path>, out: Output) -> Result<Verdict> {
    let Some(path) = file else {
        write_out(page);
        return Ok(Verdict::Fine);
    };
    let failed = |error: std::io::Error| {
        Failure::new(format!("{} cannot be written: {error}", path.display()))
    };
    fs::write(path, page).map_err(failed)?;
    out.text(format!("wrote {}\n", path.display()));
    Ok(Verdict::Fine)
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
