//! `init`: the one-line binary and a CI snippet, written into a crate. Files that are there stay as they are.

use std::fs;
use std::path::Path;

use serde::Serialize;
use toml::Table;

use super::Verdict;
use crate::cli;
use crate::failure::{Failure, Result};
use crate::output::{FORMAT, Output};

/// The JSON document.
#[derive(Serialize)]
struct Report {
    format: u32,
    command: &'static str,
    ok: bool,
    written: Vec<String>,
    unchanged: Vec<String>,
}

/// Runs the command.
pub(crate) fn run(args: &cli::Init, out: Output) -> Result<Verdict> {
    let manifest = args.path.join("Cargo.toml");
    let unreadable =
        |error: String| Failure::new(format!("{} cannot be read: {error}", manifest.display()));
    let text = fs::read_to_string(&manifest).map_err(|error| unreadable(error.to_string()))?;
    let table: Table = text
        .parse()
        .map_err(|error: toml::de::Error| unreadable(error.message().to_owned()))?;
    let name = table
        .get("package")
        .and_then(|package| package.get("name")?.as_str());
    let Some(name) = name else {
        return Err(
            Failure::new(format!("{} is no package", manifest.display()))
                .help("pass the folder of the crate with the models: `--path`"),
        );
    };
    let library = table.get("lib").and_then(|lib| lib.get("name")?.as_str());
    let library = library.map_or_else(|| name.replace('-', "_"), str::to_owned);
    let has_library = args.path.join("src/lib.rs").exists() || table.contains_key("lib");
    let files = [
        (
            "src/bin/mongo-model.rs",
            binary(has_library.then_some(&library)),
        ),
        (".github/workflows/mongo-model.yml", workflow(name)),
    ];
    let (unchanged, new): (Vec<_>, Vec<_>) = files
        .into_iter()
        .partition(|(path, _)| args.path.join(path).exists());
    if !new.is_empty() {
        let names: Vec<&str> = new.iter().map(|(path, _)| *path).collect();
        out.confirm(
            &args.confirm,
            &format!(
                "Write {} into {}?",
                names.join(" and "),
                args.path.display()
            ),
        )?;
    }
    for (path, text) in &new {
        write(&args.path.join(path), text)?;
    }
    let report = Report {
        format: FORMAT,
        command: "init",
        ok: true,
        written: new.iter().map(|(path, _)| (*path).to_owned()).collect(),
        unchanged: unchanged
            .iter()
            .map(|(path, _)| (*path).to_owned())
            .collect(),
    };
    let mut text = String::new();
    report
        .written
        .iter()
        .for_each(|path| text.push_str(&format!("wrote {path}\n")));
    report
        .unchanged
        .iter()
        .for_each(|path| text.push_str(&format!("{path} is there already and stays as it is\n")));
    text.push_str(&format!(
        "\nadd the dependency of the binary: cargo add cargo-mongo-model@{}\nthen: cargo run --bin mongo-model -- check --uri mongodb://localhost/NAME\n",
        env!("CARGO_PKG_VERSION")
    ));
    out.both(text, &report);
    Ok(Verdict::Fine)
}

fn write(path: &Path, text: &str) -> Result<()> {
    let failed = |error: std::io::Error| {
        Failure::new(format!("{} cannot be written: {error}", path.display()))
    };
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).map_err(failed)?;
    }
    fs::write(path, text).map_err(failed)
}

/// The one-line binary.
fn binary(library: Option<&String>) -> String {
    let link = match library {
        Some(library) => format!("use {library} as _; // links the models\n\n"),
        None => "// Link the models: `use my_models as _;`, or `mod models;`.\n\n".to_owned(),
    };
    format!(
        "//! Compares a database with the models: `cargo run --bin mongo-model -- check`.\n\n{link}fn main() -> std::process::ExitCode {{\n    mongo_model_tool::main()\n}}\n"
    )
}

/// A job that fails where indexes are missing or plans got worse.
fn workflow(package: &str) -> String {
    format!(
        r#"# Holds the staging database against the models of `{package}`. The secret MONGODB_URI names a user who may only read.
name: mongo-model
on:
  pull_request:
  schedule:
    - cron: "0 5 * * 1"
jobs:
  check:
    runs-on: ubuntu-latest
    env:
      MONGODB_URI: ${{{{ secrets.MONGODB_URI }}}}
    steps:
      - uses: actions/checkout@v4
      - run: cargo build --locked --bin mongo-model
      - if: hashFiles('mongo-model.lock') != ''
        run: target/debug/mongo-model lock --check
      - run: target/debug/mongo-model check --json > check.json
      - run: target/debug/mongo-model explain
      - if: always()
        uses: actions/upload-artifact@v4
        with:
          name: mongo-model
          path: check.json
"#
    )
}
