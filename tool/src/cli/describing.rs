//! Options of the commands that describe the models.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

/// Options of `report`.
#[derive(Debug, Args)]
pub(crate) struct Report {
    /// Ask the server how often each index was used
    #[arg(long)]
    pub(crate) usage: bool,
    /// Print Markdown
    #[arg(long, conflicts_with = "json")]
    pub(crate) markdown: bool,
    /// Write one HTML page, which loads nothing from elsewhere, into a file; without a name, print it
    #[arg(long, value_name = "FILE", num_args = 0..=1, conflicts_with_all = ["json", "markdown"])]
    pub(crate) html: Option<Option<PathBuf>>,
    /// Add the findings of `check` about the database to the page
    #[arg(long, requires = "html")]
    pub(crate) check: bool,
}

/// Options of `diagram`.
#[derive(Debug, Args)]
pub(crate) struct Diagram {
    /// The form; the default follows the extension of --out, else `mermaid`
    #[arg(long, value_enum)]
    pub(crate) format: Option<Drawing>,
    /// Write into a file instead of standard output
    #[arg(short, long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
    /// Only names, references and copies: no fields and no indexes
    #[arg(long)]
    pub(crate) compact: bool,
}

/// The form of a diagram.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Drawing {
    /// Mermaid, which GitHub draws.
    Mermaid,
    /// SVG.
    Svg,
}

/// Options of `schema`.
#[derive(Debug, Args)]
pub(crate) struct Schema {
    /// The dialect: `mongodb` is the `$jsonSchema` of validators, `json` is JSON Schema 2020-12 of relaxed Extended
    /// JSON
    #[arg(long = "for", value_enum, default_value_t = Dialect::Mongodb)]
    pub(crate) dialect: Dialect,
}

/// The dialect of a schema.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Dialect {
    /// `$jsonSchema`, with `bsonType`.
    Mongodb,
    /// JSON Schema 2020-12.
    Json,
}
