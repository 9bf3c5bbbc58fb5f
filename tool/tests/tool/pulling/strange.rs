//! Databases that no model fits well: each case is one sentence, and what is written compiles.

use bson::spec::BinarySubtype;
use bson::{Binary, Bson, Document, Regex, Timestamp, doc};
use mongo_model_dev_server::{DevServer, Environment, Topology};
use mongodb::Database;

use super::{folder, pull};
use crate::support::{Place, cargo_mongo_model, run};

type Collection = (&'static str, Vec<Document>);

/// Collections with strange names, fields and values.
pub(super) async fn fill(db: &Database) {
    let all = [odd_values(), odd_names(), odd_arrays()];
    for (name, documents) in all.into_iter().flatten() {
        db.collection(name)
            .insert_many(documents)
            .await
            .expect("stored");
    }
    create_odd_kinds(db).await;
}

fn odd_values() -> Vec<Collection> {
    let wide: Vec<Document> = (0..2_000)
        .map(|n: i32| {
            let mut document = doc! { "label": "x" };
            (0..5).for_each(|at| _ = document.insert(format!("field{}", n * 5 + at), at));
            document
        })
        .collect();
    let mut nested = doc! { "end": 1 };
    for _ in 0..70 {
        nested = doc! { "down": nested };
    }
    let mut deep = doc! { "end": 1 };
    for level in 0..60 {
        deep = doc! { format!("level{level}"): deep };
    }
    let kinds: Vec<Document> = [
        Bson::MinKey,
        Bson::MaxKey,
        Bson::RegularExpression(Regex {
            pattern: "a".try_into().expect("no NUL"),
            options: "i".try_into().expect("no NUL"),
        }),
        Bson::Timestamp(Timestamp {
            time: 1,
            increment: 2,
        }),
        Bson::Symbol("s".to_owned()),
        Bson::JavaScriptCode("f()".to_owned()),
        Bson::Null,
        Bson::Undefined,
        Bson::Binary(Binary {
            subtype: BinarySubtype::Generic,
            bytes: vec![1, 2],
        }),
        Bson::Decimal128("1.5".parse().expect("a number")),
        Bson::Array(vec![Bson::Null, 1.into(), "a".into()]),
    ]
    .into_iter()
    .map(|value| doc! { "value": value })
    .collect();
    vec![
        ("wide", wide),
        ("nested", vec![doc! { "a": nested }, doc! { "a": deep }]),
        ("kinds", kinds),
    ]
}

fn odd_names() -> Vec<Collection> {
    vec![
        (
            "keywords",
            vec![
                doc! { "type": 1, "self": 2, "Self": 3, "fn": 4, "async": 5, "match": 6, "_": 7, "crate": 8, "gen": 9 },
            ],
        ),
        (
            "collide",
            vec![
                doc! { "fullName": 1, "full_name": "a", "full-name": true, "FullName": 2.5, "1st": 1, "日本": 1, "an id": 1, "id": 5 },
            ],
        ),
        (
            "impossible",
            vec![doc! { "": 1, "$set": 2, "a.b": 3, "ok": 4 }],
        ),
        ("type", vec![doc! { "x": 1 }]),
        ("typeFields", vec![doc! { "x": 1 }]),
        (
            "Some-Thing odd",
            vec![doc! { "x": "*/ \n// REVIEW \"quoted\" \\ \u{1b}[31m" }; 2],
        ),
        (
            "member",
            vec![doc! { "String": 1, "Option": { "a": 1, "b": [] } }],
        ),
        (
            "members",
            vec![
                doc! { "_id": 1, "n": 1 },
                doc! { "_id": "one", "n": 1 },
                doc! { "_id": { "a": 1 }, "n": 1 },
            ],
        ),
        (
            "old",
            vec![
                doc! { "ref": { "$ref": "members", "$id": 1, "$db": "odd" }, "all": [{ "$ref": "members", "$id": "one" }] },
            ],
        ),
        ("models", vec![doc! { "uuid": 1, "string": { "a": 1 } }]),
        ("uuids", vec![doc! { "__v": 0, "uuids": [{ "a": 1 }] }]),
        ("fs.files", vec![doc! { "length": 5, "chunkSize": 255 }]),
        ("fs.chunks", vec![doc! { "files_id": 1, "n": 0 }]),
        (
            "embedded_ids",
            vec![doc! { "_id": { "country": "de", "number": 1 }, "n": 1 }],
        ),
    ]
}

fn odd_arrays() -> Vec<Collection> {
    let big = doc! { "text": "x".repeat(15 * 1024 * 1024), "n": 1 };
    vec![
        (
            "arrays",
            vec![
                doc! { "matrix": [[1, 2], [3]], "grid": [[1.5, 2.5], [3.5, 4.5]], "mixed": [1, "a", {}], "empty": [], "docs": [{ "a": 1 }, Bson::Null] },
            ],
        ),
        (
            "huge_array",
            vec![
                doc! { "n": (0..12_000).collect::<Vec<i32>>(), "d": (0..10_500).map(|n| doc! { "n": n }).collect::<Vec<_>>() },
            ],
        ),
        (
            "nested_arrays",
            vec![
                doc! { "rows": (0..150).map(|n: i32| doc! { "n": n, "cells": (0..150).collect::<Vec<i32>>() }).collect::<Vec<_>>() },
            ],
        ),
        (
            "nulls",
            vec![
                doc! { "always": Bson::Null, "some": Bson::Null, "list": Bson::Null },
                doc! { "always": Bson::Null, "some": 1, "list": [1] },
            ],
        ),
        ("big", vec![big.clone(), big]),
        (
            "shapes",
            (0..40)
                .map(|n: i32| match n % 3 {
                    0 => doc! { "shape": "a circle", "radius": n, "label": "x" },
                    1 => doc! { "shape": "SQUARE", "side": f64::from(n), "label": Bson::Null },
                    _ => doc! { "shape": "", "a": n, "b": n, "c": { "d": n } },
                })
                .collect(),
        ),
    ]
}

/// A view, a capped collection, a time series, an empty collection, one with a validator.
async fn create_odd_kinds(db: &Database) {
    db.run_command(doc! { "create": "a_view", "viewOn": "members", "pipeline": [] })
        .await
        .expect("made");
    db.run_command(doc! { "create": "capped", "capped": true, "size": 4096 })
        .await
        .expect("made");
    db.collection("capped")
        .insert_one(doc! { "n": 1 })
        .await
        .expect("stored");
    db.run_command(doc! { "create": "series", "timeseries": { "timeField": "at" } })
        .await
        .expect("made");
    db.collection("series")
        .insert_one(doc! { "at": bson::DateTime::now(), "value": 1.5 })
        .await
        .expect("stored");
    db.run_command(doc! { "create": "empty" })
        .await
        .expect("made");
    db.run_command(doc! { "create": "checked", "validator": { "n": { "$gt": 0 } } })
        .await
        .expect("made");
    db.collection("checked")
        .insert_one(doc! { "n": 1 })
        .await
        .expect("stored");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn strange_collections_are_described_in_a_sentence() {
    let place = Place::new("strange").await;
    fill(&place.db).await;
    // Inside a `Bson` this cannot be read.
    let json = [doc! { "value": { "$oid": "no id" } }, doc! { "value": 1 }];
    place
        .db
        .collection("extended")
        .insert_many(json)
        .await
        .expect("stored");
    let out = folder("strange");
    let ran = pull(&place, out.to_str().expect("a path"), &[]).code(1);
    for sentence in [
        "is a view: its source has the model",
        "has no documents: no model is written",
        "over 300 different field names in 2,000 documents",
        "no model can name them, and `rest` keeps them",
        "documents nest in documents of the same kind",
        "`_id` has several types",
        "holds arrays in arrays",
        "cannot read those that look like extended JSON",
        "up to 12,000 elements in one document",
        "the bounds of nested arrays allow",
        "null instead of an empty array",
        "is a DBRef: store its `$id` alone, then declare `#[parent(Member2)]`",
        "it is a part of the GridFS bucket `fs`, which the driver reads and writes: no model is written",
    ] {
        assert!(ran.out.contains(sentence), "{sentence}: {}", ran.out);
    }
    // Nothing from the database reaches the terminal or leaves a comment.
    assert!(!ran.out.contains('\u{1b}'), "{}", ran.out);
    let read = |file: &str| {
        std::fs::read_to_string(out.join(file)).unwrap_or_else(|error| panic!("{file}: {error}"))
    };
    assert!(read("capped.rs").contains("The collection is capped"));
    assert!(read("series.rs").contains("The collection is a time series"));
    assert!(read("checked.rs").contains("has a validator"));
    for field in [
        "pub r#type: i32",
        "pub self_: i32",
        "pub r#fn: i32",
        "#[serde(rename = \"Self\")]",
    ] {
        assert!(
            read("keywords.rs").contains(field),
            "{field}: {}",
            read("keywords.rs")
        );
    }
    assert!(read("mod.rs").contains("pub mod r#type;"));
    assert!(!out.join("a_view.rs").exists() && !out.join("empty.rs").exists());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn nothing_to_read_is_a_failure() {
    let place = Place::new("nothing").await;
    let out = folder("nothing");
    let path = out.join("models");
    let path = path.to_str().expect("a path");
    let ran = pull(&place, path, &[]).code(2);
    assert!(ran.err.contains("has no collections"), "{}", ran.err);
    place.db.create_collection("empty").await.expect("made");
    let ran = pull(&place, path, &[]).code(2);
    assert!(
        ran.err
            .contains("no collection has documents that could be read"),
        "{}",
        ran.err
    );
    let ran = pull(&place, path, &["--collection", "emty"]).code(2);
    assert!(
        ran.err.contains("no collection is called `emty`")
            && ran.err.contains("the database has empty"),
        "{}",
        ran.err
    );
    let ran = pull(&place, path, &["--model", "Empty"]).code(2);
    assert!(ran.err.contains("`--collection NAME`"), "{}", ran.err);
    assert!(!out.join("models").exists());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn a_collection_that_may_not_be_read_is_left_out() {
    let environment = Environment {
        mongodb_uri: None,
        arguments: vec!["--auth".to_owned()],
        ..Environment::from_process()
    };
    let server = DevServer::start_in(environment, Topology::Standalone)
        .await
        .expect("a server");
    let host = host_of(&server);
    let shop = root_of(&server).await.database("shop");
    for name in ["books", "secrets"] {
        shop.collection(name)
            .insert_one(doc! { "n": 1 })
            .await
            .expect("stored");
    }
    create_restricted_user(&shop).await;
    let out = folder("refused");
    let uri = format!("mongodb://ann:ann-s3cret@{host}/shop?authSource=shop");
    let args = [
        "pull",
        "--out",
        out.to_str().expect("a path"),
        "--uri",
        &uri,
        "--show-commands",
    ];
    let ran = run(cargo_mongo_model(), &args).code(0);
    assert!(
        ran.out
            .contains("the user may not read it: no model is written"),
        "{}",
        ran.out
    );
    assert!(out.join("books.rs").exists() && !out.join("secrets.rs").exists());
    assert!(
        !ran.out.contains("s3cret") && !ran.err.contains("s3cret"),
        "{}",
        ran.err
    );
    // It reads, and nothing else.
    let sent = ran
        .err
        .lines()
        .filter_map(|line| line.strip_prefix("sent: ")?.split(' ').next());
    let reads = [
        "hello",
        "buildInfo",
        "listCollections",
        "listIndexes",
        "count",
        "find",
        "aggregate",
        "getMore",
        "saslStart",
        "saslContinue",
        "endSessions",
        "killCursors",
    ];
    sent.for_each(|name| assert!(reads.contains(&name), "{name}"));
}

pub(super) fn host_of(server: &DevServer) -> &str {
    let host = server.uri().trim_start_matches("mongodb://");
    host.split(['/', '?']).next().unwrap_or_default()
}

/// A client with all rights.
pub(super) async fn root_of(server: &DevServer) -> mongodb::Client {
    // The first user may be made by a program on the same machine.
    let client = server.client().await.expect("a client");
    let root = doc! { "createUser": "root", "pwd": "root-s3cret", "roles": ["root"] };
    client
        .database("admin")
        .run_command(root)
        .await
        .expect("made");
    let uri = format!(
        "mongodb://root:root-s3cret@{}/?authSource=admin",
        host_of(server)
    );
    mongodb::Client::with_uri_str(uri).await.expect("a client")
}

/// A user who sees the names of all collections, and reads one.
async fn create_restricted_user(shop: &Database) {
    let resource = |collection: &str, actions: &[&str]| doc! { "resource": { "db": "shop", "collection": collection }, "actions": actions };
    let privileges = [
        resource("books", &["find", "listIndexes"]),
        resource("", &["listCollections"]),
    ];
    shop.run_command(doc! { "createRole": "partly", "privileges": privileges, "roles": [] })
        .await
        .expect("made");
    shop.run_command(doc! { "createUser": "ann", "pwd": "ann-s3cret", "roles": ["partly"] })
        .await
        .expect("made");
}
