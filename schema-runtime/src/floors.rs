//! The modules of this crate lie on floors, and each names those below it only. So there is no cycle between them, and a reader who
//! starts at one meets nothing that is above it. `docs/ARCHITECTURE.md` says what each floor is for.

mod paths;

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use self::paths::{Named, leaves, module_of, named, sources, without_text};

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
    "projection",
    "filter",
    "driver",
    "finisher",
    "builder",
    "graph",
    "index",
    "propagation",
    "write",
    "find",
    "load",
    "maintenance",
    "version",
    "lock",
    "follower",
    "queue",
    "bucket",
    "saga",
    "migrate",
    "validator",
    "service",
    "report",
    // The public paths, and what expansions name.
    "crud",
    "update",
    "field",
    "stored",
    "value",
    "denorm",
    "rules",
    "model",
    "__private",
];

#[test]
fn no_module_names_one_above_it() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let reexports = reexports(&fs::read_to_string(root.join("lib.rs")).expect("lib.rs"));
    let mut upward = Vec::new();
    for file in sources(&root) {
        let module = module_of(file.strip_prefix(&root).expect("a file below the root"));
        let floor = module.first().expect("the name of a file");
        if matches!(floor.as_str(), "lib" | "floors") {
            continue;
        }
        let from =
            rank(floor).unwrap_or_else(|| panic!("`{floor}` is on no floor: add it to FLOORS"));
        let source = fs::read_to_string(&file).expect("a source file");
        for Named { line, path } in named(&module, &source) {
            let first = path.first().map_or("", String::as_str);
            let to = reexports.get(first).map_or(first, String::as_str);
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
fn every_floor_is_a_module() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let lib = without_text(&fs::read_to_string(root.join("lib.rs")).expect("lib.rs"));
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

fn rank(module: &str) -> Option<usize> {
    // The driver's own handles.
    if matches!(module, "Database" | "ClientSession") {
        return Some(0);
    }
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
