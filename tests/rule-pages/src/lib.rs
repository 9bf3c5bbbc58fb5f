//! The error index: one page per rule, in `docs/rules`. `cargo mongo-model rule` prints these pages, and the module `mongo_model::rules` of the
//! documentation shows them; both include the files, so the pages are there once. This program also writes the two lists of their names.
//!
//! A page joins three sources. `schema-derive/src/rules.rs` has the rule and its level. `docs/rules/why.toml` says by hand what the rule
//! checks, why, and what to do. The compile-time cases show it: a case in `tests/ui` that breaks the rule, its golden with the message, and
//! the near miss in `tests/ui-pass` that compiles.

mod case;
mod errors;
mod page;
mod source;
mod why;

/// The rule table of the derives.
#[path = "../../../schema-derive/src/rules.rs"]
mod rules;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use case::Cases;
pub use errors::{errors, errors_page};
use page::Page;
use rules::RULES;

/// The folder of the workspace.
pub fn root() -> PathBuf {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    let root = package.ancestors().nth(2).expect("the workspace");
    root.to_owned()
}

/// The folder of the pages.
pub fn folder(root: &Path) -> PathBuf {
    root.join("docs/rules")
}

/// The list of the pages that `cargo mongo-model rule` prints.
pub fn catalogue(root: &Path) -> PathBuf {
    root.join("tool/src/commands/rule/pages.rs")
}

/// The list of the pages that the documentation of the library shows.
pub fn rustdoc(root: &Path) -> PathBuf {
    root.join("schema-runtime/src/rules.rs")
}

/// The pages.
#[derive(Debug, Default)]
pub struct Pages {
    /// Texts by file name.
    pub files: BTreeMap<String, String>,
    /// The text of the [`catalogue`].
    pub catalogue: String,
    /// The text of the [`rustdoc`] module.
    pub rustdoc: String,
    /// Entries of `why.toml` that name a case that is not there. The page shows another case of the rule.
    pub notices: Vec<String>,
}

/// All pages, or what is missing to write them.
///
/// # Errors
///
/// One line per problem: a rule without an entry in `why.toml`, an entry without a rule, an entry that lacks a part, a rule without a case.
pub fn pages(root: &Path) -> Result<Pages, Vec<String>> {
    let entries = why::read(&folder(root).join("why.toml")).map_err(|problem| vec![problem])?;
    let cases = Cases::read(root);
    let mut pages = Pages {
        catalogue: page::catalogue(),
        rustdoc: page::rustdoc(),
        ..Pages::default()
    };
    let mut problems: Vec<String> = entries
        .keys()
        .filter(|code| !RULES.iter().any(|rule| rule.code == code.as_str()))
        .map(|code| format!("docs/rules/why.toml: there is no rule {code}"))
        .collect();
    for rule in RULES {
        let written = entries
            .get(rule.code)
            .ok_or_else(|| vec!["no entry in docs/rules/why.toml".to_owned()])
            .and_then(|entry| why::entry(rule, entry))
            .and_then(|why| {
                Page::collect(rule, &why, &cases, &mut pages.notices)
                    .map_err(|problem| vec![problem])
            });
        match written {
            Ok(page) => {
                let name = format!("{}.md", rule.code);
                pages.files.insert(name, page.markdown());
            }
            Err(found) => {
                problems.extend(found.iter().map(|found| format!("{}: {found}", rule.code)));
            }
        }
    }
    pages.files.insert("README.md".to_owned(), page::index());
    if problems.is_empty() {
        Ok(pages)
    } else {
        Err(problems)
    }
}

/// Pages on disk that `pages` does not contain, by file name.
pub fn stale(root: &Path, pages: &Pages) -> Vec<String> {
    let Ok(entries) = fs::read_dir(folder(root)) else {
        return Vec::new();
    };
    let names = entries
        .flatten()
        .map(|entry| entry.file_name().to_string_lossy().into_owned());
    let mut stale: Vec<String> = names
        .filter(|name| name.ends_with(".md") && !pages.files.contains_key(name))
        .collect();
    stale.sort();
    stale
}
