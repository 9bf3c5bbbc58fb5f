//! `cargo mongo-model` in a workspace of its user's: the program that links the models, and crates that cannot be linked.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;

use bson::doc;

use crate::support::{Place, Ran, cargo_mongo_model, command, target};

/// The model of a crate.
fn model(name: &str, collection: &str) -> String {
    format!(
        "use mongo_model::{{Id, MongoModel}};\nuse serde::{{Deserialize, Serialize}};\n\n\
         #[derive(Serialize, Deserialize, MongoModel)]\n#[model(collection = \"{collection}\")]\npub struct {name} {{\n    \
         #[serde(rename = \"_id\")]\n    pub id: Id<{name}>,\n    #[index(unique)]\n    pub label: String,\n}}\n\n\
         #[cfg(feature = \"extra\")]\ncompile_error!(\"the feature is on\");\n"
    )
}

/// The migration of a crate.
const MIGRATION: &str = "\n#[mongo_model::migration]\nasync fn name_books(_: &mongo_model::Migration) -> mongo_model::Result<()> {\n    Ok(())\n}\n";

fn repository() -> &'static Path {
    let tool = Path::new(env!("CARGO_MANIFEST_DIR"));
    tool.parent().expect("it lies in the repository")
}

fn write(path: &Path, text: &str) {
    fs::create_dir_all(path.parent().expect("a folder")).expect("made");
    // A file that is the same keeps its time, so that nothing is built again.
    if fs::read_to_string(path).is_ok_and(|old| old == text) {
        return;
    }
    fs::write(path, text).expect("written");
}

fn manifest(name: &str, dependencies: &str) -> String {
    format!(
        "[package]\nname = \"{name}\"\nversion = \"0.1.0\"\nedition = \"2024\"\n\n[features]\nextra = []\n\n[dependencies]\n{dependencies}"
    )
}

/// With the features that the tests of this package have, so that cargo builds what both depend on once: those of the server are what
/// the driver needs.
fn dependencies() -> String {
    format!(
        "bson = {{ version = \"3.1\", features = [\"chrono-0_4\", \"serde\"] }}\n\
         mongo-model = {{ version = \"0.1.0\", features = [\"chrono\"] }}\n\
         mongo-model-dev-server = {{ path = {:?} }}\nserde = {{ version = \"1\", features = [\"derive\"] }}\n",
        repository().join("tests/dev-server")
    )
}

pub(crate) fn git(folder: &Path, args: &[&str]) -> String {
    let who = ["-c", "user.name=ann", "-c", "user.email=ann@example.org"];
    let done = Command::new("git")
        .args(who)
        .args(args)
        .current_dir(folder)
        .output()
        .expect("git runs");
    let err = String::from_utf8_lossy(&done.stderr);
    assert!(done.status.success(), "git {args:?}: {err}");
    String::from_utf8_lossy(&done.stdout).trim().to_owned()
}

/// A folder with everything committed; `target` lies elsewhere.
pub(crate) fn commit(folder: &Path) {
    if !folder.join(".git").exists() {
        git(folder, &["init", "-q", "-b", "main"]);
    }
    git(folder, &["add", "--all"]);
    if !git(folder, &["status", "--porcelain"]).is_empty() {
        git(folder, &["commit", "-q", "-m", "all"]);
    }
}

