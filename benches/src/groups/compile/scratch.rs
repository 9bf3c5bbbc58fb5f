//! Generated programs that hold the same models, each with another derive.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use crate::Result;

const DRIVER: &str = r#"
bson = { version = "3.1", features = ["serde"] }
mongodb = { version = "3.9", default-features = false, features = ["compat-3-3-0", "bson-3", "rustls-tls", "dns-resolver"] }
"#;

const SERDE: &str = r#"serde = { version = "1", features = ["derive"] }
"#;

const MONGODM: &str = "0.10.2";
const OXIMOD: &str = "1.0.1";

/// The derives of the models.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// Serde's derives alone: the least that the driver needs.
    Serde,
    Ours,
    /// The structs and nothing else.
    Plain,
    Mongodm,
    Oximod,
}

impl Kind {
    /// The others are compared with the first.
    pub(super) const ALL: [Kind; 5] = [
        Kind::Serde,
        Kind::Ours,
        Kind::Plain,
        Kind::Mongodm,
        Kind::Oximod,
    ];

    pub(super) fn name(self) -> &'static str {
        match self {
            Kind::Serde => "serde's derives only",
            Kind::Ours => "mongo-model",
            Kind::Plain => "no derives",
            Kind::Mongodm => "mongodm",
            Kind::Oximod => "oximod",
        }
    }

    /// The version of a peer, which comes from a registry and so may be out of reach.
    pub(super) fn version(self) -> Option<&'static str> {
        match self {
            Kind::Mongodm => Some(MONGODM),
            Kind::Oximod => Some(OXIMOD),
            Kind::Serde | Kind::Ours | Kind::Plain => None,
        }
    }

    fn package(self) -> &'static str {
        match self {
            Kind::Serde => "with_serde",
            Kind::Ours => "with_ours",
            Kind::Plain => "with_nothing",
            Kind::Mongodm => "with_mongodm",
            Kind::Oximod => "with_oximod",
        }
    }

    fn dependencies(self) -> String {
        let root = env!("CARGO_MANIFEST_DIR");
        let own = match self {
            Kind::Serde | Kind::Plain => String::new(),
            Kind::Ours => format!("mongo-model = {{ path = \"{root}/../schema-runtime\" }}\n"),
            Kind::Mongodm => {
                let features =
                    r#"default-features = false, features = ["compat-3-3-0", "bson-3", "rustls"]"#;
                format!("mongodm = {{ version = \"={MONGODM}\", {features} }}\n")
            }
            // It does not compile with the driver's own choice of `bson` 3.
            Kind::Oximod => {
                return format!("oximod = \"={OXIMOD}\"\nbson = \"2\"\nmongodb = \"3.9\"\n{SERDE}");
            }
        };
        format!("{DRIVER}{SERDE}{own}")
    }

    /// The `n`th model.
    fn model(self, n: usize, out: &mut String) {
        let derives = match self {
            Kind::Plain => String::new(),
            Kind::Serde | Kind::Mongodm => "#[derive(Serialize, Deserialize)]".to_owned(),
            Kind::Ours => format!(
                "#[derive(Serialize, Deserialize, mongo_model::MongoModel)]\n#[model(collection = \"m{n}\")]"
            ),
            Kind::Oximod => format!(
                "#[derive(Debug, Serialize, Deserialize, oximod::Model)]\n#[db(\"bench\")]\n#[collection(\"m{n}\")]"
            ),
        };
        let id = match self {
            Kind::Plain => "pub id: ObjectId,",
            Kind::Oximod => {
                "#[serde(skip_serializing_if = \"Option::is_none\")] pub _id: Option<ObjectId>,"
            }
            _ => "#[serde(rename = \"_id\")] pub id: ObjectId,",
        };
        // Its derive asks for a `Default` of every field, which the driver's date does not have.
        let date = if self == Kind::Oximod {
            "i64"
        } else {
            "bson::DateTime"
        };
        let _ = write!(
            out,
            "
{derives}
pub struct Model{n} {{
    {id}
    pub name: String,
    pub title: String,
    pub count: i64,
    pub amount: f64,
    pub active: bool,
    pub created: {date},
    pub note: Option<String>,
    pub rank: i32,
    pub owner: ObjectId,
}}
"
        );
        if self == Kind::Mongodm {
            let _ = write!(
                out,
                "pub struct Conf{n};
impl mongodm::CollectionConfig for Conf{n} {{
    fn collection_name() -> &'static str {{ \"m{n}\" }}
}}
impl mongodm::Model for Model{n} {{
    type CollConf = Conf{n};
}}
"
            );
        }
    }
}

