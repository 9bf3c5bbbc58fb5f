//! Writes the pages of `docs/rules` and the two lists of them, and removes pages of rules that no longer exist.

use std::fs;
use std::process::ExitCode;

use mongo_model_rule_pages::{catalogue, folder, pages, root, rustdoc, stale};

fn main() -> ExitCode {
    let root = root();
    let pages = match pages(&root) {
        Ok(pages) => pages,
        Err(problems) => {
            for problem in problems {
                eprintln!("{problem}");
            }
            return ExitCode::FAILURE;
        }
    };
    let folder = folder(&root);
    let stale = stale(&root, &pages);
    for name in &stale {
        fs::remove_file(folder.join(name)).expect("a page that can be removed");
    }
    let mut changed = 0;
    let files = pages
        .files
        .iter()
        .map(|(name, text)| (folder.join(name), text));
    let generated = [
        (catalogue(&root), &pages.catalogue),
        (rustdoc(&root), &pages.rustdoc),
    ];
    for (path, text) in files.chain(generated) {
        if fs::read_to_string(&path).is_ok_and(|found| found == *text) {
            continue;
        }
        fs::write(&path, text).expect("a file that can be written");
        changed += 1;
    }
    for notice in &pages.notices {
        eprintln!("note: docs/rules/why.toml: {notice}");
    }
    println!(
        "{} pages and two lists, {changed} written, {} removed",
        pages.files.len(),
        stale.len()
    );
    ExitCode::SUCCESS
}
