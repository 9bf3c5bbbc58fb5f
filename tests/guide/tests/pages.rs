//! The summary lists the pages that exist, all of them are compiled, and their links lead somewhere.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn source() -> PathBuf {
    root().join("guide/src")
}

/// The pages below `folder`, as paths from `source()`.
fn pages_below(folder: &Path, pages: &mut BTreeSet<String>) {
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            pages_below(&path, pages);
        } else if path.extension().is_some_and(|extension| extension == "md") {
            let page = path.strip_prefix(source()).expect("inside the guide");
            pages.insert(page.to_str().expect("text").to_owned());
        }
    }
}

fn read(page: &str) -> String {
    fs::read_to_string(source().join(page)).unwrap_or_else(|error| panic!("{page}: {error}"))
}

/// Targets of the links in a page, outside of its code.
fn links(text: &str) -> Vec<String> {
    let mut code = false;
    let prose = text.lines().filter(|line| {
        let fence = line.trim_start().starts_with("```");
        code ^= fence;
        !code && !fence
    });
    prose
        .flat_map(|line| line.split("](").skip(1))
        .filter_map(|rest| rest.split(')').next())
        .map(str::to_owned)
        .collect()
}

/// The anchors of a page's headings, as mdBook and GitHub write them.
fn anchors(text: &str) -> BTreeSet<String> {
    let mut code = false;
    let mut anchors = BTreeSet::new();
    for line in text.lines() {
        code ^= line.starts_with("```");
        let heading = line.trim_start_matches('#');
        if code || heading.len() == line.len() {
            continue;
        }
        let heading = heading.trim().to_lowercase();
        let kept = heading.chars().filter_map(|c| match c {
            ' ' => Some('-'),
            c if c.is_alphanumeric() || c == '_' || c == '-' => Some(c),
            _ => None,
        });
        anchors.insert(kept.collect());
    }
    anchors
}

#[test]
fn summary_lists_every_page_once() {
    let listed = links(&read("SUMMARY.md"));
    let unique: BTreeSet<String> = listed.iter().cloned().collect();
    assert_eq!(unique.len(), listed.len(), "a page is listed twice");
    let mut present = BTreeSet::new();
    pages_below(&source(), &mut present);
    present.remove("SUMMARY.md");
    let missing: Vec<_> = unique.difference(&present).collect();
    let unlisted: Vec<_> = present.difference(&unique).collect();
    assert!(missing.is_empty(), "listed but not there: {missing:?}");
    assert!(unlisted.is_empty(), "not in SUMMARY.md: {unlisted:?}");
}

#[test]
fn every_page_is_compiled() {
    let list = include_str!("../src/lib.rs");
    let (_, list) = list.rsplit_once("pages! {").expect("the list");
    let compiled: Vec<&str> = list
        .lines()
        .filter_map(|line| line.split('"').nth(1))
        .collect();
    assert_eq!(
        compiled,
        links(&read("SUMMARY.md")),
        "the list in src/lib.rs is not that of SUMMARY.md"
    );
}

/// Rust blocks without `ignore` are doctests; another block says its language, or mdBook and rustdoc guess different ones.
#[test]
fn every_code_block_is_compiled_or_says_what_it_is() {
    let mut wrong = Vec::new();
    for page in links(&read("SUMMARY.md")) {
        let text = read(&page);
        let fences = text.lines().filter(|line| line.starts_with("```"));
        for fence in fences.step_by(2) {
            let language = fence.trim_start_matches('`');
            if language.is_empty() || (language.starts_with("rust") && language.contains("ignore"))
            {
                wrong.push(format!("{page}: {fence}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// The files below `folder`.
// Hidden lines of an example import the models, which a reader of the page does not see.
#[test]
fn every_page_links_the_models_of_its_examples() {
    let mut pages = BTreeSet::new();
    pages_below(&source(), &mut pages);
    for page in pages {
        let text = read(&page);
        let links = links(&text);
        for module in ["logs", "people", "shop", "work"] {
            let file = format!("tests/guide/src/models/{module}.rs");
            if text.contains(&format!("use mongo_model_guide::{module}::")) {
                let is_linked = links.iter().any(|link| link.ends_with(&file));
                assert!(is_linked, "{page} does not link {file}");
            }
        }
    }
}

fn files_below(folder: &Path, files: &mut Vec<String>) {
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            files_below(&path, files);
        } else {
            files.push(fs::read_to_string(path).expect("text"));
        }
    }
}

/// A block of `rs`, which no doctest compiles, is an excerpt of the service, word for word.
#[test]
fn every_excerpt_is_in_the_service() {
    let mut files = Vec::new();
    for folder in ["src", "tests"] {
        files_below(&root().join("examples/service").join(folder), &mut files);
    }
    let mut stale = Vec::new();
    for page in links(&read("SUMMARY.md")) {
        let text = read(&page);
        let excerpts = text.split("```rs\n").skip(1);
        for excerpt in excerpts.filter_map(|rest| rest.split("```").next()) {
            if !files.iter().any(|file| file.contains(excerpt)) {
                stale.push(format!("{page}:\n{excerpt}"));
            }
        }
    }
    assert!(stale.is_empty(), "{}", stale.join("\n"));
}

#[test]
fn every_link_leads_somewhere() {
    let mut broken = Vec::new();
    let mut check = |file: &Path, name: &str| {
        let text = fs::read_to_string(file).expect("a page");
        for link in links(&text) {
            if link.contains("://") {
                continue;
            }
            let (path, anchor) = link.split_once('#').unwrap_or((&link, ""));
            let target = if path.is_empty() {
                file.to_owned()
            } else {
                file.parent().expect("a folder").join(path)
            };
            let Ok(found) = fs::read(&target) else {
                broken.push(format!("{name}: {link}"));
                continue;
            };
            let is_page = target
                .extension()
                .is_some_and(|extension| extension == "md");
            if is_page && !anchor.is_empty() {
                let text = String::from_utf8(found).expect("text");
                if !anchors(&text).contains(anchor) {
                    broken.push(format!("{name}: {link}: no such heading"));
                }
            }
        }
    };
    for page in links(&read("SUMMARY.md")) {
        check(&source().join(&page), &page);
    }
    check(&source().join("SUMMARY.md"), "SUMMARY.md");
    for name in ["README.md", "CONTRIBUTING.md", "CHANGELOG.md"] {
        check(&root().join(name), name);
    }
    assert!(broken.is_empty(), "{broken:#?}");
}

/// The README shows a few of the benchmark's rows; they are those of the last run.
#[test]
fn readme_quotes_the_benchmarks() {
    let rows = |text: &str| -> Vec<String> {
        let section = text.split_once("| work |").expect("a table").1;
        let rows = section
            .lines()
            .skip(2)
            .take_while(|line| line.starts_with('|'));
        rows.map(str::to_owned).collect()
    };
    let all = rows(&read("how/benchmarks.md"));
    let readme = fs::read_to_string(root().join("README.md")).expect("README.md");
    let quoted = rows(&readme);
    assert_eq!(quoted.len(), 6, "{quoted:#?}");
    for row in quoted {
        assert!(all.contains(&row), "not a result: {row}");
    }
}

#[test]
fn readme_is_short() {
    let readme = fs::read_to_string(root().join("README.md")).expect("README.md");
    let lines = readme.lines().count();
    assert!(lines <= 200, "README.md has {lines} lines");
}
