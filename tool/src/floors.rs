//! In a folder of this crate, no two modules name each other, directly or through others.

#[path = "../../schema-runtime/src/floors/circles.rs"]
mod circles;
#[path = "../../schema-runtime/src/floors/paths.rs"]
mod paths;

use std::path::Path;

#[test]
fn no_folder_has_a_circle() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    circles::assert_circles(&circles::modules(&root, &["floors"]), &[]);
}
