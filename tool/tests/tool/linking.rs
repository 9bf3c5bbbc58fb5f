//! `cargo mongo-model` in a crate of its user's: the program that links the models, and crates that cannot be linked.

use std::fs;
use std::path::{Path, PathBuf};

use bson::doc;

use crate::support::{Place, Ran, cargo_mongo_model, command, target};

const MODELS: &str = r#"
use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "books")]
pub struct Book {
    #[serde(rename = "_id")]
    pub id: Id<Book>,
    #[index(unique)]
    pub isbn: String,
}
"#;

/// A package in a folder of its own, with the lock file of this workspace.
fn package(name: &str, file: &str, source: &str) -> PathBuf {
    let repository = Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .expect("it lies in the repository");
    let folder = target().join("tmp").join(name);
    fs::create_dir_all(folder.join("src")).expect("made");
    // The tool is named so that the lock file keeps what it depends on.
    let manifest = format!(
        "[package]\nname = \"{name}\"\nversion = \"0.1.0\"\nedition = \"2024\"\n\n[workspace]\n\n[features]\nextra = []\n\n[dependencies]\n\
         mongo-model = {{ path = {0:?} }}\nserde = {{ version = \"1\", features = [\"derive\"] }}\n\n[dev-dependencies]\n\
         cargo-mongo-model = {{ path = {1:?} }}\n\n[profile.dev]\ndebug = false\n",
        repository.join("schema-runtime"),
        repository.join("tool"),
    );
    fs::write(folder.join("Cargo.toml"), manifest).expect("written");
    fs::write(folder.join("src").join(file), source).expect("written");
    fs::copy(repository.join("Cargo.lock"), folder.join("Cargo.lock")).expect("copied");
    // Cargo takes out of the lock file what the package does not need.
    let metadata = command("cargo", &["metadata", "--format-version", "1"])
        .current_dir(&folder)
        .output();
    assert!(metadata.expect("cargo runs").status.success());
    folder
}

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
    Ran {
        code: done.status.code(),
        out: String::from_utf8_lossy(&done.stdout).into_owned(),
        err: String::from_utf8_lossy(&done.stderr).into_owned(),
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn the_models_of_a_library_are_linked() {
    let place = Place::new("linked").await;
    place.db.create_collection("books").await.expect("made");
    let source =
        format!("{MODELS}\n#[cfg(feature = \"extra\")]\ncompile_error!(\"the feature is on\");\n");
    let folder = package("library-of-books", "lib.rs", &source);
    let before = listed(&folder);
    let ran = cargo(&folder, &place.arguments(&["check", "--json"])).code(1);
    let document = ran.json();
    assert_eq!(document["collections"][0]["models"][0], "Book");
    assert_eq!(
        document["collections"][0]["findings"][0]["kind"],
        "missing_index"
    );
    // Nothing changed in the user's tree.
    assert_eq!(listed(&folder), before);
    place
        .db
        .collection("books")
        .insert_one(doc! { "isbn": 1 })
        .await
        .expect("stored");
    let ran = cargo(&folder, &place.arguments(&["check"])).code(1);
    assert!(
        ran.out
            .contains("1 document has `isbn` of another type than string"),
        "{}",
        ran.out
    );
    // Features are those of the call.
    let ran = cargo(&folder, &place.arguments(&["check", "--features", "extra"])).code(2);
    assert!(
        ran.err.contains("the feature is on")
            && ran
                .err
                .contains("error: `library-of-books` does not compile"),
        "{}",
        ran.err
    );
    let ran = cargo(&folder, &place.arguments(&["check", "--features", "other"])).code(2);
    assert!(
        ran.err.contains("no package has the feature `other`"),
        "{}",
        ran.err
    );
}

fn listed(folder: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let mut out = Vec::new();
    for entry in fs::read_dir(folder).expect("read") {
        let path = entry.expect("read").path();
        if path.is_dir() {
            out.extend(listed(&path));
        } else {
            let bytes = fs::read(&path).expect("read");
            out.push((path, bytes));
        }
    }
    out.sort();
    out
}

#[test]
fn a_crate_without_a_library_is_told_the_line() {
    let folder = package(
        "only-a-binary",
        "main.rs",
        &format!("{MODELS}\nfn main() {{}}\n"),
    );
    let ran = cargo(&folder, &["check", "--uri", "mongodb://localhost:1/x"]).code(2);
    assert!(
        ran.err.contains("error: `only-a-binary` has no library"),
        "{}",
        ran.err
    );
    assert!(
        ran.err
            .contains("fn main() -> std::process::ExitCode { mongo_model_tool::main() }"),
        "{}",
        ran.err
    );
}

#[test]
fn a_folder_without_a_crate_is_named_as_that() {
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
