//! The compile-time cases: what breaks a rule, the compiler's message, and what does not break it.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use crate::source::{Chosen, Excerpt, Source};

/// The name of the file in a message on a page.
const SHOWN_AS: &str = "src/model.rs";

/// A case that must not compile.
#[derive(Debug)]
pub(crate) struct Case {
    /// The path below `tests/ui`, without its ending.
    pub(crate) name: String,
    source: Source,
    errors: Vec<Error>,
}

/// One error of a golden.
#[derive(Debug)]
struct Error {
    lines: Vec<String>,
    /// The lines of the case that it points to.
    places: BTreeSet<usize>,
    /// The line that it is about.
    place: Option<usize>,
}

/// A case as a page shows it.
#[derive(Debug)]
pub(crate) struct Shown {
    /// The path below the workspace.
    pub(crate) path: String,
    pub(crate) source: String,
    pub(crate) message: String,
    /// Names of the items that the message points to.
    pub(crate) names: BTreeSet<String>,
    /// How many other errors the shown items have.
    pub(crate) others: usize,
}

/// All cases and near misses.
#[derive(Debug)]
pub(crate) struct Cases {
    root: PathBuf,
    bad: Vec<Case>,
    /// Near misses by their path below `tests/ui-pass`, without its ending.
    good: BTreeMap<String, Source>,
}

impl Cases {
    pub(crate) fn read(root: &Path) -> Self {
        let bad = sources(&root.join("tests/ui"))
            .into_iter()
            .filter_map(|(name, text)| {
                let golden = root.join("tests/ui").join(format!("{name}.stderr"));
                let golden = fs::read_to_string(golden).ok()?;
                Some(Case::new(name, &text, &golden))
            })
            .collect();
        let good = sources(&root.join("tests/ui-pass"))
            .into_iter()
            .map(|(name, text)| (name, Source::new(&text)))
            .collect();
        Self {
            root: root.to_owned(),
            bad,
            good,
        }
    }

    /// The clearest case of a rule: in the rule's own folder, with no second error, short. Where `message` is given, one that says it.
    pub(crate) fn clearest(&self, code: &str, message: Option<&str>) -> Option<Shown> {
        let mark = format!("[{code}]");
        let folder = format!("rule-{}/", code.to_ascii_lowercase().replace('_', "-"));
        let fits =
            |error: &&Error| error.says(&mark) && message.is_none_or(|text| error.says(text));
        let shown = self.bad.iter().flat_map(|case| {
            let errors = case.errors.iter().filter(fits);
            errors.map(|error| {
                (
                    !case.name.starts_with(&folder),
                    case.show(error, &Chosen::new()),
                )
            })
        });
        let (_, shown) = shown.min_by_key(|(foreign, shown)| {
            let lines = shown.source.lines().count();
            (*foreign, shown.others, lines, shown.path.clone())
        })?;
        Some(shown)
    }

    /// The case with this name, `a/b` or `a/b#A.field`. Shows the rule's first error, with `message` the first
    /// that contains it. A case without an error of the rule shows the compiler's own first error.
    pub(crate) fn case(&self, name: &str, code: &str, message: Option<&str>) -> Option<Shown> {
        let (name, chosen) = name
            .split_once('#')
            .map_or((name, Chosen::new()), |(name, names)| (name, split(names)));
        let case = self.bad.iter().find(|case| case.name == name)?;
        let mark = format!("[{code}]");
        let mut of_rule = case
            .errors
            .iter()
            .filter(|error| error.says(&mark))
            .peekable();
        let error = match message {
            Some(text) => of_rule.find(|error| error.says(text))?,
            None if of_rule.peek().is_some() => of_rule.next()?,
            None => case
                .errors
                .iter()
                .find(|error| !error.lines[0].ends_with(']'))?,
        };
        Some(case.show(error, &chosen))
    }

    /// Items of any file of the workspace, `tests/a.rs#A,B.field`.
    pub(crate) fn items(&self, place: &str) -> Option<(String, String)> {
        let (path, names) = place.split_once('#')?;
        let text = fs::read_to_string(self.root.join(path)).ok()?;
        let excerpt = Source::new(&text).chosen(&split(names));
        (!excerpt.text.is_empty()).then(|| (path.to_owned(), excerpt.text))
    }

    /// The near miss with this path, `idx/idx_id` or `strict#Maker,Good.label`: its path below the workspace, and its text.
    pub(crate) fn near_miss(&self, place: &str) -> Option<(String, String)> {
        let (name, names) = place
            .split_once('#')
            .map_or((place, None), |(name, names)| (name, Some(names)));
        let source = self.good.get(name)?;
        let excerpt = match names {
            Some(names) => source.chosen(&split(names)),
            None => source.whole(),
        };
        (!excerpt.text.is_empty()).then(|| (format!("tests/ui-pass/{name}.rs"), excerpt.text))
    }

    /// The near miss of a rule. From a long one, only the items with the names of those that are wrong in the bad example.
    pub(crate) fn near_miss_of(
        &self,
        rule: &str,
        bad: &BTreeSet<String>,
    ) -> Option<(String, String)> {
        const LONG: usize = 45;
        let stem = |name: &str| name.rsplit('/').next().unwrap_or_default().to_owned();
        let further = format!("{rule}__");
        let (name, source) = self
            .good
            .iter()
            .find(|(name, _)| stem(name) == rule)
            .or_else(|| {
                self.good
                    .iter()
                    .find(|(name, _)| stem(name).starts_with(&further))
            })?;
        let whole = source.whole();
        let part = source.chosen(
            &bad.iter()
                .map(|name| (name.clone(), BTreeSet::new()))
                .collect(),
        );
        let excerpt = if whole.text.lines().count() > LONG && !part.text.is_empty() {
            part
        } else {
            whole
        };
        Some((format!("tests/ui-pass/{name}.rs"), excerpt.text))
    }
}

