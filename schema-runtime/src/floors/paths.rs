//! The paths that the source files of a crate name. The tests of floors of the derive and of the tool read this file too.

use std::fs;
use std::path::{Path, PathBuf};

/// A path that a file names, from the root of the crate.
#[derive(Debug, PartialEq)]
pub(super) struct Named {
    pub(super) line: usize,
    pub(super) path: Vec<String>,
}

#[test]
fn paths_are_found() {
    let source = "use crate::a::{self, b::C};\nuse super::super::d;\n// crate::comment\nfn f() { crate::e::g(\"crate::text\") }\n\
                  mod tests {\n    use super::h;\n    use super::super::i;\n}\n";
    let module = ["x".to_owned(), "y".to_owned()];
    let paths: Vec<String> = named(&module, source)
        .iter()
        .map(|named| format!("{}:{}", named.line, named.path.join("::")))
        .collect();
    assert_eq!(
        paths,
        ["1:a", "1:a::b::C", "2:d", "4:e::g", "6:x::y::h", "7:x::i"]
    );
}

pub(super) fn sources(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            files.extend(sources(&path));
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
    files.sort();
    files
}

/// The module of a file: `write/send/mod.rs` is `write::send`.
pub(super) fn module_of(file: &Path) -> Vec<String> {
    let path = file.with_extension("");
    let mut steps: Vec<String> = path
        .iter()
        .map(|step| step.to_string_lossy().into_owned())
        .collect();
    steps.pop_if(|last| last == "mod");
    steps
}

/// Every path that begins with `crate`, or with `super` and leaves what it stands in.
pub(super) fn named(module: &[String], source: &str) -> Vec<Named> {
    let text = without_text(source);
    let inline = inline_modules(&text);
    let mut out = Vec::new();
    let mut from = 0;
    while let Some(at) = text[from..].find("::").map(|at| from + at) {
        from = at + 2;
        let start = text[..at]
            .rfind(|c: char| !c.is_alphanumeric() && c != '_')
            .map_or(0, |n| n + 1);
        let head = &text[start..at];
        if !matches!(head, "crate" | "super") || text[..start].ends_with("::") {
            continue;
        }
        let line = text[..start].matches('\n').count() + 1;
        let mut here = module.to_vec();
        let inside = inline
            .iter()
            .filter(|(begin, end, _)| (*begin..*end).contains(&start));
        here.extend(inside.map(|(_, _, name)| name.clone()));
        here.pop();
        for path in leaves(&text[start..]) {
            let mut path = match head {
                "crate" => path,
                _ => above(&here, &path),
            };
            path.retain(|step| step != "self");
            out.push(Named { line, path });
        }
    }
    out.retain(|named| !named.path.is_empty());
    out
}

/// A path that begins in the module `here`, and may go further up.
fn above(here: &[String], path: &[String]) -> Vec<String> {
    let up = path.iter().take_while(|step| *step == "super").count();
    let here = &here[..here.len().saturating_sub(up)];
    [here, &path[up..]].concat()
}

/// The paths of a use tree, or the path that begins here, without their first step.
pub(super) fn leaves(text: &str) -> Vec<Vec<String>> {
    let mut out = Vec::new();
    let (_, rest) = text.split_once("::").unwrap_or(("", text));
    leaves_below(rest, &mut Vec::new(), &mut out);
    out
}

