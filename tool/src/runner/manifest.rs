//! The generated program: its manifest and its source.

use std::path::Path;

use toml::{Table, Value};

use super::metadata::{Metadata, Package};
use crate::cli::Build;
use crate::failure::{Failure, Result};

/// The name of the program: programs of several packages lie in one folder.
pub(super) fn name(packages: &[&Package]) -> String {
    let names = packages.iter().map(|package| package.name.as_str());
    let names: Vec<&str> = std::iter::once("mongo-model").chain(names).collect();
    names.join("-")
}

/// `src/main.rs`: the packages are linked under names of our own, since two may have one name.
pub(super) fn program(packages: usize) -> String {
    let uses: String = (0..packages)
        .map(|n| format!("use models_{n} as _;\n"))
        .collect();
    format!(
        "{uses}\nfn main() -> std::process::ExitCode {{\n    mongo_model_tool::runner_main()\n}}\n"
    )
}

/// `Cargo.toml`.
pub(super) fn manifest(
    metadata: &Metadata,
    packages: &[&Package],
    build: &Build,
) -> Result<String> {
    let mut dependencies = Table::new();
    dependencies.insert("mongo_model_tool".to_owned(), tool(metadata, packages)?);
    let known = |feature: &String| {
        packages
            .iter()
            .any(|package| package.features.contains_key(feature))
    };
    if let Some(unknown) = build
        .features
        .iter()
        .find(|feature| !feature.contains('/') && !known(feature))
    {
        return Err(Failure::new(format!(
            "no package has the feature `{unknown}`"
        )));
    }
    for (n, package) in packages.iter().enumerate() {
        dependencies.insert(format!("models_{n}"), dependency(package, build));
    }
    let mut package = Table::new();
    package.insert("name".to_owned(), name(packages).into());
    package.insert("version".to_owned(), "0.0.0".into());
    package.insert("edition".to_owned(), "2021".into());
    package.insert("publish".to_owned(), false.into());
    let mut manifest = Table::new();
    manifest.insert("package".to_owned(), package.into());
    manifest.insert("workspace".to_owned(), Table::new().into());
    manifest.insert("dependencies".to_owned(), dependencies.into());
    manifest.extend(inherited(metadata, packages)?);
    toml::to_string(&manifest)
        .map_err(|error| Failure::new(format!("the program's manifest cannot be written: {error}")))
}

/// The user's package, from where the user has it, with the features of the command line.
fn dependency(package: &Package, build: &Build) -> Value {
    let mut out = Table::new();
    out.insert("package".to_owned(), package.name.clone().into());
    match &package.source {
        None => {
            out.insert("path".to_owned(), text(package.folder()));
        }
        Some(source) => insert_source(source, &package.version, &mut out),
    }
    let features: Vec<String> = if build.all_features {
        let mut all: Vec<String> = package.features.keys().cloned().collect();
        all.sort();
        all
    } else {
        let own = build
            .features
            .iter()
            .filter_map(|feature| match feature.split_once('/') {
                Some((name, feature)) => (name == package.name).then_some(feature),
                None => package.features.contains_key(feature).then_some(feature),
            });
        own.map(str::to_owned).collect()
    };
    out.insert("features".to_owned(), features.into());
    out.insert(
        "default-features".to_owned(),
        (!build.no_default_features).into(),
    );
    out.into()
}

/// The tool, from where the user's mongo-model comes: with another one it would not see the models.
fn tool(metadata: &Metadata, packages: &[&Package]) -> Result<Value> {
    let mut found: Vec<&Package> = packages
        .iter()
        .filter_map(|package| metadata.model_package(package))
        .collect();
    found.dedup_by_key(|package| &package.id);
    let [model] = found[..] else {
        return Err(
            Failure::new("the packages use different versions of mongo-model")
                .help("pass one of them with `-p`, or bring them to one version"),
        );
    };
    let mut out = Table::new();
    out.insert("package".to_owned(), "cargo-mongo-model".into());
    match &model.source {
        None => {
            let tool = model.folder().join("../tool");
            let tool = tool.canonicalize().map_err(|error| {
                Failure::new(format!(
                    "there is no tool beside mongo-model: {}: {error}",
                    tool.display()
                ))
            })?;
            out.insert("path".to_owned(), text(&tool));
        }
        Some(source) => insert_source(source, &model.version, &mut out),
    }
    Ok(out.into())
}

