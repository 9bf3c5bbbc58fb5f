//! The rule table, the goldens, the guide and the README say the same.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

#[path = "../schema-derive/src/rules.rs"]
mod rules;

use rules::{Level, RULES};

/// Codes that are about how an attribute is written.
const GRAMMAR: &[&str] = &["ATTR_", "ALLOW_HARD", "UNUSED_ALLOW", "NOT_YET"];

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn files(folder: &Path, ending: &str, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            files(&path, ending, found);
        } else if path.extension().is_some_and(|found| found == ending) {
            found.push(path);
        }
    }
}

fn all(folder: &str, ending: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    files(&root().join(folder), ending, &mut found);
    found.sort();
    found
}

/// Every rule that can refuse has a case that it refuses, and a near miss that compiles.
#[test]
fn every_rule_has_a_golden_and_a_near_miss() {
    let goldens: String = all("tests/ui", "stderr")
        .iter()
        .map(|path| fs::read_to_string(path).expect("a golden"))
        .collect();
    let passes: BTreeSet<String> = all("tests/ui-pass", "rs")
        .iter()
        .map(|path| {
            path.file_stem()
                .expect("a name")
                .to_string_lossy()
                .into_owned()
        })
        .collect();
    let mut missing = Vec::new();
    for rule in RULES.iter().filter(|rule| rule.level != Level::Advice) {
        if !goldens.contains(&format!("[{}]", rule.code)) {
            missing.push(format!("{}: no golden in tests/ui", rule.code));
        }
        let grammar = GRAMMAR.iter().any(|prefix| rule.code.starts_with(prefix));
        if !grammar
            && !passes
                .iter()
                .any(|name| *name == rule.name() || name.starts_with(&format!("{}__", rule.name())))
        {
            missing.push(format!(
                "{}: no tests/ui-pass/**/{}.rs",
                rule.code,
                rule.name()
            ));
        }
    }
    assert!(missing.is_empty(), "{missing:#?}");
}

/// Advice that only all models of a program show, or a server: no derive can refuse it.
const OF_MANY_MODELS: &[&str] = &[
    "REFS_TWO_WAY",
    "PARENT_SORT_FIXED",
    "DENORM_ALL",
    "DENORM_TWICE",
];

/// In a strict model every advice is an error.
#[test]
fn every_advice_has_a_golden_of_a_strict_model() {
    let strict = |path: &&PathBuf| {
        let name = path.file_name().map(|name| name.to_string_lossy());
        name.is_some_and(|name| name.starts_with("strict"))
    };
    let goldens: String = all("tests/ui", "stderr")
        .iter()
        .filter(strict)
        .map(|path| fs::read_to_string(path).expect("a golden"))
        .collect();
    let advice = RULES.iter().filter(|rule| rule.level == Level::Advice);
    let missing: Vec<&str> = advice
        .map(|rule| rule.code)
        .filter(|code| goldens.contains(&format!("[{code}]")) == OF_MANY_MODELS.contains(code))
        .collect();
    assert!(missing.is_empty(), "{missing:#?}");
}

#[test]
fn every_case_has_a_golden_and_every_golden_a_case() {
    let stems = |ending| -> BTreeSet<PathBuf> {
        all("tests/ui", ending)
            .iter()
            .map(|path| path.with_extension(""))
            .collect()
    };
    let (cases, goldens) = (stems("rs"), stems("stderr"));
    assert_eq!(cases, goldens);
    assert!(cases.len() > 100, "{} cases", cases.len());
}

