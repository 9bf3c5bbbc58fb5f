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
    let drawing = match drawing_of(args)? {
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

/// The diagram of the models as SVG; its boxes are in the order of the models.
pub(crate) fn draw_svg(models: &Models) -> String {
    svg::draw(&graph::Graph::new(models, false))
}

/// The form that was asked for, or that the file's name says.
fn drawing_of(args: &cli::Diagram) -> Result<Drawing> {
    let Some(path) = args.out.as_ref().filter(|_| args.format.is_none()) else {
        return Ok(args.format.unwrap_or(Drawing::Mermaid));
    };
    match path.extension().and_then(|extension| extension.to_str()) {
        Some("svg") => Ok(Drawing::Svg),
        None | Some("mmd" | "mermaid" | "md" | "txt") => Ok(Drawing::Mermaid),
        Some(other) => {
            let message = format!("no diagram is written as `.{other}`");
            Err(Failure::new(message)
                .help("end the name in `.svg` or `.mmd`, or say the form with `--format`"))
        }
    }
}
