//! Writes the pages of `docs/rules` and the two lists of them, removes pages of rules that no longer exist, and writes the guide's page of
//! errors.

use std::fs;
use std::process::ExitCode;

use mongo_model_rule_pages::{catalogue, errors, errors_page, folder, pages, root, rustdoc, stale};

fn main() -> ExitCode {
    let root = root();
    let (pages, errors_text) = match (pages(&root), errors_page(&root)) {
        (Ok(pages), Ok(errors_text)) => (pages, errors_text),
        (Err(problems), _) | (_, Err(problems)) => {
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
        (errors(&root), &errors_text),
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
        "{} pages, two lists and the errors, {changed} written, {} removed",
        pages.files.len(),
        stale.len()
    );
    ExitCode::SUCCESS
}