/// A dependency on exactly this version from `git+https://host/repository?branch=main#commit`, or from a registry.
fn insert_source(source: &str, version: &str, out: &mut Table) {
    const CRATES_IO: [&str; 2] = [
        "registry+https://github.com/rust-lang/crates.io-index",
        "sparse+https://index.crates.io/",
    ];
    let Some(source) = source.strip_prefix("git+") else {
        out.insert("version".to_owned(), format!("={version}").into());
        if !CRATES_IO.contains(&source) {
            let index = source.strip_prefix("registry+").unwrap_or(source);
            out.insert("registry-index".to_owned(), index.into());
        }
        return;
    };
    let source = source.split('#').next().unwrap_or(source);
    let (url, query) = source.split_once('?').unwrap_or((source, ""));
    out.insert("git".to_owned(), url.into());
    for (key, value) in query.split('&').filter_map(|pair| pair.split_once('=')) {
        if matches!(key, "branch" | "tag" | "rev") {
            out.insert(key.to_owned(), value.into());
        }
    }
}

/// Profiles, patches and replacements of the user's workspace: dependencies are then the same, and not built again.
fn inherited(metadata: &Metadata, packages: &[&Package]) -> Result<Table> {
    let path = metadata.root.join("Cargo.toml");
    let unreadable =
        |error: String| Failure::new(format!("{} cannot be read: {error}", path.display()));
    let manifest = std::fs::read_to_string(&path).map_err(|error| unreadable(error.to_string()))?;
    let mut manifest: Table = manifest
        .parse()
        .map_err(|error: toml::de::Error| unreadable(error.message().to_owned()))?;
    let mut out = Table::new();
    if let Some(Value::Table(mut profiles)) = manifest.remove("profile") {
        let names = metadata.dependency_names(packages);
        for profile in profiles
            .iter_mut()
            .filter_map(|(_, profile)| profile.as_table_mut())
        {
            if let Some(Value::Table(overrides)) = profile.get_mut("package") {
                // Cargo warns of packages that are not there.
                let strange: Vec<String> = overrides
                    .keys()
                    .filter(|name| *name != "*" && !names.contains(name.as_str()))
                    .cloned()
                    .collect();
                for name in strange {
                    overrides.remove(&name);
                }
            }
        }
        out.insert("profile".to_owned(), profiles.into());
    }
    for section in ["patch", "replace"] {
        if let Some(mut value) = manifest.remove(section) {
            make_absolute(&mut value, &metadata.root);
            out.insert(section.to_owned(), value);
        }
    }
    Ok(out)
}

/// Paths are relative to the user's workspace.
fn make_absolute(value: &mut Value, root: &Path) {
    let Value::Table(table) = value else { return };
    for (key, value) in table.iter_mut() {
        match value {
            Value::String(path) if key == "path" => *value = text(&root.join(&*path)),
            value => make_absolute(value, root),
        }
    }
}

fn text(path: &Path) -> Value {
    path.to_string_lossy().into_owned().into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_git_source_keeps_its_reference() {
        let mut out = Table::new();
        insert_source(
            "git+https://example.org/mongo-model?branch=main#0123abc",
            "0.1.0",
            &mut out,
        );
        assert_eq!(out["git"].as_str(), Some("https://example.org/mongo-model"));
        assert_eq!(out["branch"].as_str(), Some("main"));
        assert!(!out.contains_key("version"));
    }

    #[test]
    fn a_registry_keeps_its_index_and_the_exact_version() {
        let from = |source: &str| {
            let mut out = Table::new();
            insert_source(source, "0.1.2", &mut out);
            assert_eq!(out["version"].as_str(), Some("=0.1.2"));
            out.get("registry-index")
                .and_then(Value::as_str)
                .map(str::to_owned)
        };
        let crates_io = "registry+https://github.com/rust-lang/crates.io-index";
        assert_eq!(from(crates_io), None);
        let own = "sparse+https://crates.example.org/index/";
        assert_eq!(from(own).as_deref(), Some(own));
        let git = from("registry+https://crates.example.org/index");
        assert_eq!(git.as_deref(), Some("https://crates.example.org/index"));
    }

    #[test]
    fn paths_of_patches_become_absolute() {
        let mut value: Value =
            toml::from_str::<Table>("[crates-io]\nbson = { path = \"vendor/bson\" }")
                .expect("toml")
                .into();
        make_absolute(&mut value, Path::new("/home/ann/shop"));
        assert_eq!(
            value["crates-io"]["bson"]["path"].as_str(),
            Some("/home/ann/shop/vendor/bson")
        );
    }
}
