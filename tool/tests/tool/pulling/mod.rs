//! `pull`: what it finds in a database with known answers, that its models compile and read every document, and that a second run
//! keeps edits.

mod answers;
mod checks;
mod data;
mod decided;
mod doubts;
mod generated;
mod kinds;
mod package;
mod rerun;
mod sampled;
mod small;
mod strange;
mod subset;

use std::path::PathBuf;

use crate::support::{Place, Ran, cargo_mongo_model, run, target};

/// Runs `pull` into a folder.
fn pull(place: &Place, out: &str, options: &[&str]) -> Ran {
    let args = [&["pull", "--out", out], options].concat();
    run(cargo_mongo_model(), &place.arguments(&args))
}

/// An empty folder for the files of one test.
fn folder(name: &str) -> PathBuf {
    let folder = target().join("tmp").join(format!("pull-{name}"));
    if folder.exists() {
        std::fs::remove_dir_all(&folder).expect("removed");
    }
    std::fs::create_dir_all(&folder).expect("made");
    folder
}
