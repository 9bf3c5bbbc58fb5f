//! The guide's pages link to files of the repository that are no pages: the rules, the protocol, the examples. Where the repository
//! is browsed these links work as they are. For the built book this crate makes a page of each such file, and points the links
//! there.

mod check;
mod markdown;

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::fs;
use std::path::{Path, PathBuf};

pub use self::check::broken_links;
use self::markdown::{data_uri, map_links, split_at_lines};

/// Where the guide's pages lie in the repository.
const GUIDE: &str = "guide/src";

/// The folder of the book that has the pages of other files.
const OUTSIDE: &str = "repository";

/// The folder of the workspace.
#[must_use]
pub fn root() -> PathBuf {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    package
        .ancestors()
        .nth(2)
        .expect("the workspace")
        .to_owned()
}

/// A page: its path in the book, and its text.
pub type Pages = BTreeMap<String, String>;

/// Makes a page of each file outside of the guide that the pages lead to, and points the links at them.
///
/// # Errors
/// One line per link to a file that does not exist.
pub fn add_linked_files(root: &Path, pages: &mut Pages) -> Result<(), Vec<String>> {
    let mut links = Links {
        root,
        lines: BTreeMap::new(),
        found: VecDeque::new(),
        broken: Vec::new(),
    };
    for (path, text) in pages.iter_mut() {
        *text = links.rewrite(&format!("{GUIDE}/{path}"), text);
    }
    let mut files = BTreeSet::new();
    while let Some(file) = links.found.pop_front() {
        if !files.insert(file.clone()) || !file.ends_with(".md") {
            continue;
        }
        if let Ok(text) = fs::read_to_string(root.join(&file)) {
            let text = links.rewrite(&file, &text);
            pages.insert(page_of(&file), text);
        }
    }
    for (file, lines) in &links.lines {
        let code = fs::read_to_string(root.join(file)).unwrap_or_default();
        let text = format!("# {file}\n\n{}", split_at_lines(&code, lines));
        pages.insert(page_of(file), text);
    }
    if links.broken.is_empty() {
        Ok(())
    } else {
        Err(links.broken)
    }
}

/// The page of a file of the repository.
fn page_of(file: &str) -> String {
    match file.strip_prefix(&format!("{GUIDE}/")) {
        Some(page) => page.to_owned(),
        None if file.ends_with(".md") => format!("{OUTSIDE}/{file}"),
        None => format!("{OUTSIDE}/{file}.md"),
    }
}

/// The links of all pages.
struct Links<'a> {
    root: &'a Path,
    /// Source files, each with the lines that links lead to.
    lines: BTreeMap<String, BTreeSet<usize>>,
    /// Files that links lead to.
    found: VecDeque<String>,
    broken: Vec<String>,
}

impl Links<'_> {
    /// The text of a file, with links that work from its page.
    fn rewrite(&mut self, file: &str, text: &str) -> String {
        let folder = file.rsplit_once('/').map_or("", |(folder, _)| folder);
        map_links(text, |link| {
            let (path, anchor) = link.split_once('#').unwrap_or((link, ""));
            if path.is_empty() || path.contains(':') {
                return Some(link.to_owned());
            }
            let target = normalised(&format!("{folder}/{path}"));
            if target.starts_with(GUIDE) && file.starts_with(GUIDE) {
                return Some(link.to_owned());
            }
            if !self.root.join(&target).is_file() {
                self.broken.push(format!("{file}: {link}"));
                return None;
            }
            if target.ends_with(".svg") {
                let image = fs::read_to_string(self.root.join(&target));
                return image.ok().map(|image| data_uri(&image));
            }
            let from_guide = file.starts_with(GUIDE);
            if !target.ends_with(".md") {
                // Only the guide leads into the sources: the pages of the rules name hundreds of test cases.
                if !from_guide {
                    return None;
                }
                let lines = self.lines.entry(target.clone()).or_default();
                lines.extend(
                    anchor
                        .strip_prefix('L')
                        .and_then(|line| line.parse::<usize>().ok()),
                );
            }
            if !target.starts_with(GUIDE) {
                self.found.push_back(target.clone());
            }
            let anchor = link.find('#').map_or("", |at| &link[at..]);
            Some(format!(
                "{}{anchor}",
                relative(&page_of(file), &page_of(&target))
            ))
        })
    }
}

/// The path without `..` and empty steps.
fn normalised(path: &str) -> String {
    let mut steps: Vec<&str> = Vec::new();
    for step in path.split('/') {
        match step {
            "" | "." => {}
            ".." => {
                steps.pop();
            }
            step => steps.push(step),
        }
    }
    steps.join("/")
}

/// The path from one page to another.
fn relative(from: &str, to: &str) -> String {
    let up = "../".repeat(from.matches('/').count());
    format!("{up}{to}")
}
