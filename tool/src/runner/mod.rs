//! The program that links the user's models: written under `target/`, built by cargo, run with the same arguments.
//!
//! It is a workspace of its own that depends on the user's packages by path, with a copy of their lock file and profiles, so that
//! nothing changes in the user's tree and dependencies are not built a second time.

mod manifest;
mod metadata;

use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};

use serde_json::Value;

use self::metadata::{Metadata, Package};
use crate::cli::Build;
use crate::failure::{Failure, Result};
use crate::interrupt;
use crate::output::Output;

/// The line that a program of the user's needs.
pub(crate) const MAIN: &str = "fn main() -> std::process::ExitCode { mongo_model_tool::main() }";

/// Builds the program and runs it; gives its exit code.
pub(crate) fn run(build: &Build, args: &[OsString], out: Output) -> Result<ExitCode> {
    let metadata = Metadata::read(build)?;
    let packages = metadata.choose(build)?;
    let folder = write(&metadata, &packages, build)?;
    let program = compile(&metadata, &packages, build, &folder, out)?;
    interrupt::leave_to_child();
    // As cargo says it to the programs that it runs.
    let home = metadata.home(&packages);
    let status = Command::new(&program)
        .args(args)
        .env("CARGO_MANIFEST_DIR", home)
        .status();
    let status = status
        .map_err(|error| Failure::new(format!("{} does not run: {error}", program.display())))?;
    let code = status.code().and_then(|code| u8::try_from(code).ok());
    Ok(ExitCode::from(code.unwrap_or(2)))
}

/// Writes the program's folder.
fn write(metadata: &Metadata, packages: &[&Package], build: &Build) -> Result<PathBuf> {
    let names: Vec<&str> = packages
        .iter()
        .map(|package| package.name.as_str())
        .collect();
    let folder = metadata
        .target(build)
        .join("mongo-model")
        .join(names.join("+"));
    let files = [
        ("Cargo.toml", manifest::manifest(metadata, packages, build)?),
        ("src/main.rs", manifest::program(packages.len())),
    ];
    let failed =
        |error: io::Error| Failure::new(format!("{} cannot be written: {error}", folder.display()));
    fs::create_dir_all(folder.join("src")).map_err(failed)?;
    for (name, text) in files {
        write_if_changed(&folder.join(name), &text).map_err(failed)?;
    }
    if let Some(lock) = &metadata.lock {
        copy_lock(lock, &folder).map_err(failed)?;
    }
    Ok(folder)
}

/// Cargo compares the times of files: one that is the same is not written.
fn write_if_changed(path: &Path, text: &str) -> io::Result<()> {
    if fs::read_to_string(path).is_ok_and(|old| old == text) {
        return Ok(());
    }
    fs::write(path, text)
}

/// Cargo adds the tool's own dependencies to the copy, which is therefore replaced only when the original changes.
fn copy_lock(text: &str, folder: &Path) -> io::Result<()> {
    let original = folder.join("Cargo.lock.original");
    if fs::read_to_string(&original).is_ok_and(|old| old == text)
        && folder.join("Cargo.lock").exists()
    {
        return Ok(());
    }
    fs::write(folder.join("Cargo.lock"), text)?;
    fs::write(original, text)
}

/// Builds the program; gives its path. Compiler messages go to standard error.
fn compile(
    metadata: &Metadata,
    packages: &[&Package],
    build: &Build,
    folder: &Path,
    out: Output,
) -> Result<PathBuf> {
    let mut cargo = metadata::cargo();
    cargo.args([
        "build",
        "--message-format=json-render-diagnostics",
        "--manifest-path",
    ]);
    cargo.arg(folder.join("Cargo.toml"));
    cargo.arg("--target-dir").arg(metadata.target(build));
    if build.release {
        cargo.arg("--release");
    }
    if build.offline {
        cargo.arg("--offline");
    }
    if out.is_json() {
        cargo.arg("--quiet");
    }
    let done = cargo.stdin(Stdio::null()).stderr(Stdio::inherit()).output();
    let done = done.map_err(|error| Failure::new(format!("cannot run cargo: {error}")))?;
    let text = String::from_utf8_lossy(&done.stdout);
    let messages: Vec<Value> = text
        .lines()
        .filter_map(|line| serde_json::from_str(line).ok())
        .collect();
    if !done.status.success() {
        let names: Vec<String> = packages
            .iter()
            .map(|package| format!("`{}`", package.name))
            .collect();
        let names = names.join(", ");
        // Cargo reports `build-finished` only for a build that has begun: without it, cargo could not resolve a package.
        let is_error = |message: &Value| message["reason"] == "build-finished";
        return Err(match messages.iter().any(is_error) {
            true => Failure::new(format!("{names} does not compile"))
                .help("the compiler's messages are above"),
            false => Failure::new(format!("cargo cannot build a program that links {names}"))
                .help("cargo's message is above"),
        });
    }
    let name = manifest::name(packages);
    let program = messages
        .iter()
        .filter(|message| message["target"]["name"] == name.as_str());
    let program = program
        .filter_map(|message| message["executable"].as_str())
        .next_back();
    program
        .map(PathBuf::from)
        .ok_or_else(|| Failure::new("cargo did not say where it put the program"))
}