/// The folder with the programs.
#[derive(Debug)]
pub(super) struct Scratch {
    folder: PathBuf,
}

impl Scratch {
    /// Writes the programs, each of so many models. Each is a workspace of its own, with the versions that this one has of what they
    /// share, so that a peer that cannot be fetched is in nobody's way.
    pub(super) fn new(models: usize) -> Result<Self> {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        let folder = root.join("target/bench-compile");
        for kind in Kind::ALL {
            let package = kind.package();
            let source = folder.join(package).join("src");
            fs::create_dir_all(&source)?;
            let manifest = format!(
                "[workspace]\n[package]\nname = \"{package}\"\nedition = \"2024\"\n[dependencies]\n{}",
                kind.dependencies()
            );
            put(&folder.join(package).join("Cargo.toml"), &manifest)?;
            let lock = folder.join(package).join("Cargo.lock");
            if !lock.exists() {
                fs::copy(root.join("Cargo.lock"), lock)?;
            }
            let mut program = "#![allow(dead_code, unused_imports)]
use bson::oid::ObjectId;
use serde::{Deserialize, Serialize};
"
            .to_owned();
            (0..models).for_each(|n| kind.model(n, &mut program));
            put(&source.join("lib.rs"), &program)?;
        }
        Ok(Scratch { folder })
    }

    pub(super) fn source(&self, kind: Kind) -> PathBuf {
        self.folder.join(kind.package()).join("src/lib.rs")
    }

    /// Runs `cargo check`.
    pub(super) fn check(&self, kind: Kind) -> Result<()> {
        self.cargo(kind, &[]).map(drop)
    }

    /// How much the derives of `kind` write per model, in words.
    pub(super) fn expansions(&self, kind: Kind, models: usize) -> Result<String> {
        // Only the program itself is compiled by the wrapper: nothing below it is compiled again.
        let wrapper = self.folder.join("macro-stats.sh");
        let package = kind.package();
        put(
            &wrapper,
            &format!(
                "#!/bin/sh\ncompiler=$1\nshift\ncase \" $* \" in\n*\" --crate-name {package} \"*) \
                 RUSTC_BOOTSTRAP=1 exec \"$compiler\" \"$@\" -Zmacro-stats ;;\nesac\nexec \"$compiler\" \"$@\"\n"
            ),
        )?;
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            fs::set_permissions(&wrapper, fs::Permissions::from_mode(0o755))?;
        }
        let wrapper = wrapper.to_string_lossy().into_owned();
        let told = self.cargo(kind, &[("RUSTC_WORKSPACE_WRAPPER", &wrapper)])?;
        let told = String::from_utf8_lossy(&told.stderr).into_owned();
        let bytes = |derive: &str| -> Option<usize> {
            // macro-stats #[derive(mongo_model::MongoModel)]  50  12,345  246.9  1,234,567  24,691.3
            let line = told.lines().find(|line| line.contains(derive))?;
            let columns: Vec<&str> = line.split_ascii_whitespace().collect();
            let total = columns.get(columns.len().checked_sub(2)?)?;
            total.replace([',', '_'], "").parse().ok()
        };
        let each = |derive| match bytes(derive) {
            Some(bytes) => format!("{} bytes", bytes / models),
            None => "an unknown number of bytes".to_owned(),
        };
        Ok(format!(
            "An expansion of `MongoModel` has {} per model of 10 fields; `Serialize` {}, `Deserialize` {}.",
            each("MongoModel)"),
            each("Serialize)"),
            each("Deserialize)"),
        ))
    }

    fn cargo(&self, kind: Kind, variables: &[(&str, &str)]) -> Result<Output> {
        let out = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
            .arg("check")
            .current_dir(self.folder.join(kind.package()))
            .env("CARGO_TARGET_DIR", self.folder.join("target"))
            // As a program is checked while it is written, whatever this run was compiled with.
            .env("CARGO_INCREMENTAL", "1")
            .envs(variables.iter().copied())
            .output()?;
        if out.status.success() {
            return Ok(out);
        }
        let told = String::from_utf8_lossy(&out.stderr);
        let first = told.lines().find(|line| line.starts_with("error"));
        let first = first.unwrap_or("cargo check failed");
        Err(format!("`cargo check` of `{}`: {first}", kind.name()).into())
    }
}

/// Writes a file, unless it holds that already: cargo looks at the times of files.
fn put(path: &Path, text: &str) -> Result<()> {
    if fs::read_to_string(path).is_ok_and(|known| known == text) {
        return Ok(());
    }
    Ok(fs::write(path, text)?)
}