/// A workspace in a repository of its own: two libraries with models, a program that uses one of them, one without any, a program with a
/// model and no library, and a library with a model from a repository of another.
static WORKSPACE: LazyLock<PathBuf> = LazyLock::new(|| {
    let folder = target().join("tmp/users-workspace");
    let shelves = target().join("tmp/shelves-repository");
    write(
        &shelves.join("Cargo.toml"),
        &manifest("shelves", &dependencies()),
    );
    write(&shelves.join("src/lib.rs"), &model("Shelf", "shelves"));
    commit(&shelves);
    let url = format!("file://{}", shelves.display());
    let tool = repository().join("tool");
    let file = |path: &str, text: &str| write(&folder.join(path), text);
    file(
        "Cargo.toml",
        &format!(
            "[workspace]\nmembers = [\"alone\", \"app\", \"books\", \"empty\", \"readers\"]\nresolver = \"3\"\n\n\
             [patch.crates-io]\nmongo-model = {{ path = {:?} }}\n",
            repository().join("schema-runtime")
        ),
    );
    file("books/Cargo.toml", &manifest("books", &dependencies()));
    let books = format!("{}{MIGRATION}", model("Book", "books"));
    file("books/src/lib.rs", &books);
    file("readers/Cargo.toml", &manifest("readers", &dependencies()));
    file("readers/src/lib.rs", &model("Reader", "readers"));
    file(
        "app/Cargo.toml",
        &manifest("app", "books = { path = \"../books\" }\n"),
    );
    file("app/src/main.rs", "fn main() {}\n");
    // The tool is named so that the lock file keeps what it depends on.
    let others = format!(
        "shelves = {{ git = {url:?}, branch = \"main\" }}\n\n[dev-dependencies]\ncargo-mongo-model = {{ path = {tool:?} }}\n"
    );
    file("empty/Cargo.toml", &manifest("empty", &others));
    file("empty/src/lib.rs", "");
    file("alone/Cargo.toml", &manifest("alone", &dependencies()));
    let alone = format!("{}\nfn main() {{}}\n", model("Page", "pages"));
    file("alone/src/main.rs", &alone);
    let lock = fs::read_to_string(repository().join("Cargo.lock")).expect("read");
    let head = git(&shelves, &["rev-parse", "HEAD"]);
    file(
        "Cargo.lock",
        &format!(
            "{lock}\n[[package]]\nname = \"shelves\"\nversion = \"0.1.0\"\nsource = \"git+{url}?branch=main#{head}\"\ndependencies = [\n \"bson\",\n \"mongo-model\",\n \"mongo-model-dev-server\",\n \"serde\",\n]\n"
        ),
    );
    // Cargo takes out of the lock file what the workspace does not need.
    let metadata = command("cargo", &["metadata", "--format-version", "1"])
        .current_dir(&folder)
        .output()
        .expect("cargo runs");
    let err = String::from_utf8_lossy(&metadata.stderr);
    assert!(metadata.status.success(), "{err}");
    commit(&folder);
    folder
});

/// Runs `cargo mongo-model` in a folder; nothing changes there.
fn cargo(folder: &Path, args: &[&str]) -> Ran {
    let target = target();
    let target = target.to_str().expect("a path");
    let mut all = vec!["mongo-model"];
    all.extend(args);
    all.extend(["--target-dir", target]);
    let done = command(cargo_mongo_model(), &all)
        .current_dir(folder)
        .output()
        .expect("it runs");
    if folder.starts_with(&*WORKSPACE) {
        assert_eq!(git(&WORKSPACE, &["status", "--porcelain", "--ignored"]), "");
    }
    Ran {
        code: done.status.code(),
        out: String::from_utf8_lossy(&done.stdout).into_owned(),
        err: String::from_utf8_lossy(&done.stderr).into_owned(),
    }
}

