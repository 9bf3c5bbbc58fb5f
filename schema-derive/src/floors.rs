//! The modules of this crate lie on floors, and each names those below it only; in a folder, no two modules name each other, directly
//! or through others. `docs/ARCHITECTURE.md` says what each floor is for.

#[path = "../../schema-runtime/src/floors/circles.rs"]
mod circles;
#[path = "../../schema-runtime/src/floors/paths.rs"]
mod paths;

use std::fs;
use std::path::{Path, PathBuf};

use self::circles::assert_circles;
use self::paths::{Named, named, without_text};

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
    assert_circles(&modules(), &[]);
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

/// The source files but for `lib.rs` and those of tests, each with its module.
fn modules() -> Vec<(PathBuf, Vec<String>)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    circles::modules(&root, TESTS)
}

fn paths_of(file: &Path, module: &[String]) -> Vec<Named> {
    named(module, &fs::read_to_string(file).expect("a source file"))
}
