//! Circles among the modules of a folder. The tests of floors of the derive and of the tool read this file too.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use super::paths::{Named, leaves, module_of, named, sources, without_text};

/// Modules of one folder that name each other, directly or through others.
struct Knot {
    /// `folder: module module`.
    name: String,
    /// The lines that tie them.
    ties: Vec<String>,
}

/// Which modules a module of a folder names, each with the lines that name it.
type Ties = BTreeMap<String, BTreeMap<String, Vec<String>>>;

#[test]
fn circles_are_found() {
    let ties = |pairs: &[(&str, &str)]| {
        let mut ties = Ties::new();
        for (from, to) in pairs {
            let from = ties.entry((*from).to_owned()).or_default();
            from.insert((*to).to_owned(), vec![format!("line of {to}")]);
        }
        ties
    };
    let names = |ties: &Ties| {
        let knots = knots_in("folder", ties);
        knots.into_iter().map(|knot| knot.name).collect::<Vec<_>>()
    };
    let line = ties(&[("a", "b"), ("b", "c"), ("a", "c")]);
    assert!(names(&line).is_empty());
    let round = ties(&[("a", "b"), ("b", "c"), ("c", "a"), ("d", "a"), ("c", "e")]);
    assert_eq!(names(&round), ["folder: a b c"]);
    let lines = &knots_in("folder", &round)[0].ties;
    assert_eq!(lines, &["line of b", "line of c", "line of a"]);
}

/// Panics unless the modules of each folder that name each other are those of `allowed`, each knot with its reason.
pub(super) fn assert_circles(files: &[(PathBuf, Vec<String>)], allowed: &[(&str, &str)]) {
    let knots = knots(files);
    let listed = |knot: &&Knot| allowed.iter().any(|(name, _)| *name == knot.name);
    let others = knots.iter().filter(|knot| !listed(knot));
    let others: Vec<String> = others
        .map(|Knot { name, ties }| format!("{name}\n    {}", ties.join("\n    ")))
        .collect();
    assert!(
        others.is_empty(),
        "modules that name each other:\n{}",
        others.join("\n")
    );
    let untied = allowed.iter().map(|(name, _)| *name);
    let untied: Vec<&str> = untied
        .filter(|name| !knots.iter().any(|knot| knot.name == *name))
        .collect();
    assert!(untied.is_empty(), "listed, but cut: {untied:?}");
}

/// The source files below `root`, each with its module, but for the roots of a crate and `tests`.
pub(super) fn modules(root: &Path, tests: &[&str]) -> Vec<(PathBuf, Vec<String>)> {
    let mut files = Vec::new();
    for file in sources(root) {
        let module = module_of(file.strip_prefix(root).expect("a file below the root"));
        if !matches!(&*module[0], "lib" | "main") && !tests.contains(&&*module[0]) {
            files.push((file, module));
        }
    }
    files
}

fn knots(files: &[(PathBuf, Vec<String>)]) -> Vec<Knot> {
    let reexports: BTreeMap<_, _> = files
        .iter()
        .map(|(file, module)| (module.clone(), reexports(file, module)))
        .collect();
    let mut folders: BTreeMap<Vec<String>, Ties> = BTreeMap::new();
    for (file, module) in files
        .iter()
        .filter(|(_, module)| module.last().is_some_and(|last| last != "tests"))
    {
        let source = fs::read_to_string(file).expect("a source file");
        for Named { line, path } in named(module, &source) {
            let shared = module.iter().zip(&path).take_while(|(a, b)| a == b).count();
            let (Some(from), Some(to)) = (module.get(shared), path.get(shared)) else {
                continue;
            };
            let folder = module[..shared].to_vec();
            let to = reexports
                .get(&folder)
                .and_then(|names| names.get(to))
                .unwrap_or(to);
            let ties = folders.entry(folder).or_default();
            let ties = ties.entry(from.clone()).or_default();
            let tie = format!("{}:{line}: {}", file.display(), path.join("::"));
            ties.entry(to.clone()).or_default().push(tie);
        }
    }
    folders
        .iter()
        .flat_map(|(folder, ties)| knots_in(&folder.join("/"), ties))
        .collect()
}

fn knots_in(folder: &str, ties: &Ties) -> Vec<Knot> {
    let reached: BTreeMap<&String, BTreeSet<&String>> = ties
        .keys()
        .map(|from| (from, reached(ties, from)))
        .collect();
    let mut knots = Vec::new();
    for (from, to) in &reached {
        let knot: Vec<&String> = to
            .iter()
            .filter(|to| reached.get(*to).is_some_and(|back| back.contains(from)))
            .copied()
            .collect();
        // Each knot once, at its first module.
        if knot.first() != Some(from) {
            continue;
        }
        let inside = |to: &&String| knot.contains(to);
        let ties = knot.iter().flat_map(|from| {
            let ties = ties[*from].iter().filter(|(to, _)| inside(to));
            ties.flat_map(|(_, lines)| lines.clone())
        });
        let names: Vec<&str> = knot.iter().map(|name| name.as_str()).collect();
        knots.push(Knot {
            name: format!("{folder}: {}", names.join(" ")),
            ties: ties.collect(),
        });
    }
    knots
}

/// The modules that one names, directly or through others.
fn reached<'t>(ties: &'t Ties, from: &str) -> BTreeSet<&'t String> {
    let mut reached = BTreeSet::new();
    let mut next: Vec<&String> = ties[from].keys().collect();
    while let Some(module) = next.pop() {
        if reached.insert(module) {
            next.extend(ties.get(module).into_iter().flat_map(BTreeMap::keys));
        }
    }
    reached
}

/// The names that a module exports again from those inside it, each with the module that it is from.
fn reexports(file: &Path, module: &[String]) -> BTreeMap<String, String> {
    let text = without_text(&fs::read_to_string(file).expect("a source file"));
    let trees = text.split("use ").skip(1);
    let mut out = BTreeMap::new();
    for tree in trees.filter_map(|rest| rest.split(';').next()) {
        for path in leaves(&format!("use::{}", tree.trim_start_matches("self::"))) {
            let path = match path.strip_prefix(&["crate".to_owned()]) {
                Some(whole) => whole.strip_prefix(module).unwrap_or_default(),
                None => &path,
            };
            if let [module, .., name] = path {
                out.insert(name.clone(), module.clone());
            }
        }
    }
    out
}
