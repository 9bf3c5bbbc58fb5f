//! Copies of a source that is older than the program: they have the values that its readers see.

use bson::{Document, doc};
use mongo_model::{MongoModel, backfill, repair, verify};
use serde::{Deserialize, Serialize};

use crate::common::{Bench, on_both};

/// Version 1 had `first` and `last`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(
    collection = "writers",
    schema_version = 2,
    migrate = one_name,
    unversioned = 1
)]
struct Writer {
    #[serde(rename = "_id")]
    id: i32,
    name: String,
}

fn one_name(mut old: Document, _version: i32) -> Result<Document, String> {
    let mut take = |key: &str| match old.remove(key) {
        Some(bson::Bson::String(text)) => Ok(text),
        other => Err(format!("`{key}` is {other:?}")),
    };
    let name = format!("{} {}", take("first")?, take("last")?);
    old.insert("name", name);
    Ok(old)
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "letters")]
struct Letter {
    #[serde(rename = "_id")]
    id: i32,
    #[parent(Writer)]
    writer: i32,
    #[denorm(from = Writer, field = name)]
    writer_name: String,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "volumes")]
struct Volume {
    #[serde(rename = "_id")]
    id: i32,
    #[refs(Writer, max = 5)]
    #[denorm(from = Writer, field = name)]
    writers: Vec<VolumeWriter>,
}

fn letter(id: i32, writer: i32, writer_name: &str) -> Letter {
    let writer_name = writer_name.to_owned();
    Letter {
        id,
        writer,
        writer_name,
    }
}

async fn start(bench: &Bench) {
    bench
        .index(&[Writer::meta(), Letter::meta(), Volume::meta()])
        .await;
    let old = |id: i32| doc! { "_id": id, "first": "Ann", "last": "Lee" };
    bench.seed("writers", [old(1), old(2)]).await;
}

/// Every letter and volume names its writers as their readers see them.
async fn assert_named(bench: &Bench, letters: usize) {
    let all = Letter::scan(&bench.db, |l| l.all())
        .await
        .expect("readable");
    assert_eq!(all.len(), letters);
    assert!(
        all.iter().all(|letter| letter.writer_name == "Ann Lee"),
        "{all:?}"
    );
    let volumes = Volume::scan(&bench.db, |v| v.all())
        .await
        .expect("readable");
    let mut names = volumes.iter().flat_map(|volume| &volume.writers);
    assert!(names.all(|writer| writer.name == "Ann Lee"), "{volumes:?}");
    let found = verify(&bench.db)
        .only::<Letter>()
        .only::<Volume>()
        .await
        .expect("looked");
    assert!(found.is_clean(), "{found}");
}

#[tokio::test]
async fn a_document_beside_an_older_source_has_its_copy() {
    on_both("older_source", async |bench| {
        let db = &bench.db;
        start(bench).await;
        let done = Letter::insert(db, &letter(1, 1, "Ann Lee"))
            .await
            .expect("stored");
        assert_eq!(done.pending, []);
        let done = Letter::insert(db, &letter(2, 1, "garbage"))
            .await
            .expect("stored");
        assert_eq!(done.pending, []);
        let many = [letter(3, 1, ""), letter(4, 2, "garbage")];
        let done = Letter::insert_many(db, &many).await.expect("stored");
        assert_eq!(done.pending, []);
        let writer = |id| VolumeWriter {
            id,
            name: String::new(),
        };
        let volume = Volume {
            id: 1,
            writers: vec![writer(1)],
        };
        let done = Volume::insert(db, &volume).await.expect("stored");
        assert_eq!(done.pending, []);
        let done = Volume::update(db, 1)
            .push(|v| v.writers, writer(2))
            .await
            .expect("added");
        assert_eq!(done.pending, []);
        assert_named(bench, 4).await;
        let older = bench.stored("writers", 1).await;
        assert_eq!(
            older.get_str("first").ok(),
            Some("Ann"),
            "a source is migrated by its own writes"
        );

        // A reference to another older one, and a document saved as a whole.
        let done = Letter::update(db, 1)
            .set(|l| l.writer, 2)
            .await
            .expect("moved");
        assert_eq!(done.pending, []);
        letter(2, 2, "garbage").save(db).await.expect("saved");
        letter(5, 2, "garbage").save(db).await.expect("saved");
        assert_named(bench, 5).await;

        // The source becomes one of the present version: its copies are right already, and follow.
        Writer::migrate(db).await.expect("migrated");
        assert_named(bench, 5).await;
        Writer::update(db, 2)
            .set(|w| w.name, "Bob")
            .await
            .expect("renamed");
        let moved = Letter::get(db, 1).await.expect("read").expect("there");
        assert_eq!(moved.writer_name, "Bob");
    })
    .await;
}

#[tokio::test]
async fn wrong_copies_of_an_older_source_are_put_right() {
    on_both("older_source_repair", async |bench| {
        let db = &bench.db;
        start(bench).await;
        Letter::insert(db, &letter(1, 1, "Ann Lee"))
            .await
            .expect("stored");
        let wrong = doc! { "$set": { "writer_name": "wrong" } };
        let raw = bench.raw("letters");
        raw.update_one(doc! { "_id": 1 }, wrong)
            .await
            .expect("changed");
        raw.insert_one(doc! { "_id": 2, "writer": 2 })
            .await
            .expect("stored");
        let found = verify(db).only::<Letter>().await.expect("looked");
        let edge = found.reference("letters.writer").expect("looked at");
        assert_eq!(edge.defects(), 2, "{found}");
        assert_eq!(edge.findings[0].want, Some("Ann Lee".into()));
        backfill(db).only::<Letter>().await.expect("filled");
        repair(db).only::<Letter>().await.expect("repaired");
        assert_named(bench, 2).await;
    })
    .await;
}

#[tokio::test]
async fn a_source_that_cannot_be_migrated_leaves_the_copies_alone() {
    on_both("older_source_broken", async |bench| {
        let db = &bench.db;
        start(bench).await;
        bench
            .seed("writers", [doc! { "_id": 9, "first": "Ann" }])
            .await;
        let done = Letter::insert(db, &letter(1, 9, "Ann Lee"))
            .await
            .expect("stored");
        let [pending] = done.pending.as_slice() else {
            panic!("{done:?}");
        };
        let reason = pending.reason().expect("a reason");
        assert!(reason.contains("`last` is None"), "{reason}");
        let stored = bench.stored("letters", 1).await;
        assert_eq!(
            stored.get_str("writer_name").ok(),
            Some("Ann Lee"),
            "it stays, and is marked"
        );
        let many = [letter(2, 9, "x"), letter(3, 9, "y")];
        let refused = Letter::insert_many(db, &many).await;
        assert!(
            matches!(refused, Err(mongo_model::Error::Migration { .. })),
            "{refused:?}"
        );
        assert_eq!(bench.len("letters").await, 1);
    })
    .await;
}