/// The models that a check has looked for.
fn models(ran: &Ran) -> Vec<String> {
    let document = ran.json();
    let groups = document["collections"].as_array().expect("groups");
    let models = groups
        .iter()
        .filter_map(|group| group["models"][0].as_str());
    models.map(str::to_owned).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn the_models_of_libraries_are_linked() {
    let place = Place::new("linked").await;
    place.db.create_collection("books").await.expect("made");
    let book = doc! { "label": 1 };
    let books = place.db.collection("books");
    books.insert_one(book).await.expect("stored");
    let check = |folder: &str, options: &[&str]| {
        let args = [&["check", "--json"], options].concat();
        cargo(&WORKSPACE.join(folder), &place.arguments(&args)).code(1)
    };
    // All libraries of the workspace, or those that are named.
    assert_eq!(models(&check("", &[])), ["Book", "Reader"]);
    let named = check("alone", &["-p", "books", "-p", "readers"]);
    assert_eq!(models(&named), ["Book", "Reader"]);
    // The library of this folder; that which a program uses.
    let ran = check("books", &[]);
    assert_eq!(models(&ran), ["Book"]);
    assert_eq!(
        ran.json()["collections"][0]["findings"][0]["kind"],
        "missing_index"
    );
    assert_eq!(models(&check("app", &[])), ["Book"]);
    // A file about the models lies beside the manifest of their package; about those of several, in the workspace's folder.
    for (folder, file) in [("app", "books/mongo-model.lock"), ("", "mongo-model.lock")] {
        let ran = cargo(&WORKSPACE.join(folder), &["lock", "--check"]).code(1);
        let file = WORKSPACE.join(file);
        let said = format!("there is no {}\n", file.display());
        assert!(ran.out.starts_with(&said), "{}", ran.out);
    }
    // One from a repository of another.
    assert_eq!(models(&check("empty", &["-p", "shelves"])), ["Shelf"]);
    let ran = cargo(&WORKSPACE.join("books"), &place.arguments(&["check"])).code(1);
    assert!(
        ran.out
            .contains("1 document has `label` of another type than string")
            && ran.out.contains("help: `cargo mongo-model plan` shows"),
        "{}",
        ran.out
    );
    // Its migrations are linked too.
    let args = place.arguments(&["migrations", "run", "--yes"]);
    let ran = cargo(&WORKSPACE.join("books"), &args).code(0);
    assert_eq!(ran.out, "ran name_books\n", "{}", ran.err);
    assert_lock_is_kept("books");
    assert_lock_is_kept("shelves");
}

/// Every package of the program has a version of the user's lock file.
#[track_caller]
fn assert_lock_is_kept(program: &str) {
    let versions = |path: PathBuf| -> Vec<String> {
        let text = fs::read_to_string(path).expect("read");
        let packages = text.split("\n[[package]]\n").skip(1);
        let versions = packages.map(|one| one.lines().take(2).collect::<Vec<_>>().join(" "));
        versions.collect()
    };
    let users = versions(WORKSPACE.join("Cargo.lock"));
    let folder = target().join("mongo-model").join(program);
    for package in versions(folder.join("Cargo.lock")) {
        let own = package.contains("\"mongo-model-");
        assert!(own || users.contains(&package), "{program}: {package}");
    }
}

#[test]
fn features_are_those_of_the_command_line() {
    let uri = ["--uri", "mongodb://localhost:1/x"];
    let check = |features: &str| {
        let args = [
            "check",
            "-p",
            "books",
            "--features",
            features,
            uri[0],
            uri[1],
        ];
        cargo(&WORKSPACE, &args).code(2)
    };
    let ran = check("books/extra");
    assert!(
        ran.err.contains("the feature is on")
            && ran.err.contains("error: `books` does not compile"),
        "{}",
        ran.err
    );
    let ran = check("other");
    assert!(
        ran.err.contains("no package has the feature `other`"),
        "{}",
        ran.err
    );
}

#[test]
fn crates_that_cannot_be_linked_are_told_why() {
    let check = ["check", "--uri", "mongodb://localhost:1/x"];
    let ran = cargo(&WORKSPACE.join("alone"), &check).code(2);
    assert!(
        ran.err.contains("error: `alone` has no library")
            && ran
                .err
                .contains("fn main() -> std::process::ExitCode { mongo_model_tool::main() }"),
        "{}",
        ran.err
    );
    let named = [&check[..], &["-p", "nothing"]].concat();
    let ran = cargo(&WORKSPACE, &named).code(2);
    assert!(
        ran.err.contains("error: no package is called `nothing`")
            && ran
                .err
                .contains("the workspace has alone, app, books, empty, readers"),
        "{}",
        ran.err
    );
    let folder = std::env::temp_dir();
    let ran = cargo(&folder, &["check", "--json"]).code(2);
    assert!(
        ran.json()["error"]["message"]
            .as_str()
            .is_some_and(|message| message.contains("could not find `Cargo.toml`")),
        "{}",
        ran.out
    );
}

/// Cargo writes a lock file where there is none; the tool takes it away again.
#[test]
fn a_missing_lock_file_stays_missing() {
    let folder = target().join("tmp/without-lock");
    write(
        &folder.join("Cargo.toml"),
        "[package]\nname = \"without-lock\"\nedition = \"2024\"\n\n[workspace]\n",
    );
    write(&folder.join("src/lib.rs"), "");
    let ran = cargo(&folder, &["check"]).code(2);
    assert!(
        ran.err
            .contains("error: `without-lock` does not depend on mongo-model"),
        "{}",
        ran.err
    );
    assert!(!folder.join("Cargo.lock").exists());
}