/// The grammar of a message: lower case, a code in brackets where the text is ours, no full stop.
#[test]
fn messages_keep_the_house_grammar() {
    let mut wrong = Vec::new();
    for path in all("tests/ui", "stderr") {
        let golden = fs::read_to_string(&path).expect("a golden");
        for line in golden
            .lines()
            .filter_map(|line| line.strip_prefix("error: "))
        {
            // serde's derive speaks for itself, and so does the compiler about futures and literals.
            if line.contains("serde")
                || line.ends_with("conflicts with internal tag")
                || line == "implementation of `Send` is not general enough"
                || line.starts_with("literal out of range for")
            {
                continue;
            }
            let starts_low = line
                .chars()
                .next()
                .is_some_and(|c| c.is_lowercase() || !c.is_alphabetic());
            if !starts_low || line.ends_with('.') || !line.ends_with(']') {
                wrong.push(format!("{}: {line}", path.display()));
            }
        }
        assert!(
            !golden.contains("panicked at") && !golden.contains("proc-macro derive panicked"),
            "{}",
            path.display()
        );
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// A page of the guide, by its path below `guide/src/reference`.
fn reference(page: &str) -> (PathBuf, String) {
    let path = root().join("guide/src/reference").join(page);
    let text = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{page}: {error}"));
    (path, text)
}

#[test]
fn the_guide_lists_the_rules() {
    let (_, page) = reference("rules.md");
    // Codes are the only cells in capitals.
    let code = |line: &&str| {
        let cell = line
            .strip_prefix("| `")
            .and_then(|cell| cell.split('`').next());
        cell.is_some_and(|cell| cell.chars().all(|c| c.is_ascii_uppercase() || c == '_'))
    };
    let listed: Vec<&str> = page.lines().filter(code).collect();
    let level = |level| match level {
        Level::Hard => "error",
        Level::Err => "error, can be allowed",
        Level::Advice => "advice",
    };
    let table: Vec<String> = RULES
        .iter()
        .map(|rule| {
            format!(
                "| `{}` | {} | {} |",
                rule.code,
                level(rule.level),
                rule.says
            )
        })
        .collect();
    assert_eq!(
        listed,
        table,
        "the table of rules in guide/src/reference/rules.md is not that of rules.rs; it should be:\n{}",
        table.join("\n")
    );
}

/// Each technique leads to where an example uses it, and to rules that exist.
#[test]
fn the_guide_leads_to_every_technique() {
    let (path, page) = reference("techniques.md");
    let folder = path.parent().expect("a folder");
    let rows = page.lines();
    let rows: Vec<&str> = rows.filter(|line| line.starts_with('|')).skip(2).collect();
    assert!(rows.len() > 20, "{} techniques", rows.len());
    let mut wrong = Vec::new();
    for row in rows {
        let (before, codes) = row.trim_end_matches('|').rsplit_once('|').expect("cells");
        let codes = codes.trim().split(", ").filter(|code| *code != "none");
        for code in codes.map(|code| code.trim_matches('`')) {
            if !RULES.iter().any(|rule| rule.code == code) {
                wrong.push(format!("no rule {code}: {row}"));
            }
        }
        let links: Vec<&str> = before.split("[`").skip(1).collect();
        if links.is_empty() {
            wrong.push(format!("no link: {row}"));
        }
        for link in links {
            wrong.extend(misled(folder, link));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// Checks a link of a page in this folder (code, then the file and line where that code is), and returns its error.
fn misled(folder: &Path, link: &str) -> Option<String> {
    let (code, rest) = link.split_once("`](").expect("a link");
    let (target, _) = rest.split_once(')').expect("its end");
    let (path, line) = target.split_once("#L").expect("a line");
    let code = code.replace("\\|", "|");
    let Ok(file) = fs::read_to_string(folder.join(path)) else {
        return Some(format!("{path} is not there"));
    };
    let holds = |line: &str| line.contains(&code);
    let line: usize = line.parse().expect("a number");
    let there = line.checked_sub(1).and_then(|n| file.lines().nth(n));
    if there.is_some_and(holds) {
        return None;
    }
    Some(match file.lines().position(holds) {
        Some(n) => format!("{path}: `{code}` is in line {}, not in {line}", n + 1),
        None => format!("{path} has no `{code}`"),
    })
}

/// The message of a case, in a file that has a name that a reader's own would have.
fn message(case: &str, file: &str) -> String {
    let golden = root().join("tests/ui").join(case);
    let golden = fs::read_to_string(golden).expect("the golden");
    let shown: Vec<String> = golden
        .trim_end()
        .lines()
        // The lines that follow are about the library's own traits.
        .take_while(|line| !line.contains("= note: required for"))
        .map(|line| match line.split_once("--> ") {
            Some((margin, place)) => {
                let (_, at) = place.split_once(".rs").expect("a file");
                format!("{margin}--> src/{file}{at}")
            }
            None => line.to_owned(),
        })
        .collect();
    shown.join("\n")
}

/// The compile errors that the README and the guide show are those that the compiler prints.
#[test]
fn the_readme_and_the_guide_show_real_errors() {
    let unbounded = message("readme/unbounded.stderr", "post.rs");
    let unindexed = message("rule-idx-filter/plain.stderr", "shop.rs");
    let guide = "guide/src/start/reading-an-error.md";
    for (page, shown) in [
        ("README.md", &unbounded),
        (guide, &unbounded),
        (guide, &unindexed),
    ] {
        let text = fs::read_to_string(root().join(page)).expect("a page");
        assert!(text.contains(shown), "{page} should show:\n{shown}");
    }
}
