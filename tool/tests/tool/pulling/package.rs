//! The models that `pull` writes, in a package of their own: they compile without a warning, and read every document.

use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

use bson::{Document, doc};

use super::data::fill;
use super::{checks, generated, kinds, pull, strange};
use crate::support::{Place, Ran, cargo_mongo_model, command, target};

/// With the features that the tests of this package have, so that cargo builds what both depend on once; the path of the server follows,
/// which has those of what the driver needs.
const MANIFEST: &str = r#"[package]
name = "pulled"
version = "0.1.0"
edition = "2024"

[dependencies]
bson = { version = "3.1", features = ["chrono-0_4", "serde"] }
mongo-model = { version = "0.1.0", features = ["chrono"] }
mongodb = { version = "3.9", default-features = false, features = ["compat-3-3-0", "bson-3", "rustls-tls", "dns-resolver"] }
serde = { version = "1", features = ["derive"] }
tokio = { version = "1", features = ["macros", "rt-multi-thread"] }
"#;

/// The package, without models.
fn package() -> PathBuf {
    let folder = target().join("tmp/pulled-package");
    let tool = Path::new(env!("CARGO_MANIFEST_DIR"));
    let repository = tool.parent().expect("it lies in the repository");
    if folder.join("src").exists() {
        fs::remove_dir_all(folder.join("src")).expect("removed");
    }
    fs::create_dir_all(folder.join("src")).expect("made");
    let manifest = format!(
        "{MANIFEST}mongo-model-dev-server = {{ path = {:?} }}\n\n[dev-dependencies]\ncargo-mongo-model = {{ path = {tool:?} }}\n\n[workspace]\n\n[patch.crates-io]\nmongo-model = {{ path = {:?} }}\n",
        repository.join("tests/dev-server"),
        repository.join("schema-runtime")
    );
    fs::write(folder.join("Cargo.toml"), manifest).expect("written");
    fs::copy(repository.join("Cargo.lock"), folder.join("Cargo.lock")).expect("copied");
    folder
}

/// A program that reads every document of every model.
fn reader(models: &[(String, String, String)]) -> String {
    let mut text = "use mongo_model::MongoModel;\n\n#[tokio::main]\nasync fn main() {\n    let args: Vec<String> = std::env::args().collect();\n    let client = mongodb::Client::with_uri_str(&args[1]).await.expect(\"a client\");\n"
        .to_owned();
    for (module, model, database) in models {
        let _ = write!(
            text,
            "    let db = client.database({database:?});\n    match pulled::{module}::{model}::scan(&db, |m| m.all()).await {{\n        Ok(all) => println!(\"{module}::{model} {{}}\", all.len()),\n        Err(error) => println!(\"{module}::{model} {{error}}\"),\n    }}\n"
        );
    }
    text.push_str("}\n");
    text
}

