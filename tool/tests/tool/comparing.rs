//! `diff`: each kind of difference between two databases is seen, and nothing else is.

use bson::{Document, doc};
use mongodb::Database;
use serde_json::{Value, json};

use crate::support::{Place, Ran, cargo_mongo_model, golden, run};

/// Compares the databases of two places on one server.
fn diff(a: &Place, b: &Place, args: &[&str]) -> Ran {
    let (a_name, b_name) = (a.db.name(), b.db.name());
    let databases = ["diff", "--uri", a.uri(), "--db", a_name, "--db", b_name];
    run(cargo_mongo_model(), &[&databases[..], args].concat())
}

async fn send(db: &Database, commands: impl IntoIterator<Item = Document>) {
    for command in commands {
        db.run_command(command).await.expect("the server does it");
    }
}

/// Gives a database documents, indexes and a validator that both have, and documents of its own.
async fn fill(db: &Database, own: impl IntoIterator<Item = Document>) {
    send(
        db,
        [
            doc! { "create": "parts", "validator": { "$jsonSchema": { "required": ["name"] } } },
            doc! { "insert": "parts", "documents": [
                { "_id": 1, "name": "secret-bolt", "tags": ["secret-tag"], "by": { "11": 1, "22": 2, "33": 3 } },
                { "_id": 2, "name": "secret-nut", "tags": [], "by": {} },
            ] },
            doc! { "createIndexes": "parts", "indexes": [{ "key": { "name": 1 }, "name": "name_1" }] },
            doc! { "create": "cheap", "viewOn": "parts", "pipeline": [{ "$match": { "price": { "$lt": 1 } } }] },
            doc! { "insert": "_dn.locks", "documents": [{ "of": db.name() }] },
        ],
    )
    .await;
    send(db, own).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn a_database_equals_itself_and_a_copy() {
    let (a, b) = (Place::new("diff_one").await, Place::new("diff_same").await);
    for place in [&a, &b] {
        fill(&place.db, []).await;
    }
    // The numbers of documents are no difference.
    send(&b.db, [doc! { "insert": "parts", "documents": [{ "_id": 3, "name": "pin", "tags": ["x"], "by": { "44": 4, "55": 5, "66": 6 } }] }]).await;
    for other in [&a, &b] {
        let ran = diff(&a, other, &["--show-commands"]).code(0);
        assert!(
            ran.out.contains("no difference in 2 collections"),
            "{}",
            ran.out
        );
        crate::reading::assert_only_reads("diff", &ran.err);
    }
    let json = diff(&a, &b, &["--json"]).code(0).json();
    assert_eq!(json["ok"], true);
    assert_eq!(json["databases"]["b"]["database"], b.db.name());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn each_kind_of_difference_is_seen() {
    let (a, b) = (Place::new("diff_a").await, Place::new("diff_b").await);
    let log = |size: i32| doc! { "create": "log", "capped": true, "size": size };
    fill(
        &a.db,
        [
            log(4096),
            doc! { "create": "old" },
            doc! { "create": "kind" },
            doc! { "create": "empty" },
            doc! { "createIndexes": "parts", "indexes": [
                { "key": { "tags": 1 }, "name": "tags_1", "sparse": true },
                { "key": { "price": 1, "name": -1 }, "name": "price_1_name_-1" },
            ] },
            doc! { "insert": "parts", "documents": [{ "_id": 3, "name": "secret-pin", "tags": [], "by": {}, "weight": 1 }] },
        ],
    )
    .await;
    fill(
        &b.db,
        [
            log(8192),
            doc! { "create": "kind", "viewOn": "parts", "pipeline": [] },
            doc! { "create": "empty" },
            doc! { "insert": "empty", "documents": [{ "n": 1 }] },
            doc! { "create": "sorted", "collation": { "locale": "fr" } },
            doc! { "create": "hours", "timeseries": { "timeField": "at" } },
            doc! { "collMod": "parts", "validator": { "$jsonSchema": { "required": ["name", "tags"] } }, "validationLevel": "moderate", "validationAction": "warn" },
            doc! { "collMod": "cheap", "viewOn": "parts", "pipeline": [{ "$match": { "price": { "$lt": 2 } } }] },
            doc! { "createIndexes": "parts", "indexes": [
                { "key": { "tags": 1 }, "name": "by_tag", "unique": false },
                { "key": { "name": "text" }, "name": "words" },
            ] },
            doc! { "insert": "parts", "documents": [
                { "_id": 3, "name": 7, "tags": [1], "by": { "77": 1, "88": 2, "99": "x" } },
                { "_id": 4, "name": bson::Bson::Null, "tags": [], "by": {}, "at": { "x": 1 } },
                { "_id": 5, "name": "secret-cog", "by": {}, "at": { "x": 1 } },
            ] },
        ],
    )
    .await;
    let ran = diff(&a, &b, &[]).code(1);
    assert!(!ran.out.contains("secret"), "{}", ran.out);
    let text = a.masked(&ran.out).replace(b.db.name(), "OTHER");
    golden("diff.txt", &text);
    let ran = diff(&a, &b, &["--json", "--collection", "parts"]).code(1);
    assert!(!ran.out.contains("secret"), "{}", ran.out);
    let json = ran.json();
    assert_eq!(json["collections"].as_array().map(Vec::len), Some(1));
    let parts = &json["collections"][0];
    assert_eq!(parts["documents"], json!({ "a": 3, "b": 5 }));
    let differences = parts["differences"].as_array().expect("a list");
    let find = |about: &str| differences.iter().find(|one| one["about"] == about);
    let text = |types: &[&str]| json!({ "types": types, "optional": false });
    let name = find("name").expect("a difference");
    assert_eq!(name["a"], text(&["string"]));
    assert_eq!(name["b"], text(&["int", "string", "null"]));
    let weight = find("weight").expect("a difference");
    assert_eq!(weight["kind"], "field");
    assert_eq!(weight["b"], Value::Null);
    // Each side the other way round.
    let turned = diff(&b, &a, &["--json", "--collection", "parts"]).code(1);
    let turned = turned.json();
    let turned = &turned["collections"][0]["differences"];
    assert_eq!(
        turned.as_array().map(Vec::len),
        Some(differences.len()),
        "{turned}"
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn a_comparison_without_two_databases_is_refused() {
    let (a, empty) = (
        Place::new("diff_there").await,
        Place::new("diff_gone").await,
    );
    fill(&a.db, []).await;
    let refused = |args: &[&str], sentence: &str| {
        let ran = run(cargo_mongo_model(), args).code(2);
        assert!(ran.err.starts_with(sentence), "{args:?}: {}", ran.err);
    };
    let (uri, name, gone) = (a.uri(), a.db.name(), empty.db.name());
    let two = "error: `diff` compares two databases";
    refused(&["diff", "--uri", uri, "--db", name], two);
    refused(&["diff", "--uri", uri, "--uri", uri, "--uri", uri], two);
    let missing = format!("error: database B: the database `{gone}` on ");
    refused(
        &["diff", "--uri", uri, "--db", name, "--db", gone],
        &missing,
    );
    let bare = format!(
        "{}/",
        uri.split(['/', '?']).take(3).collect::<Vec<_>>().join("/")
    );
    refused(
        &["diff", "--uri", &format!("{bare}{name}"), "--uri", &bare],
        "error: database B: no database is named",
    );
    let unknown = "error: neither database has a collection `no`";
    refused(
        &[
            "diff",
            "--uri",
            uri,
            "--db",
            name,
            "--db",
            name,
            "--collection",
            "no",
        ],
        unknown,
    );
    let one = "error: `pull` takes one `--uri` and one `--db`";
    refused(&["pull", "--uri", uri, "--db", name, "--db", name], one);
}

#[test]
fn a_server_that_does_not_answer_is_named_without_its_password() {
    let uris = [
        "mongodb://ann:s3cret-one@localhost:1/shop",
        "mongodb://bob:s3cret-two@localhost:2/shop",
    ];
    let args = ["diff", "--uri", uris[0], "--uri", uris[1], "--timeout", "1"];
    let ran = run(cargo_mongo_model(), &args).code(2);
    let sentence = "error: database A: no server answers at localhost:1 within 1 second";
    assert!(ran.err.starts_with(sentence), "{}", ran.err);
    assert!(!ran.err.contains("s3cret"), "{}", ran.err);
}
