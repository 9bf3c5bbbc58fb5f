//! Commands of tests that build other packages.

use std::env;
use std::process::Command;

/// Hides the package of the calling test from a cargo that builds another one: build scripts that read these variables would run again, and
/// all that depends on them would be built again.
pub fn hide_package(cargo: &mut Command) {
    for (name, _) in env::vars_os() {
        let text = name.to_string_lossy();
        if text.starts_with("CARGO_PKG_") || text.starts_with("CARGO_MANIFEST_") {
            cargo.env_remove(&name);
        }
    }
}
