//! `diagram`: collections, embedded documents, references with cardinality, copies and indexes, as Mermaid or SVG.

mod graph;
mod layout;
mod mermaid;
mod ranks;
mod route;
mod svg;

use std::fs;

use serde::Serialize;

use super::Verdict;
use crate::cli::{self, Drawing};
use crate::failure::{Failure, Result};
use crate::models::Models;
use crate::output::{FORMAT, Output, write_out};

/// The JSON document.
#[derive(Serialize)]
struct Report<'a> {
    format: u32,
    command: &'static str,
    ok: bool,
    #[serde(flatten)]
    graph: &'a graph::Graph,
}

/// Runs the command.
pub(crate) fn run(models: &Models, args: &cli::Diagram, out: Output) -> Result<Verdict> {
    let graph = graph::Graph::new(models, args.compact);
    let by_name = args
        .out
        .as_ref()
        .and_then(|path| path.extension())
        .is_some_and(|extension| extension == "svg");
    let drawing = match args.format.unwrap_or(if by_name {
        Drawing::Svg
    } else {
        Drawing::Mermaid
    }) {
        Drawing::Mermaid => mermaid::draw(&graph),
        Drawing::Svg => svg::draw(&graph),
    };
    if let Some(path) = &args.out {
        fs::write(path, drawing).map_err(|error| {
            Failure::new(format!("{} cannot be written: {error}", path.display()))
        })?;
        out.text(format!("wrote {}\n", path.display()));
    } else if !out.is_json() {
        write_out(&drawing);
    }
    out.json(&Report {
        format: FORMAT,
        command: "diagram",
        ok: true,
        graph: &graph,
    });
    Ok(Verdict::Fine)
}
