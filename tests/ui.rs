//! The compiler's messages for bad schemas, word for word; the schemas that it accepts are in `accepted.rs`.
//!
//! The cases lie in `tests/ui`; the `.stderr` files are the goldens. One cargo checks all of them: with a case that has to run
//! among them each would have a cargo of its own. `TRYBUILD=overwrite cargo test --test ui` writes the goldens anew.

use std::path::Path;

#[test]
fn ui() {
    assert_eq!(
        goldens_with_library_sources(Path::new("tests/ui")),
        Vec::<String>::new()
    );
    let cases = trybuild::TestCases::new();
    cases.compile_fail("tests/ui/**/*.rs");
}

/// The goldens that point into the sources of the standard library. The compiler prints those lines only where the component
/// `rust-src` is installed, as editors have it, so such a golden fails on half of the machines: the case needs another value.
fn goldens_with_library_sources(folder: &Path) -> Vec<String> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).expect("the folder of the cases can be listed") {
        let path = entry.expect("an entry of the folder of the cases").path();
        if path.is_dir() {
            found.extend(goldens_with_library_sources(&path));
        } else if path
            .extension()
            .is_some_and(|extension| extension == "stderr")
        {
            let golden = std::fs::read_to_string(&path).expect("a golden is a text file");
            if golden.contains("$RUST/") {
                found.push(path.display().to_string());
            }
        }
    }
    found
}
