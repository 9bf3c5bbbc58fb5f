//! Each package that runs tests asks for the driver and for what the driver needs with the same features, so cargo compiles them
//! once for all commands. One feature more in one package costs minutes of every run of all tests.

use std::{
    collections::{BTreeMap, BTreeSet},
    process::Command,
};

/// Each has a command of its own in `.ci/run`.
const PACKAGES: [&str; 7] = [
    "cargo-mongo-model",
    "mongo-model-benches",
    "mongo-model-guide",
    "mongo-model-router",
    "mongo-model-service",
    "mongo-model-soak",
    "mongo-model-workspace",
];

/// The packages that `cargo test` runs.
const DEFAULT_MEMBERS: &str = "the default members";

/// The packages that `cargo tree` prints for one, each with the lists of features that it is compiled with.
fn features(package: &str) -> BTreeMap<String, BTreeSet<String>> {
    let mut cargo = Command::new(env!("CARGO"));
    cargo
        .args(["tree", "--locked", "--edges", "normal,build,dev"])
        .args(["--prefix", "none", "--format", "{p}|{f}|"])
        .current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."));
    if package != DEFAULT_MEMBERS {
        cargo.args(["--package", package]);
    }
    let output = cargo.output().unwrap();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let mut found = BTreeMap::<_, BTreeSet<_>>::new();
    for line in String::from_utf8(output.stdout).unwrap().lines() {
        let mut parts = line.split('|').map(str::to_owned);
        if let (Some(package), Some(features)) = (parts.next(), parts.next()) {
            found.entry(package).or_default().insert(features);
        }
    }
    found
}

/// The features with which packages compile what `needed` needs, and `reference` does not.
fn differences(reference: &str, packages: &[&str], needed: &str) -> Vec<String> {
    let (expected, needed) = (features(reference), features(needed));
    let mut found = Vec::new();
    for package in packages {
        let own = features(package);
        for (name, expected) in needed
            .keys()
            .filter_map(|name| Some((name, expected.get(name)?)))
        {
            if let Some(own) = own.get(name)
                && !own.is_subset(expected)
            {
                found.push(format!(
                    "{name}: {package} {own:?}, {reference} {expected:?}"
                ));
            }
        }
    }
    found
}

#[test]
fn the_driver_is_compiled_once() {
    let found = differences("mongo-model-dev-server", &PACKAGES, "mongodb");
    assert!(
        found.is_empty(),
        "name the missing features in `tests/dev-server/Cargo.toml`:\n{}",
        found.join("\n")
    );
}

/// Soak, service and spans stay apart: points at which a test stops a write, what a user's manifest has, and `tracing`.
#[test]
fn the_library_is_compiled_once_for_all_but_the_soak_the_service_and_the_spans() {
    let packages = [
        "cargo-mongo-model",
        "mongo-model-benches",
        "mongo-model-guide",
        "mongo-model-router",
    ];
    let found = differences(DEFAULT_MEMBERS, &packages, "mongo-model");
    assert!(
        found.is_empty(),
        "ask for the features of `cargo test`:\n{}",
        found.join("\n")
    );
}
