//! Options of the commands about the promises of the models.

use std::path::PathBuf;

use clap::Args;

/// Options of `lock`.
#[derive(Debug, Args)]
pub(crate) struct Lock {
    /// Keep the facts as those of this release: `1.4.0`
    #[arg(long = "as", value_name = "VERSION", conflicts_with = "check")]
    pub(crate) name: Option<String>,
    /// Write nothing; find a file that differs from the models, and releases that were edited
    #[arg(long)]
    pub(crate) check: bool,
    /// The file; the default is `mongo-model.lock` beside the package's Cargo.toml
    #[arg(long, value_name = "FILE")]
    pub(crate) path: Option<PathBuf>,
}

/// Options of `compat`.
#[derive(Debug, Args)]
pub(crate) struct Compat {
    /// The release of the old programs, or the branch, tag or commit of their source; the default is the newest release in the file
    #[arg(long, value_name = "VERSION|GITREF")]
    pub(crate) against: Option<String>,
    /// The file; the default is `mongo-model.lock` beside the package's Cargo.toml
    #[arg(long, value_name = "FILE")]
    pub(crate) path: Option<PathBuf>,
    /// Also read documents of this database by the models; reads only, from a secondary if there is one
    #[arg(long, value_name = "URI")]
    pub(crate) database: Option<String>,
    /// Random documents of each collection to read
    #[arg(long, value_name = "DOCUMENTS", default_value_t = 1_000, requires = "database", value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub(crate) sample: u32,
}
