//! Lists the public items of `mongo-model` with their signatures, and compares the list with `docs/public-api.txt`: a change of the
//! interface shows in the commit that makes it. The source is the documentation that `cargo doc` has written, because that has the
//! items that macros make too, and leaves out hidden ones.
//!
//! `cargo run -p mongo-model-public-api` compares, `cargo run -p mongo-model-public-api write` writes the file.

mod page;

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::ExitCode;

/// The file with the list, from the root of the workspace.
const LISTING: &str = "docs/public-api.txt";

fn main() -> ExitCode {
    let write = std::env::args()
        .nth(1)
        .is_some_and(|argument| argument == "write");
    match run(write) {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("{message}");
            ExitCode::FAILURE
        }
    }
}

fn run(write: bool) -> Result<(), String> {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    let root = package.ancestors().nth(2).expect("the workspace");
    let target =
        std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), Into::into);
    let items = public_items(&target.join("doc/mongo_model"))?;
    let listing = root.join(LISTING);
    if write {
        let text = items.into_iter().collect::<Vec<_>>().join("\n") + "\n";
        return fs::write(&listing, text).map_err(|error| format!("{LISTING}: {error}"));
    }
    let stored = fs::read_to_string(&listing).map_err(|error| format!("{LISTING}: {error}"))?;
    let stored: BTreeSet<String> = stored.lines().map(str::to_owned).collect();
    let removed = stored.difference(&items).map(|item| format!("- {item}"));
    let added = items.difference(&stored).map(|item| format!("+ {item}"));
    let changes: Vec<String> = removed.chain(added).collect();
    if changes.is_empty() {
        println!("{} public items, as listed", items.len());
        return Ok(());
    }
    Err(format!(
        "the public interface is not that of {LISTING}:\n{}\nif that is meant, run `cargo run -p mongo-model-public-api write`",
        changes.join("\n")
    ))
}

/// Every public item, one line each: its path, and its signature.
fn public_items(documentation: &Path) -> Result<BTreeSet<String>, String> {
    let read = |page: &str| {
        fs::read_to_string(documentation.join(page)).map_err(|error| {
            format!("{page}: {error}; run `cargo doc --workspace --no-deps` first")
        })
    };
    let mut out = BTreeSet::new();
    let mut folders = BTreeSet::from(["".to_owned()]);
    for (page, path) in page::items(&read("all.html")?) {
        out.extend(page::signatures(&path, &read(&page)?));
        folders.extend(
            page.rsplit_once('/')
                .map(|(folder, _)| format!("{folder}/")),
        );
    }
    // A module's page has the items that it only names again.
    for folder in folders {
        let path = format!("mongo_model::{}", folder.replace('/', "::"));
        let page = read(&format!("{folder}index.html"))?;
        out.extend(page::signatures(path.trim_end_matches("::"), &page));
    }
    Ok(out)
}