/// `A,B.f,B.g`: all of `A`, and two fields of `B`.
fn split(names: &str) -> Chosen {
    let mut chosen = Chosen::new();
    for name in names.split(',').map(str::trim) {
        let (item, field) = name.split_once('.').unwrap_or((name, ""));
        let fields = chosen.entry(item.to_owned()).or_default();
        fields.extend((!field.is_empty()).then(|| field.to_owned()));
    }
    chosen
}

/// The Rust files of a folder and its folders, by their path without the ending.
fn sources(folder: &Path) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(next) = folders.pop() {
        for entry in fs::read_dir(next).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|ending| ending == "rs") {
                let below = path
                    .strip_prefix(folder)
                    .expect("inside")
                    .with_extension("");
                let text = fs::read_to_string(&path).expect("a source file");
                found.push((below.to_string_lossy().replace('\\', "/"), text));
            }
        }
    }
    found.sort();
    found
}

impl Case {
    fn new(name: String, text: &str, golden: &str) -> Self {
        let mut errors: Vec<Error> = Vec::new();
        let mut here = false;
        for line in golden.lines() {
            if line.starts_with("error") {
                errors.push(Error {
                    lines: Vec::new(),
                    places: BTreeSet::new(),
                    place: None,
                });
            }
            let Some(error) = errors.last_mut() else {
                continue;
            };
            if let Some((_, place)) = line.split_once("--> ") {
                here = place.starts_with("tests/ui/");
                let row = place.rsplit(':').nth(1).and_then(|row| row.parse().ok());
                error.place = error.place.or(row);
            }
            if let (true, Some((n, _))) = (here, gutter(line)) {
                error.places.insert(n);
            }
            error.lines.push(line.to_owned());
        }
        Self {
            name,
            source: Source::new(text),
            errors,
        }
    }

    /// The items that an error points to, without the fields that only other errors point to.
    fn show(&self, error: &Error, chosen: &Chosen) -> Shown {
        let others = || {
            let errors = self.errors.iter();
            errors.filter(|other| !std::ptr::eq(*other, error))
        };
        let elsewhere = others().flat_map(|other| &other.places).copied().collect();
        let excerpt = self.source.around(&error.places, &elsewhere, chosen);
        let shown = |other: &&Error| other.place.is_some_and(|n| excerpt.places.contains_key(&n));
        Shown {
            path: format!("tests/ui/{}.rs", self.name),
            message: error.message(&excerpt),
            others: others().filter(shown).count(),
            names: self.source.names_at(&error.places),
            source: excerpt.text,
        }
    }
}

impl Error {
    fn says(&self, text: &str) -> bool {
        self.lines.iter().any(|line| line.contains(text))
    }

    /// The message with the lines of the excerpt. The compiler's notes about the library's own bounds are left out.
    fn message(&self, excerpt: &Excerpt) -> String {
        const INTERNAL: &[&str] = &[
            "= note: required for ",
            "= note: this error originates in ",
            "= help: the trait ",
            "= help: for that trait implementation",
        ];
        let width = self
            .places
            .iter()
            .filter_map(|n| excerpt.places.get(n))
            .max()
            .map_or(1, |n| n.to_string().len());
        let mut out: Vec<String> = Vec::new();
        let mut skip = false;
        for line in &self.lines {
            if !line.starts_with(' ') && !line.starts_with(|c: char| c.is_ascii_digit()) {
                skip = line.starts_with("note: required by ")
                    || line.starts_with("help: the trait ")
                    || line.starts_with("note: required for ");
            }
            let text = line.trim_start();
            // The notes of the error itself follow the place of such a `help`.
            skip &= !text.starts_with("= ");
            if skip || INTERNAL.iter().any(|start| text.starts_with(start)) {
                continue;
            }
            out.push(moved(line, excerpt, width));
        }
        while out
            .last()
            .is_some_and(|line| line.trim().is_empty() || line.trim() == "|")
        {
            out.pop();
        }
        out.join("\n")
    }
}

/// The line number at the start of a line that quotes the source, and the rest behind it.
fn gutter(line: &str) -> Option<(usize, &str)> {
    let text = line.trim_start();
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let rest = text.get(digits..)?;
    let quotes = [" |", " +", " -", " ~"]
        .iter()
        .any(|mark| rest.starts_with(mark));
    quotes
        .then(|| text[..digits].parse().ok())?
        .map(|n| (n, rest))
}

/// A line of a message with the file name and the line numbers of the page.
fn moved(line: &str, excerpt: &Excerpt, width: usize) -> String {
    if let Some((n, rest)) = gutter(line) {
        let n = excerpt.places.get(&n).copied().unwrap_or(n);
        return format!("{n:width$}{rest}");
    }
    let text = line.trim_start();
    if let Some(place) = text.strip_prefix("--> ") {
        let mut parts = place.rsplit(':');
        let (column, row) = (parts.next(), parts.next());
        let row = row.and_then(|row| row.parse().ok());
        let row = row.and_then(|row: usize| excerpt.places.get(&row));
        return match (column, row) {
            (Some(column), Some(row)) => {
                format!("{:width$}--> {SHOWN_AS}:{row}:{column}", "")
            }
            _ => format!("{:width$}--> {place}", ""),
        };
    }
    if line.starts_with(' ') && (text.starts_with('|') || text.starts_with("= ")) {
        return format!("{:width$} {text}", "");
    }
    line.to_owned()
}
