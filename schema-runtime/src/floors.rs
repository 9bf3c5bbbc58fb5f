//! The modules of this crate lie on floors, and each names those below it only. So there is no cycle between them, and a reader who
//! starts at one meets nothing that is above it. In a folder, no two modules name each other, directly or through others, but for a few
//! that are listed. `docs/ARCHITECTURE.md` says what each floor is for.

mod circles;
mod paths;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use self::circles::{assert_circles, modules};
use self::paths::{Named, leaves, named, without_text};

/// The floors, from the ground up.
const FLOORS: &[&str] = &[
    "bson_util",
    "json",
    "decimal",
    "codec",
    "schema",
    "index_spec",
    "outcome",
    "error",
    "document",
    "api",
    "projection",
    "filter",
    "driver",
    "finisher",
    "outbox",
    "builder",
    "tenant",
    "acting",
    "graph",
    "index",
    "propagation",
    "write",
    "find",
    "load",
    "personal",
    "maintenance",
    "version",
    "lock",
    "follower",
    "watch",
    "queue",
    "events",
    "history",
    "bucket",
    "saga",
    "migrate",
    "migrations",
    "validator",
    "service",
    "report",
    // The public paths, and what expansions name.
    "crud",
    "update",
    "field",
    "stored",
    "geo",
    "vector",
    "value",
    "denorm",
    "rules",
    "model",
    "__private",
];

/// Modules that only tests have.
const TESTS: &[&str] = &["floors"];

/// Modules of one folder that may name each other, and why.
const KNOTS: &[(&str, &str)] = &[
    (
        "graph: edges flags links source",
        "an edge has flags and copies, a link has both, and what is read of a source depends on all of its edges",
    ),
    (
        "propagation: delete target",
        "a comparison with a source that is being deleted ends that delete; what a delete lets live is compared again",
    ),
    (
        "propagation/counter: apply resume tokens",
        "an increment removes tokens that are not needed, a count that was interrupted increments, and so do tokens that are too many",
    ),
    (
        "propagation/delete: op resume",
        "a delete that meets another one finishes or undoes it, which is a delete too",
    ),
    (
        "schema: bucket events field flat history model queue relation rows value",
        "the tables of a model and the traits of its types are one description: a row names its model, and a model its rows",
    ),
    (
        "write/send: cascade mark",
        "the mark of a document goes on to its children, whose marks go on",
    ),
    (
        "driver: find rows unread",
        "rows that lack their `_id` are found again where one of them cannot be decoded",
    ),
];

#[test]
fn no_module_names_one_above_it() {
    let root = root();
    let reexports = reexports(&fs::read_to_string(root.join("lib.rs")).expect("lib.rs"));
    let mut upward = Vec::new();
    for (file, module) in modules(&root, TESTS) {
        let floor = module.first().expect("the name of a file");
        let from =
            rank(floor).unwrap_or_else(|| panic!("`{floor}` is on no floor: add it to FLOORS"));
        let source = fs::read_to_string(&file).expect("a source file");
        for Named { line, path } in named(&module, &source) {
            let first = path.first().map_or("", String::as_str);
            let to = reexports.get(first).map_or(first, String::as_str);
            // An exported macro of the file itself stands at the root.
            if source.contains(&format!("macro_rules! {first} {{")) {
                continue;
            }
            match rank(to) {
                Some(to) if to <= from => {}
                Some(_) => upward.push(format!("{}:{line}: {}", file.display(), path.join("::"))),
                None => panic!("{}:{line}: `{first}` is no floor", file.display()),
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
fn no_folder_has_a_circle() {
    assert_circles(&modules(&root(), TESTS), KNOTS);
}

#[test]
fn every_floor_is_a_module() {
    let lib = without_text(&fs::read_to_string(root().join("lib.rs")).expect("lib.rs"));
    let words: Vec<&str> = lib
        .split(|c: char| !c.is_alphanumeric() && c != '_')
        .collect();
    let modules = words
        .windows(2)
        .filter(|pair| pair[0] == "mod")
        .map(|pair| pair[1]);
    let mut modules: Vec<&str> = modules.filter(|name| *name != "floors").collect();
    let mut floors = FLOORS.to_vec();
    modules.sort_unstable();
    floors.sort_unstable();
    assert_eq!(modules, floors);
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("src")
}

fn rank(module: &str) -> Option<usize> {
    FLOORS.iter().position(|floor| *floor == module)
}

/// The names that lib.rs exports again, each with the module that it is from.
fn reexports(lib: &str) -> BTreeMap<String, String> {
    let text = without_text(lib);
    let uses = text
        .split("pub use crate::")
        .skip(1)
        .filter_map(|rest| rest.split(';').next());
    let mut out = BTreeMap::new();
    for path in uses.flat_map(|tree| leaves(&format!("crate::{tree}"))) {
        if let (Some(module), Some(name)) = (path.first(), path.last()) {
            out.entry(name.clone()).or_insert_with(|| module.clone());
        }
    }
    // A module keeps its own name.
    out.retain(|name, _| !FLOORS.contains(&name.as_str()));
    out
}
