//! The metadata that cargo reports about the user's packages.

use std::collections::{HashMap, HashSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde::Deserialize;

use super::MAIN;
use crate::cli::Build;
use crate::failure::{Failure, Result};

/// The output of `cargo metadata`, as far as it is needed.
#[derive(Debug, Deserialize)]
pub(super) struct Metadata {
    #[serde(rename = "workspace_root")]
    pub(super) root: PathBuf,
    target_directory: PathBuf,
    packages: Vec<Package>,
    workspace_members: Vec<String>,
    #[serde(default)]
    workspace_default_members: Vec<String>,
    resolve: Resolve,
    /// The text of the lock file that this follows from.
    #[serde(skip)]
    pub(super) lock: Option<String>,
}

#[derive(Debug, Deserialize)]
struct Resolve {
    root: Option<String>,
    nodes: Vec<Node>,
}

#[derive(Debug, Deserialize)]
struct Node {
    id: String,
    dependencies: Vec<String>,
}

/// A package.
#[derive(Debug, Deserialize)]
pub(super) struct Package {
    pub(super) id: String,
    pub(super) name: String,
    pub(super) version: String,
    /// The source of the package; `None` for a path.
    pub(super) source: Option<String>,
    pub(super) manifest_path: PathBuf,
    pub(super) features: HashMap<String, Vec<String>>,
    targets: Vec<Target>,
}

#[derive(Debug, Deserialize)]
struct Target {
    kind: Vec<String>,
}

impl Package {
    /// The folder.
    pub(super) fn folder(&self) -> &Path {
        self.manifest_path.parent().unwrap_or(Path::new("."))
    }

    fn has_library(&self) -> bool {
        let linkable = |kind: &String| matches!(kind.as_str(), "lib" | "rlib" | "dylib");
        self.targets
            .iter()
            .any(|target| target.kind.iter().any(linkable))
    }
}

/// The cargo that runs this program, else the one on the path. It does not see the package of which cargo runs this program (`cargo run`,
/// `cargo test`): a build script that reads such a variable would run again, and all that depends on it would be built again.
pub(super) fn cargo() -> Command {
    let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    for (name, _) in std::env::vars_os() {
        let is_of_package = name.to_str().is_some_and(|name| {
            name.starts_with("CARGO_PKG_") || name.starts_with("CARGO_MANIFEST_")
        });
        if is_of_package {
            cargo.env_remove(name);
        }
    }
    cargo
}

/// The path of the workspace's lock file; the file may be missing.
fn lock_file(build: &Build) -> Result<PathBuf> {
    let mut cargo = cargo();
    cargo.args(["locate-project", "--workspace", "--message-format=plain"]);
    let manifest = output_of(cargo, build)?;
    let manifest = PathBuf::from(String::from_utf8_lossy(&manifest).trim());
    Ok(manifest.with_file_name("Cargo.lock"))
}

/// Runs cargo on the user's package, and returns its output.
fn output_of(mut cargo: Command, build: &Build) -> Result<Vec<u8>> {
    if let Some(path) = &build.manifest_path {
        cargo.arg("--manifest-path").arg(path);
    }
    let done = cargo.output().map_err(|error| {
        Failure::new(format!("cannot run cargo: {error}")).help(format!(
            "without cargo, build a binary of your own: `{MAIN}`"
        ))
    })?;
    if done.status.success() {
        return Ok(done.stdout);
    }
    let said = String::from_utf8_lossy(&done.stderr);
    let said = said
        .lines()
        .find(|line| line.starts_with("error"))
        .unwrap_or("it gives no reason");
    let said = said.trim_start_matches("error: ");
    Err(
        Failure::new(format!("cargo cannot read the package: {said}"))
            .help("run it in the folder of the crate with the models, or pass `--manifest-path`"),
    )
}

impl Metadata {
    /// Asks cargo. If cargo writes the lock file, that change is undone: nothing changes in the user's tree.
    pub(super) fn read(build: &Build) -> Result<Self> {
        let lock = lock_file(build)?;
        let before = fs::read_to_string(&lock).ok();
        let metadata = Metadata::ask(build);
        let after = fs::read_to_string(&lock).ok();
        if after != before {
            let restored = match &before {
                Some(text) => fs::write(&lock, text),
                None => fs::remove_file(&lock),
            };
            restored.map_err(|error| {
                Failure::new(format!("{} cannot be restored: {error}", lock.display()))
            })?;
        }
        let lock = after.or(before);
        metadata.map(|metadata| Metadata { lock, ..metadata })
    }

    fn ask(build: &Build) -> Result<Self> {
        let mut cargo = cargo();
        // A dependency on mongo-model may be optional.
        cargo.args(["metadata", "--format-version", "1", "--all-features"]);
        if build.offline {
            cargo.arg("--offline");
        }
        let found = output_of(cargo, build)?;
        serde_json::from_slice(&found).map_err(|error| {
            Failure::new(format!(
                "the output of `cargo metadata` cannot be read: {error}"
            ))
        })
    }

    /// The folder of cargo's output.
    pub(super) fn target(&self, build: &Build) -> PathBuf {
        build
            .target_dir
            .clone()
            .unwrap_or_else(|| self.target_directory.clone())
    }

    /// The packages whose libraries have the models: those that are named, else the present one, else those of the workspace that
    /// depend on mongo-model.
    pub(super) fn choose(&self, build: &Build) -> Result<Vec<&Package>> {
        let package = |id: &String| self.packages.iter().find(|package| package.id == *id);
        let chosen: Vec<&Package> = if !build.packages.is_empty() {
            let named = build.packages.iter().map(|name| self.named(name));
            named.collect::<Result<_>>()?
        } else if let Some(root) = self.resolve.root.as_ref().and_then(package) {
            self.of_package(root)
        } else {
            let members = match self.workspace_default_members.is_empty() {
                true => &self.workspace_members,
                false => &self.workspace_default_members,
            };
            let members = members.iter().filter_map(package);
            let chosen: Vec<&Package> = members
                .filter(|one| one.has_library() && self.model_package(one).is_some())
                .collect();
            if chosen.is_empty() {
                return Err(
                    Failure::new("no library of the workspace depends on mongo-model")
                        .help(binary_help()),
                );
            }
            chosen
        };
        for package in &chosen {
            if !package.has_library() {
                return Err(Failure::new(format!(
                    "`{}` has no library that could be linked",
                    package.name
                ))
                .help(binary_help()));
            }
            if self.model_package(package).is_none() {
                return Err(Failure::new(format!(
                    "`{}` does not depend on mongo-model",
                    package.name
                ))
                .help("pass the package that has the models: `-p my-models`"));
            }
        }
        Ok(chosen)
    }

    /// The package itself; of a program, or one without models, the libraries of the workspace that it uses and that may have them.
    fn of_package<'m>(&'m self, root: &'m Package) -> Vec<&'m Package> {
        let may_have = |one: &Package| one.has_library() && self.model_package(one).is_some();
        if may_have(root) {
            return vec![root];
        }
        let used = self.reachable(root);
        let packages = self.packages.iter();
        let libraries: Vec<&Package> = packages
            .filter(|one| self.workspace_members.contains(&one.id))
            .filter(|one| used.contains(one.id.as_str()) && may_have(one))
            .collect();
        match libraries.is_empty() {
            true => vec![root],
            false => libraries,
        }
    }

    /// The folder for files about these packages: that of a package, and the workspace's for several and for one from elsewhere.
    pub(super) fn home<'m>(&'m self, packages: &[&'m Package]) -> &'m Path {
        match packages {
            [package] if package.source.is_none() => package.folder(),
            _ => &self.root,
        }
    }

    fn named(&self, name: &str) -> Result<&Package> {
        let mut found: Vec<&Package> = self
            .packages
            .iter()
            .filter(|package| package.name == name || package.id == name)
            .collect();
        found.sort_by_key(|package| !self.workspace_members.contains(&package.id));
        found.first().copied().ok_or_else(|| {
            let members = self
                .packages
                .iter()
                .filter(|package| self.workspace_members.contains(&package.id));
            let members: Vec<&str> = members.map(|package| package.name.as_str()).collect();
            Failure::new(format!("no package is called `{name}`"))
                .help(format!("the workspace has {}", members.join(", ")))
        })
    }

    /// Everything that a package depends on, itself included.
    pub(super) fn reachable<'m>(&'m self, package: &'m Package) -> HashSet<&'m str> {
        let mut seen = HashSet::new();
        let mut todo = vec![package.id.as_str()];
        while let Some(id) = todo.pop() {
            if !seen.insert(id) {
                continue;
            }
            let node = self.resolve.nodes.iter().find(|node| node.id == id);
            todo.extend(
                node.into_iter()
                    .flat_map(|node| node.dependencies.iter().map(String::as_str)),
            );
        }
        seen
    }

    /// The mongo-model that a package is built with.
    pub(super) fn model_package(&self, package: &Package) -> Option<&Package> {
        let reachable = self.reachable(package);
        self.packages
            .iter()
            .find(|one| one.name == "mongo-model" && reachable.contains(one.id.as_str()))
    }

    /// The names of the packages' dependencies.
    pub(super) fn dependency_names<'m>(&'m self, packages: &[&'m Package]) -> HashSet<&'m str> {
        let ids: HashSet<&str> = packages
            .iter()
            .flat_map(|package| self.reachable(package))
            .collect();
        let found = self
            .packages
            .iter()
            .filter(|package| ids.contains(package.id.as_str()));
        found.map(|package| package.name.as_str()).collect()
    }
}

fn binary_help() -> String {
    format!(
        "move the models into a library of the package, or build a binary of your own with the models: `{MAIN}`"
    )
}
