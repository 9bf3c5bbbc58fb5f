//! The pages in `docs/rules`, the two lists of them and the guide's page of errors are those that the program would write, and links lead somewhere.

use std::fs;

use mongo_model_rule_pages::{catalogue, errors, errors_page, folder, pages, root, rustdoc, stale};

const COMMAND: &str = "run `cargo run -p mongo-model-rule-pages`";

#[test]
fn every_rule_has_its_page_and_its_entry() {
    let root = root();
    let pages = pages(&root).unwrap_or_else(|problems| panic!("{problems:#?}"));
    let folder = folder(&root);
    let differs = |name: &&String| {
        !fs::read_to_string(folder.join(name)).is_ok_and(|found| found == pages.files[*name])
    };
    let old: Vec<&String> = pages.files.keys().filter(differs).collect();
    assert!(old.is_empty(), "out of date: {old:?}; {COMMAND}");
    let stored = fs::read_to_string(catalogue(&root));
    assert!(
        stored.is_ok_and(|stored| stored == pages.catalogue),
        "the tool's list is out of date; {COMMAND}"
    );
    let stored = fs::read_to_string(rustdoc(&root));
    assert!(
        stored.is_ok_and(|stored| stored == pages.rustdoc),
        "the module `mongo_model::rules` is out of date; {COMMAND}"
    );
    let stale = stale(&root, &pages);
    assert!(stale.is_empty(), "without a rule: {stale:?}; {COMMAND}");
}

#[test]
fn the_page_of_errors_is_that_of_the_enum() {
    let root = root();
    let written = errors_page(&root).unwrap_or_else(|problems| panic!("{problems:#?}"));
    let stored = fs::read_to_string(errors(&root)).unwrap_or_default();
    assert!(
        stored == written,
        "the guide's page of errors is out of date; {COMMAND}"
    );
}

#[test]
fn every_link_leads_to_a_file() {
    let root = root();
    let pages = pages(&root).unwrap_or_else(|problems| panic!("{problems:#?}"));
    let mut broken = Vec::new();
    for (name, text) in &pages.files {
        for target in links(text) {
            let file = target.split('#').next().unwrap_or_default();
            if !file.contains("://") && !folder(&root).join(file).is_file() {
                broken.push(format!("{name}: {target}"));
            }
        }
    }
    let of_rules = pages.files.iter().filter(|(name, _)| *name != "README.md");
    for (name, text) in of_rules {
        let targets = links(text).into_iter();
        broken.extend(targets.map(|target| format!("the documentation has no {target}: {name}")));
    }
    assert!(broken.is_empty(), "{broken:#?}");
}

/// Targets of the links of a page, outside of its code.
fn links(text: &str) -> Vec<&str> {
    let mut code = false;
    let prose = text.lines().filter(|line| {
        let fence = line.starts_with("```");
        code ^= fence;
        !code && !fence
    });
    prose
        .flat_map(|line| line.split("](").skip(1))
        .filter_map(|rest| rest.split(')').next())
        .collect()
}