/// Reads one branch of a use tree; says what follows it.
fn leaves_below<'t>(
    text: &'t str,
    prefix: &mut Vec<String>,
    out: &mut Vec<Vec<String>>,
) -> &'t str {
    let text = text.trim_start();
    if let Some(mut rest) = text.strip_prefix('{') {
        loop {
            rest = rest.trim_start_matches(|c: char| c.is_whitespace() || c == ',');
            if rest.is_empty() {
                return rest;
            }
            if let Some(after) = rest.strip_prefix('}') {
                return after;
            }
            rest = leaves_below(rest, prefix, out);
            if let Some(renamed) = rest.trim_start().strip_prefix("as ") {
                rest = renamed
                    .trim_start_matches(|c: char| c.is_alphanumeric() || c == '_' || c == ' ');
            }
        }
    }
    let end = text
        .find(|c: char| !c.is_alphanumeric() && c != '_')
        .unwrap_or(text.len());
    let (step, rest) = text.split_at(end);
    if step.is_empty() {
        // A glob, or the end of what can be read as a path.
        out.push(prefix.clone());
        return rest.get(1..).unwrap_or("");
    }
    prefix.push(step.to_owned());
    let rest = match rest.strip_prefix("::") {
        Some(below) if below.starts_with(|c: char| c.is_alphabetic() || "_{*".contains(c)) => {
            leaves_below(below, prefix, out)
        }
        _ => {
            let path = prefix.iter().filter(|step| *step != "self");
            out.push(path.cloned().collect());
            rest
        }
    };
    prefix.pop();
    rest
}

/// Modules that are written inside a file: from where to where, and the name.
fn inline_modules(text: &str) -> Vec<(usize, usize, String)> {
    let mut out = Vec::new();
    for (at, _) in text.match_indices("mod ") {
        let rest = &text[at + 4..];
        let Some((name, _)) = rest.split_once('{') else {
            continue;
        };
        let name = name.trim();
        if name.is_empty() || !name.chars().all(|c| c.is_alphanumeric() || c == '_') {
            continue;
        }
        let mut depth = 0_i32;
        let end = rest.find(|c: char| {
            depth += i32::from(c == '{') - i32::from(c == '}');
            c == '}' && depth == 0
        });
        out.push((at, at + 4 + end.unwrap_or(rest.len()), name.to_owned()));
    }
    out
}

/// The source with spaces in place of comments, strings and characters.
pub(super) fn without_text(source: &str) -> String {
    let chars: Vec<char> = source.chars().collect();
    let mut out = String::with_capacity(source.len());
    let mut n = 0;
    while n < chars.len() {
        let end = text_end(&chars, n);
        if end == n {
            out.push(if chars[n].is_ascii() { chars[n] } else { ' ' });
            n += 1;
            continue;
        }
        let text = &chars[n..end.min(chars.len())];
        out.extend(text.iter().map(|c| if *c == '\n' { '\n' } else { ' ' }));
        n = end;
    }
    out
}

/// Where the comment, string or character ends that begins at `n`; `n` itself where none does.
fn text_end(chars: &[char], n: usize) -> usize {
    let find = |from: usize, what: &str| {
        let what: Vec<char> = what.chars().collect();
        let found = chars
            .get(from..)
            .and_then(|rest| rest.windows(what.len()).position(|w| w == what));
        found.map_or(chars.len(), |at| from + at + what.len())
    };
    let word_before = n > 0 && (chars[n - 1].is_alphanumeric() || chars[n - 1] == '_');
    match chars[n] {
        '/' if chars.get(n + 1) == Some(&'/') => find(n, "\n") - 1,
        '/' if chars.get(n + 1) == Some(&'*') => find(n + 2, "*/"),
        'r' if !word_before && matches!(chars.get(n + 1), Some('"' | '#')) => {
            let hashes = chars[n + 1..].iter().take_while(|c| **c == '#').count();
            if chars.get(n + 1 + hashes) != Some(&'"') {
                return n;
            }
            find(n + 2 + hashes, &format!("\"{}", "#".repeat(hashes)))
        }
        '"' => {
            let mut end = n + 1;
            while end < chars.len() && chars[end] != '"' {
                end += if chars[end] == '\\' { 2 } else { 1 };
            }
            end + 1
        }
        '\'' if chars.get(n + 1) == Some(&'\\') => find(n + 3, "'"),
        '\'' if chars.get(n + 2) == Some(&'\'') => n + 3,
        _ => n,
    }
}
