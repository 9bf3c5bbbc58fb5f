//! What the tests share: the built programs, a server, and texts without what changes from run to run.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use mongo_model_dev_server::{DevServer, Topology, hide_package};
use mongodb::Database;

/// `cargo-mongo-model`, as cargo has built it.
pub(crate) fn cargo_mongo_model() -> &'static str {
    env!("CARGO_BIN_EXE_cargo-mongo-model")
}

/// The folder of cargo's output.
pub(crate) fn target() -> PathBuf {
    let profile = Path::new(cargo_mongo_model())
        .parent()
        .expect("it lies in a folder");
    profile.parent().expect("which lies in another").to_owned()
}

/// The one-line program with the models of the repository's examples. `cargo test` builds it, `cargo test --test tool` alone does not.
pub(crate) fn demo() -> PathBuf {
    example("demo")
}

/// The same for another program of the examples.
pub(crate) fn example(name: &str) -> PathBuf {
    let profile = Path::new(cargo_mongo_model())
        .parent()
        .expect("it lies in a folder");
    profile
        .join("examples")
        .join(format!("{name}{}", std::env::consts::EXE_SUFFIX))
}

/// What a program did.
#[derive(Debug)]
pub(crate) struct Ran {
    pub(crate) code: Option<i32>,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl Ran {
    /// Standard output as JSON.
    #[track_caller]
    pub(crate) fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.out).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    /// The same, after the exit code was compared.
    #[track_caller]
    pub(crate) fn code(self, code: i32) -> Self {
        assert_eq!(self.code, Some(code), "{}\n{}", self.out, self.err);
        self
    }
}

/// Runs a program without a terminal, and without variables that change what it does.
pub(crate) fn run(program: impl AsRef<Path>, args: &[&str]) -> Ran {
    let done = command(program, args).output().expect("the program runs");
    Ran {
        code: done.status.code(),
        out: String::from_utf8_lossy(&done.stdout).into_owned(),
        err: String::from_utf8_lossy(&done.stderr).into_owned(),
    }
}

/// The same, not started yet.
pub(crate) fn command(program: impl AsRef<Path>, args: &[&str]) -> Command {
    let mut command = Command::new(program.as_ref());
    command.args(args).stdin(Stdio::null());
    for variable in ["MONGODB_URI", "NO_COLOR", "CLICOLOR_FORCE", "COLUMNS"] {
        command.env_remove(variable);
    }
    if program.as_ref() == Path::new("cargo") {
        hide_package(&mut command);
    }
    command
}

/// A database that no other test uses, on a server that all tests share.
pub(crate) struct Place {
    pub(crate) db: Database,
    uri: String,
}

impl Place {
    pub(crate) async fn new(name: &str) -> Self {
        Place::on(Topology::Standalone, name).await
    }

    /// The same, in a replica set.
    pub(crate) async fn in_set(name: &str) -> Self {
        Place::on(Topology::ReplicaSet(1), name).await
    }

    async fn on(topology: Topology, name: &str) -> Self {
        let server = DevServer::shared(topology).await.expect("a server");
        let client = server.client().await.expect("a client");
        Place {
            db: client.database(&server.unique_db(name)),
            uri: server.uri().to_owned(),
        }
    }

    /// The same with indexes and careless documents.
    pub(crate) async fn spoiled(name: &str) -> Self {
        let place = Place::new(name).await;
        place.demo(&["apply", "--yes"]).code(0);
        crate::seed::spoil(&place.db).await.expect("it is filled");
        place
    }

    /// Runs the one-line program on the database.
    pub(crate) fn demo(&self, args: &[&str]) -> Ran {
        run(demo(), &self.arguments(args))
    }

    /// The server's connection string.
    pub(crate) fn uri(&self) -> &str {
        &self.uri
    }

    pub(crate) fn arguments<'a>(&'a self, args: &[&'a str]) -> Vec<&'a str> {
        let mut all = args.to_vec();
        all.extend(["--uri", &self.uri, "--db", self.db.name()]);
        all
    }

    /// The text without the names of server and database.
    pub(crate) fn masked(&self, text: &str) -> String {
        let host = self.uri.trim_start_matches("mongodb://");
        let host = host.split(['/', '?']).next().unwrap_or(host);
        let text = text
            .replace(host, "HOST")
            .replace(self.db.name(), "DATABASE");
        mask_version(&text)
    }
}

/// `MongoDB 6.0.5` without the version.
fn mask_version(text: &str) -> String {
    let mut parts = text.split("(MongoDB ");
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        out.push_str("(MongoDB VERSION");
        out.push_str(part.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.'));
    }
    out
}

/// Compares a text with a file; with `MONGO_MODEL_BLESS=1` writes it.
#[track_caller]
pub(crate) fn golden(name: &str, text: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/golden")
        .join(name);
    if std::env::var_os("MONGO_MODEL_BLESS").is_some() {
        fs::create_dir_all(path.parent().expect("a folder")).expect("the folder is made");
        fs::write(&path, text).expect("the golden is written");
    }
    let stored = fs::read_to_string(&path).unwrap_or_default();
    assert!(
        stored == text,
        "{} differs (MONGO_MODEL_BLESS=1 writes it):\n{text}",
        path.display()
    );
}
