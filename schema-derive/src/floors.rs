//! The modules of this crate lie on floors, and each names those below it only; in a folder, no two modules name each other, directly
//! or through others. `docs/ARCHITECTURE.md` says what each floor is for.

#[path = "../../schema-runtime/src/floors/paths.rs"]
mod paths;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use self::paths::{Named, leaves, module_of, named, sources, without_text};

/// The floors, from the ground up.
const FLOORS: &[&str] = &[
    "rules", "names", "types", "syntax", "diag", "ctxt", "parse", "ir", "check", "expand",
];

/// Modules that only tests have.
const TESTS: &[&str] = &["floors", "goldens"];

#[test]
fn no_module_names_one_above_it() {
    let rank = |module: &str| {
        let floor = FLOORS.iter().position(|floor| *floor == module);
        floor.unwrap_or_else(|| panic!("`{module}` is on no floor: add it to FLOORS"))
    };
    let mut upward = Vec::new();
    for (file, module) in modules() {
        for Named { line, path } in paths_of(&file, &module) {
            if rank(&path[0]) > rank(&module[0]) {
                upward.push(format!("{}:{line}: {}", file.display(), path.join("::")));
            }
        }
    }
    assert!(
        upward.is_empty(),
        "imports of a floor above:\n{}",
        upward.join("\n")
    );
}

#[test]
fn every_floor_is_a_module() {
    let mut modules: Vec<String> = modules()
        .into_iter()
        .map(|(_, mut m)| m.remove(0))
        .collect();
    modules.dedup();
    let mut floors = FLOORS.to_vec();
    floors.sort_unstable();
    assert_eq!(modules, floors);
}

#[test]
fn no_folder_has_a_circle() {
    // By folder: which of its modules name which.
    let mut folders: BTreeMap<Vec<String>, BTreeMap<String, BTreeSet<String>>> = BTreeMap::new();
    let modules = modules();
    let reexports: BTreeMap<_, _> = modules
        .iter()
        .map(|(file, module)| (module.clone(), reexports(file)))
        .collect();
    for (file, module) in modules
        .iter()
        .filter(|(_, m)| m.last().is_some_and(|m| m != "tests"))
    {
        for Named { path, .. } in paths_of(file, module) {
            let shared = module.iter().zip(&path).take_while(|(a, b)| a == b).count();
            let (Some(from), Some(to)) = (module.get(shared), path.get(shared)) else {
                continue;
            };
            let folder = module[..shared].to_vec();
            let to = reexports
                .get(&folder)
                .and_then(|names| names.get(to))
                .unwrap_or(to);
            let folder = folders.entry(folder).or_default();
            folder.entry(from.clone()).or_default().insert(to.clone());
        }
    }
    let mut circles = Vec::new();
    for (folder, edges) in &folders {
        circles.extend(edges.keys().filter_map(|from| {
            let circle = circle(edges, &mut vec![from.clone()])?;
            Some(format!("{}: {}", folder.join("::"), circle.join(" -> ")))
        }));
    }
    assert!(
        circles.is_empty(),
        "modules that name each other:\n{}",
        circles.join("\n")
    );
}

#[test]
fn roles_are_asked_of_the_rows() {
    let mut decided_again = Vec::new();
    for (file, module) in modules() {
        let text = without_text(&fs::read_to_string(&file).expect("a source file"));
        let written: &[&str] = match module[0].as_str() {
            "check" => &["field.attrs", "&Item"],
            "expand" => &["field.attrs"],
            _ => &[],
        };
        let tests = module.last().is_some_and(|module| module == "tests");
        let found = written
            .iter()
            .filter(|word| text.contains(**word) && !tests);
        decided_again.extend(found.map(|word| format!("{}: {word}", file.display())));
    }
    assert!(
        decided_again.is_empty(),
        "attributes that are read again: `ir` has decided what they mean\n{}",
        decided_again.join("\n")
    );
}

#[test]
fn circles_are_found() {
    let edges = |pairs: &[(&str, &str)]| {
        let mut edges: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for (from, to) in pairs {
            let to = (*to).to_owned();
            edges.entry((*from).to_owned()).or_default().insert(to);
        }
        edges
    };
    let start = || vec!["a".to_owned()];
    let line = edges(&[("a", "b"), ("b", "c"), ("a", "c")]);
    assert_eq!(circle(&line, &mut start()), None);
    let round = edges(&[("a", "b"), ("b", "c"), ("c", "a")]);
    let found = circle(&round, &mut start()).expect("a circle");
    assert_eq!(found.join(" "), "a b c a");
}

/// The source files but for `lib.rs` and those of tests, each with its module.
fn modules() -> Vec<(PathBuf, Vec<String>)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = Vec::new();
    for file in sources(&root) {
        let module = module_of(file.strip_prefix(&root).expect("a file below the root"));
        if module[0] != "lib" && !TESTS.contains(&&*module[0]) {
            files.push((file, module));
        }
    }
    files
}

fn paths_of(file: &Path, module: &[String]) -> Vec<Named> {
    named(module, &fs::read_to_string(file).expect("a source file"))
}

/// The names that a module exports again from those inside it, each with the module that it is from.
fn reexports(file: &Path) -> BTreeMap<String, String> {
    let text = without_text(&fs::read_to_string(file).expect("a source file"));
    let mut out = BTreeMap::new();
    for tree in text
        .split("use ")
        .skip(1)
        .filter_map(|rest| rest.split(';').next())
    {
        for path in leaves(&format!("self::{}", tree.trim_start_matches("self::"))) {
            if let [module, .., name] = path.as_slice() {
                out.insert(name.clone(), module.clone());
            }
        }
    }
    out
}

/// The way from the last module of `way` to the first, if there is one that visits no module twice.
fn circle(
    edges: &BTreeMap<String, BTreeSet<String>>,
    way: &mut Vec<String>,
) -> Option<Vec<String>> {
    for next in edges.get(way.last()?)? {
        if *next == way[0] {
            return Some([way.as_slice(), std::slice::from_ref(next)].concat());
        }
        if !way.contains(next) {
            way.push(next.clone());
            if let Some(found) = circle(edges, way) {
                return Some(found);
            }
            way.pop();
        }
    }
    None
}
