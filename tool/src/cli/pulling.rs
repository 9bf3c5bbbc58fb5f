//! Options of the commands about databases without models.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::Confirm;

/// The number of documents that are read.
#[derive(Debug, Args)]
pub(crate) struct Amount {
    /// Read every document, however large the collection
    #[arg(long, conflicts_with = "sample")]
    pub(crate) full: bool,
    /// Read this many random documents of each collection; by default 10,000 of those with more than 100,000 documents
    #[arg(long, value_name = "DOCUMENTS", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) sample: Option<u32>,
}

/// Options of `pull`.
#[derive(Debug, Args)]
pub(crate) struct Pull {
    /// Folder of the models, or one file: `src/models.rs`
    #[arg(short, long, value_name = "PATH", default_value = "src/models")]
    pub(crate) out: PathBuf,
    #[command(flatten)]
    pub(crate) amount: Amount,
    /// Only this collection; may be repeated. Files of others stay as they are
    #[arg(long = "collection", value_name = "NAME")]
    pub(crate) collections: Vec<String>,
    /// Give a field the type that this part of its values has at least (`99%`); the report names the other documents, which no model reads
    #[arg(long, value_name = "SHARE", value_parser = share)]
    pub(crate) majority: Option<f64>,
    /// Overwrite files, edits included
    #[arg(long)]
    pub(crate) force: bool,
}

/// Options of `diff`.
#[derive(Debug, Args)]
pub(crate) struct Diff {
    #[command(flatten)]
    pub(crate) amount: Amount,
    /// Only this collection; may be repeated
    #[arg(long = "collection", value_name = "NAME")]
    pub(crate) collections: Vec<String>,
}

/// Options of `resolve`.
#[derive(Debug, Args)]
pub(crate) struct Resolve {
    /// The collection
    #[arg(long, value_name = "NAME")]
    pub(crate) collection: String,
    /// The dotted path of the field
    #[arg(long, value_name = "PATH")]
    pub(crate) field: String,
    /// The type that values of another one get, where the conversion loses nothing
    #[arg(long, value_enum, value_name = "TYPE")]
    pub(crate) to: Target,
    /// Also remove the field where it is an empty string
    #[arg(long)]
    pub(crate) remove_empty: bool,
    /// Change the documents; without it, nothing is written
    #[arg(long)]
    pub(crate) apply: bool,
    /// Change at most this many documents
    #[arg(long, value_name = "DOCUMENTS", default_value_t = 100_000)]
    pub(crate) limit: u64,
    #[command(flatten)]
    pub(crate) confirm: Confirm,
}

/// The type that values get.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Target {
    /// An integer of 32 bits: `"12"` becomes 12, `"012"` stays.
    Int,
    /// An integer of 64 bits.
    Long,
    /// A double.
    Double,
    /// A decimal: `"12.50"` becomes 12.50.
    Decimal,
    /// An ObjectId: of 24 hexadecimal digits.
    ObjectId,
    /// A date: of `2024-01-31`, `2024-01-31T10:00:00Z`, `2024-01-31T10:00:00.000Z`.
    Date,
    /// A string: of an integer.
    String,
    /// An empty array: of null.
    Array,
}

impl Target {
    /// The name, as it is typed.
    pub(crate) fn name(self) -> String {
        let value = self.to_possible_value();
        value.map_or_else(String::new, |value| value.get_name().to_owned())
    }
}

/// Options of `sample`.
#[derive(Debug, Args)]
pub(crate) struct Sample {
    /// Only this collection; may be repeated
    #[arg(long = "collection", value_name = "NAME")]
    pub(crate) collections: Vec<String>,
    /// Documents of each collection, those with the smallest `_id`s
    #[arg(long, value_name = "DOCUMENTS", default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) documents: u32,
    /// Replace the names of collections and fields too
    #[arg(long)]
    pub(crate) names: bool,
    /// Write into a new file instead of standard output
    #[arg(short, long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
}

/// `99%`, `99.5 %` or `0.99`: more than a half, less than all.
fn share(text: &str) -> Result<f64, String> {
    let (number, whole) = match text.strip_suffix('%') {
        Some(number) => (number.trim(), 100.0),
        None => (text, 1.0),
    };
    let share = number.parse::<f64>().map(|number| number / whole);
    match share {
        Ok(share) if share > 0.5 && share < 1.0 => Ok(share),
        _ => Err("a share is over 50% and under 100%: `99%`".to_owned()),
    }
}
