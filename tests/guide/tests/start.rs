//! What a reader pastes: README's first program and the ten-minute shop are built as a package of their own, outside of the workspace, with the
//! dependencies that the pages name, and run against a server.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use mongo_model::bson::{Document, doc};
use mongo_model::{MongoModel, plan_indexes};
use mongo_model_dev_server::{DevServer, Topology, hide_package};
use mongo_model_guide::shop::{Part, Product, part, product};

/// The dependency as the pages name it: a checkout beside the package.
const CHECKOUT: &str = "../mongo-model/schema-runtime";

/// The server that the pages connect to.
const LOCAL: &str = "mongodb://localhost:27017/";

fn root() -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    root.canonicalize().expect("the repository")
}

fn page(path: &str) -> String {
    fs::read_to_string(root().join(path)).expect(path)
}

/// The code block in this language that holds these words.
fn block<'p>(page: &'p str, language: &str, words: &str) -> &'p str {
    let blocks = page.split("\n```").skip(1).step_by(2);
    let mut bodies = blocks.filter_map(|block| block.strip_prefix(language)?.strip_prefix('\n'));
    let found = bodies.find(|body| body.contains(words));
    found.unwrap_or_else(|| panic!("a block `{language}` with `{words}`"))
}

/// Runs a program of the package; returns what it prints.
fn run(folder: &Path, program: &str) -> String {
    let target = root().join("target");
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned());
    let mut command = Command::new(cargo);
    hide_package(&mut command);
    let done = command
        .args(["run", "-q", "--offline", "--bin", program, "--target-dir"])
        .arg(target)
        .current_dir(folder)
        .output()
        .expect("cargo runs");
    let said = String::from_utf8_lossy(&done.stderr);
    assert!(done.status.success(), "{program}: {said}");
    String::from_utf8(done.stdout).expect("text")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn what_the_pages_say_builds_and_runs() {
    let (readme, shop) = (
        page("README.md"),
        page("guide/src/start/ten-minute-shop.md"),
    );
    let dependencies = block(&readme, "toml", CHECKOUT);
    assert_eq!(
        dependencies,
        block(&shop, "toml", CHECKOUT),
        "both pages name the same"
    );

    let server = DevServer::start(Topology::Standalone)
        .await
        .expect("a server");
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("first-package");
    fs::create_dir_all(folder.join("src/bin")).expect("made");
    let library = root().join("schema-runtime");
    let dependencies = dependencies.replace(CHECKOUT, library.to_str().expect("a path"));
    // With the features of the server's package, what the driver needs is not built again.
    let dev_server = root().join("tests/dev-server");
    let manifest = format!(
        "[package]\nname = \"first-package\"\nversion = \"0.1.0\"\nedition = \"2024\"\n\n{dependencies}\nmongo-model-dev-server = {{ path = {dev_server:?} }}\n\n[workspace]\n"
    );
    fs::write(folder.join("Cargo.toml"), manifest).expect("written");
    // The versions that are there: the test needs no registry.
    fs::copy(root().join("Cargo.lock"), folder.join("Cargo.lock")).expect("copied");
    let programs = [
        (
            "notes",
            block(&readme, "rust,no_run", LOCAL),
            "ann: learn Rust\n".to_owned(),
        ),
        (
            "shop",
            block(&shop, "rust,no_run", LOCAL),
            format!("{}\n", block(&shop, "text", "grommet")),
        ),
    ];
    let (hosts, options) = server.uri().split_once("/?").unwrap_or((server.uri(), ""));
    let client = server.client().await.expect("a client");
    for (name, program, output) in &programs {
        let named = format!("{LOCAL}{name}");
        assert!(program.contains(&named), "{program}");
        let database = server.unique_db(name);
        let here = format!("{}/{database}?{options}", hosts.trim_end_matches('/'));
        let file = folder.join(format!("src/bin/{name}.rs"));
        fs::write(file, program.replace(&named, &here)).expect("written");
        assert_eq!(run(&folder, name), *output, "{name}");
        client.database(&database).drop().await.expect("dropped");
    }
}

/// A program that starts has its indexes and finishes what another one left; when it stops, it has settled.
#[test]
fn a_program_starts_and_stops() {
    mongo_model_guide::run(async |db| {
        let grommet = part("123-aff-456", "#4 grommet");
        Part::insert(db, &grommet).await?;
        let shifter = product("left-handed smoke shifter", 1234, &[&grommet]);
        Product::insert(db, &shifter).await?;
        let name = async || -> mongo_model::Result<String> {
            let product = Product::get(db, shifter.id).await?.expect("stored");
            Ok(product.parts[0].name.clone())
        };
        // A program that died between a rename and the copies.
        let parts = db.collection::<Document>(Part::meta().collection);
        let renamed = doc! {
            "$set": { "name": "#5 grommet" },
            "$inc": { "_dn.r": 1 },
            "$addToSet": { "_dn.p": format!("{}.parts", Product::meta().collection) },
        };
        let id = doc! { "_id": *grommet.id.as_raw() };
        parts.update_one(id, renamed).await?;
        assert_eq!(name().await?, "#4 grommet");
        let running = mongo_model::start(db).await?;
        assert_eq!(running.recovered().sources, 1);
        assert!(running.resumed().done.is_empty());
        assert_eq!(name().await?, "#5 grommet");
        let plan = plan_indexes(db).await?;
        assert!(plan.collections.iter().all(|one| one.create.is_empty()));
        let update = Part::update(db, grommet.id);
        update.set(|p| p.name, "#6 grommet").await?;
        let finishing = running.stop().await;
        assert_eq!((finishing.open, finishing.error), (0, None));
        assert_eq!(name().await?, "#6 grommet");
        Ok(())
    });
}
