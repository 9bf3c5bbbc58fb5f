//! Runs that cover a part of the database: what they do not write stays, and what they write fits it.

use std::fs;
use std::path::Path;

use bson::oid::ObjectId;
use bson::{Document, doc};
use mongo_model_dev_server::{DevServer, Environment, Topology};

use super::strange::{host_of, root_of};
use super::{folder, pull};
use crate::support::{Place, cargo_mongo_model, run};

/// Twenty parents, and twenty children that refer to them.
fn family() -> [(&'static str, Vec<Document>); 2] {
    let ids: Vec<ObjectId> = (0..20).map(|_| ObjectId::new()).collect();
    let shown = |n: i32| doc! { "street": format!("street {n}"), "town": format!("town {n}") };
    let children = (0..20_i32).map(|n| doc! { "b": ids[n as usize], "home": shown(n) });
    let children = children.collect();
    let parents = (0..20_i32).map(|n| doc! { "_id": ids[n as usize], "x": n, "seat": shown(n) });
    [("a", children), ("b", parents.collect())]
}

async fn fill(place: &Place) {
    for (name, documents) in family() {
        let stored = place.db.collection::<Document>(name);
        stored.insert_many(documents).await.expect("stored");
    }
}

fn read(folder: &Path, file: &str) -> String {
    fs::read_to_string(folder.join(file)).unwrap_or_else(|error| panic!("{file}: {error}"))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn files_that_were_not_asked_for_stay() {
    let place = Place::new("subset").await;
    fill(&place).await;
    let out = folder("subset");
    let path = out.to_str().expect("a path");
    pull(&place, path, &[]).code(0);
    let files = ["mod.rs", "a.rs", "b.rs", "shared.rs"];
    let before = files.map(|file| read(&out, file));
    assert!(before[1].contains("#[parent(B)]"), "{}", before[1]);
    for name in ["a", "b"] {
        let ran = pull(&place, path, &["--collection", name]).code(0);
        assert!(!ran.out.contains("is left"), "{}", ran.out);
        assert_eq!(files.map(|file| read(&out, file)), before, "{name}");
    }
    // One file has all models, whichever are asked for.
    let single = out.join("models.rs");
    let path = single.to_str().expect("a path");
    pull(&place, path, &[]).code(0);
    let whole = read(&out, "models.rs");
    pull(&place, path, &["--collection", "a"]).code(0);
    assert_eq!(read(&out, "models.rs"), whole);
}

/// An application may have a collection named `locks`; the one of the library is no model of it.
#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn collections_of_the_library_are_no_models() {
    let place = Place::new("library").await;
    for (name, id) in [("locks", "door"), ("_dn.locks", "nightly")] {
        let stored = place.db.collection::<Document>(name);
        let document = doc! { "_id": id, "token": 1_i64 };
        stored.insert_one(document).await.expect("stored");
    }
    let out = folder("library");
    let path = out.to_str().expect("a path");
    pull(&place, path, &[]).code(0);
    let modules = read(&out, "mod.rs");
    assert!(modules.contains("mod locks;"), "{modules}");
    assert!(!modules.contains("dn"), "{modules}");
    let report = place.demo(&["check", "--json"]).json();
    let collections = report["collections"].as_array().expect("collections");
    let names = collections.iter().map(|group| &group["collection"]);
    let names: Vec<&str> = names.filter_map(|name| name.as_str()).collect();
    assert!(names.contains(&"locks"), "{names:?}");
    assert!(!names.contains(&"_dn.locks"), "{names:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn a_model_that_is_not_there_is_not_referred_to() {
    let place = Place::new("subset_new").await;
    fill(&place).await;
    let out = folder("subset-new");
    let path = out.to_str().expect("a path");
    let ran = pull(&place, path, &["--collection", "a"]).code(0);
    assert!(
        ran.out.contains(
            "are found in `b._id`, but its model was not asked for: add `--collection b`"
        ),
        "{}",
        ran.out
    );
    assert!(read(&out, "a.rs").contains("pub b: ObjectId"));
    assert!(!read(&out, "mod.rs").contains("pub mod b;"));
    let ran = pull(&place, path, &["--collection", "a", "--collection", "b"]).code(0);
    assert!(ran.out.contains("updated "), "{}", ran.out);
    assert!(read(&out, "a.rs").contains("#[parent(B)]"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn an_empty_collection_keeps_its_file() {
    let place = Place::new("subset_empty").await;
    fill(&place).await;
    let out = folder("subset-empty");
    let path = out.to_str().expect("a path");
    pull(&place, path, &[]).code(0);
    let before = ["mod.rs", "a.rs", "b.rs"].map(|file| read(&out, file));
    let stored = place.db.collection::<Document>("b");
    stored.delete_many(doc! {}).await.expect("deleted");
    let ran = pull(&place, path, &[]).code(0);
    assert!(ran.out.contains("b.rs stays as it was"), "{}", ran.out);
    assert_eq!(
        ["mod.rs", "a.rs", "b.rs"].map(|file| read(&out, file)),
        before
    );
    // What is gone is gone.
    stored.drop().await.expect("dropped");
    let ran = pull(&place, path, &[]).code(0);
    assert!(
        ran.out
            .contains("b.rs is left: no collection leads to it any more"),
        "{}",
        ran.out
    );
    assert!(!read(&out, "mod.rs").contains("pub mod b;"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn a_user_who_sees_less_takes_nothing_away() {
    let environment = Environment {
        mongodb_uri: None,
        arguments: vec!["--auth".to_owned()],
        ..Environment::from_process()
    };
    let server = DevServer::start_in(environment, Topology::Standalone)
        .await
        .expect("a server");
    let client = root_of(&server).await;
    let db = client.database("family");
    for (name, documents) in family() {
        let stored = db.collection::<Document>(name);
        stored.insert_many(documents).await.expect("stored");
    }
    let only = doc! { "resource": { "db": "family", "collection": "a" }, "actions": ["find", "listIndexes", "collStats"] };
    for command in [
        doc! { "createRole": "only_a", "privileges": [only], "roles": [] },
        doc! { "createUser": "ann", "pwd": "s3cret", "roles": ["only_a"] },
        doc! { "createUser": "eve", "pwd": "s3cret", "roles": ["read"] },
    ] {
        db.run_command(command).await.expect("made");
    }
    let out = folder("subset-rights");
    let path = out.to_str().expect("a path");
    let pull_as = |user: &str| {
        let uri = format!(
            "mongodb://{user}:s3cret@{}/family?authSource=family",
            host_of(&server)
        );
        run(cargo_mongo_model(), &["pull", "--out", path, "--uri", &uri])
    };
    pull_as("eve").code(0);
    let files = ["mod.rs", "a.rs", "b.rs", "shared.rs"];
    let before = files.map(|file| read(&out, file));
    let ran = pull_as("ann").code(0);
    for file in ["a.rs", "b.rs"] {
        assert!(
            ran.out.contains(&format!("{file} stays as it was")),
            "{}",
            ran.out
        );
    }
    assert_eq!(files.map(|file| read(&out, file)), before);
}
