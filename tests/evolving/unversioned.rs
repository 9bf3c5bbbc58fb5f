//! Documents without a `schema_version`: older than the versions, or stored by a program that writes none.

use bson::{Document, doc};
use mongo_model::{Error, MongoModel};
use serde::{Deserialize, Serialize};

use crate::common::alone;

/// Version 1 called its `name` a `title`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "strict", schema_version = 2, migrate = titled)]
struct Strict {
    #[serde(rename = "_id")]
    id: i32,
    name: String,
}

fn titled(mut old: Document, _version: i32) -> Document {
    // A migration that is sure of its input: of a document of version 2 it would leave an empty name.
    let title = old.remove("title").unwrap_or_else(|| "".into());
    old.insert("name", title);
    old
}

/// Every document of version 1 is migrated: one without a version was stored by a program that knows this one.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(
    collection = "present",
    schema_version = 2,
    migrate = titled,
    unversioned = 2
)]
struct Present {
    #[serde(rename = "_id")]
    id: i32,
    name: String,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "firsts", schema_version = 1)]
struct First {
    #[serde(rename = "_id")]
    id: i32,
    name: String,
}

#[track_caller]
fn assert_unversioned<T: std::fmt::Debug>(result: Result<T, Error>) {
    let Err(Error::Unversioned {
        model: "Strict",
        id,
        known: 2,
    }) = &result
    else {
        panic!("{result:?}");
    };
    assert_eq!(id, "1");
}

#[tokio::test]
async fn a_document_of_the_driver_is_not_migrated() {
    alone("unversioned_driver", async |bench| {
        let db = &bench.db;
        let ann = Strict {
            id: 1,
            name: "Ann".to_owned(),
        };
        let typed = db.collection::<Strict>("strict");
        typed.insert_one(&ann).await.expect("stored");
        let before = bench.stored("strict", 1).await;
        assert_unversioned(Strict::get(db, 1).await);
        assert_unversioned(Strict::scan(db, |s| s.all()).await);
        assert_unversioned(Strict::update(db, 1).set(|s| s.name, "Bob").await);
        assert_unversioned(
            Strict::update_many(db, |s| s.id.eq(1))
                .set(|s| s.name, "Bob")
                .await,
        );
        let done = Strict::migrate(db).await.expect("looked");
        assert_eq!((done.found, done.migrated, done.refused.len()), (1, 0, 1));
        assert!(
            done.refused[0].reason.contains("unversioned = 1"),
            "{done:?}"
        );
        assert_eq!(bench.stored("strict", 1).await, before, "its data is there");
        // One that is stored as a whole has the version of this program.
        ann.save(db).await.expect("saved");
        assert_eq!(Strict::get(db, 1).await.expect("read"), Some(ann));
    })
    .await;
}

#[tokio::test]
async fn documents_without_a_version_may_be_present_ones() {
    alone("unversioned_present", async |bench| {
        let db = &bench.db;
        let old = doc! { "_id": 2, "title": "Bob", "schema_version": 1 };
        bench
            .seed("present", [doc! { "_id": 1, "name": "Ann" }, old])
            .await;
        let ann = Present::get(db, 1).await.expect("read").expect("there");
        assert_eq!(ann.name, "Ann");
        let bob = Present::get(db, 2).await.expect("read").expect("there");
        assert_eq!(bob.name, "Bob");
        Present::update(db, 1)
            .set(|p| p.name, "Ann Lee")
            .await
            .expect("changed");
        let done = Present::migrate(db).await.expect("migrated");
        assert_eq!((done.found, done.migrated), (1, 1));
        let stored = bench.stored("present", 1).await;
        assert_eq!(stored, doc! { "_id": 1, "name": "Ann Lee" });
    })
    .await;
}

#[tokio::test]
async fn of_the_first_version_there_are_no_older_ones() {
    alone("unversioned_first", async |bench| {
        let db = &bench.db;
        bench
            .seed("firsts", [doc! { "_id": 1, "name": "Ann" }])
            .await;
        let ann = First::get(db, 1).await.expect("read").expect("there");
        assert_eq!(ann.name, "Ann");
    })
    .await;
}