fn cargo(folder: &Path, args: &[&str]) -> Ran {
    let target = target();
    let target = target.to_str().expect("a path");
    let done = command("cargo", args)
        .args(["--target-dir", target])
        .current_dir(folder)
        .output()
        .expect("cargo runs");
    Ran {
        code: done.status.code(),
        out: String::from_utf8_lossy(&done.stdout).into_owned(),
        err: String::from_utf8_lossy(&done.stderr).into_owned(),
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn models_compile_and_read_every_document() {
    let (known, odd, several, drawn, ruled) = (
        Place::new("pulled_known").await,
        Place::new("pulled_odd").await,
        Place::new("pulled_kinds").await,
        Place::new("pulled_drawn").await,
        Place::new("pulled_ruled").await,
    );
    fill(&known.db, 120).await;
    strange::fill(&odd.db).await;
    kinds::fill(&several.db).await;
    generated::fill(&drawn.db, 200).await;
    checks::fill(&ruled).await;
    let folder = package();
    let mut models = Vec::new();
    let mut documents = Vec::new();
    // A folder of files, and a single file.
    for (module, out, place) in [
        ("known", "known", &known),
        ("odd", "odd.rs", &odd),
        ("several", "several", &several),
        ("drawn", "drawn", &drawn),
        ("ruled", "ruled.rs", &ruled),
    ] {
        let out = folder.join("src").join(out);
        let ran = pull(place, out.to_str().expect("a path"), &["--json", "--full"]).code(1);
        for group in ran.json()["collections"].as_array().expect("groups") {
            let Some(model) = group["model"].as_str() else {
                continue;
            };
            let collection = group["collection"].as_str().expect("a name");
            let stored = place.db.collection::<Document>(collection);
            let count = stored.count_documents(doc! {}).await.expect("counted");
            let path = match out.is_dir() {
                true => format!("{module}::{}", module_of(&out, model)),
                false => module.to_owned(),
            };
            documents.push(format!("{path}::{model} {count}"));
            models.push((path, model.to_owned(), place.db.name().to_owned()));
        }
    }
    fs::write(
        folder.join("src/lib.rs"),
        "#![deny(warnings)]\n\npub mod known;\npub mod odd;\npub mod several;\npub mod drawn;\npub mod ruled;\n",
    )
    .expect("written");
    fs::write(folder.join("src/main.rs"), reader(&models)).expect("written");
    let uri = known.uri();
    let ran = cargo(&folder, &["run", "-q", "--offline", "--", uri]).code(0);
    let read: Vec<&str> = ran.out.lines().collect();
    assert_eq!(read, documents, "{}", ran.err);
    check_finds_defects_only(&folder, &known);
}

/// The module in whose file the model stands.
fn module_of(folder: &Path, model: &str) -> String {
    let files = fs::read_dir(folder)
        .expect("a folder")
        .map(|file| file.expect("a file").path());
    let holds = |path: &PathBuf| {
        let text = fs::read_to_string(path).unwrap_or_default();
        text.contains(&format!("pub struct {model} {{"))
            || text.contains(&format!("pub enum {model} {{"))
    };
    let file = files
        .into_iter()
        .find(holds)
        .expect("a file with the model");
    let name = file
        .file_stem()
        .expect("a name")
        .to_str()
        .expect("text")
        .to_owned();
    let keywords = ["type", "match"];
    if keywords.contains(&name.as_str()) {
        format!("r#{name}")
    } else {
        name
    }
}

/// `check` finds what the data has: stale copies, references that lead nowhere, wrong numbers, indexes that references lack.
fn check_finds_defects_only(folder: &Path, place: &Place) {
    let target = target();
    let target = target.to_str().expect("a path");
    let args = [
        "mongo-model",
        "check",
        "--json",
        "--full",
        "--offline",
        "--target-dir",
        target,
    ];
    let done = command(cargo_mongo_model(), &place.arguments(&args))
        .current_dir(folder)
        .output()
        .expect("it runs");
    let text = String::from_utf8_lossy(&done.stdout);
    let document: serde_json::Value = serde_json::from_str(&text).unwrap_or_else(|error| {
        panic!("{error}: {text} {}", String::from_utf8_lossy(&done.stderr))
    });
    let mut kinds: Vec<String> = Vec::new();
    for group in document["collections"].as_array().expect("groups") {
        for finding in group["findings"].as_array().expect("findings") {
            let kind = finding["kind"].as_str().expect("a kind");
            kinds.push(format!(
                "{kind} {} {}",
                group["collection"].as_str().expect("a name"),
                finding["message"].as_str().expect("a message")
            ));
        }
    }
    // Models of the other database have no collections here.
    let defects = [
        "missing_index",
        "missing_collection",
        "stale",
        "orphan",
        "allowed_orphan",
        "wrong_count",
        "extra_in_list",
        "missing_in_list",
    ];
    let others: Vec<&String> = kinds
        .iter()
        .filter(|line| !defects.iter().any(|defect| line.starts_with(defect)))
        .collect();
    assert!(others.is_empty(), "{others:#?}");
}
