//! The write concern of each command: that of the caller for the caller's own write, the journals of a majority for what flags depend on.

use std::thread;

use bson::{Bson, DateTime, Document, doc};
use mongo_model::{Deployment, MongoModel, capabilities, settle};
use mongo_model_dev_server::{DevServer, Topology};
use mongodb::Client;
use mongodb::options::{Acknowledgment, WriteConcern};
use serde::{Deserialize, Serialize};

use crate::common::{Bench, behind};
use crate::models::{Comment, Issue, Note, User, at_rest, comment, issue, shown, user, warm};

/// The commands that write: their names, their collections, and their write concerns.
fn writes(bench: &Bench) -> Vec<(String, Option<Document>)> {
    let sent = bench.take().into_iter();
    let writes = sent.filter(|sent| sent.name != "find");
    writes
        .map(|sent| {
            let to = sent.command.get_str(&sent.name).unwrap_or_default();
            let concern = sent.command.get_document("writeConcern").ok().cloned();
            (
                format!("{} {}", sent.name, to.replace("answer_", "")),
                concern,
            )
        })
        .collect()
}

fn durable() -> Option<Document> {
    Some(doc! { "w": "majority", "j": true })
}

/// The same commands, each with its write concern; `w` is a number of any width.
#[track_caller]
fn assert_writes(found: Vec<(String, Option<Document>)>, expected: &[(&str, Option<Document>)]) {
    let plain = |concern: Option<Document>| {
        let mut concern = concern?;
        if let Some(Bson::Int64(w)) = concern.get("w") {
            let w = i32::try_from(*w).expect("few servers");
            concern.insert("w", w);
        }
        Some(concern)
    };
    let found = found.into_iter();
    let mut found: Vec<_> = found
        .map(|(name, concern)| (name, plain(concern)))
        .collect();
    let expected = expected.iter().cloned();
    let mut expected: Vec<_> = expected.map(|(name, one)| (name.to_owned(), one)).collect();
    let by_name = |(name, one): &(String, Option<Document>)| (name.clone(), one.is_some());
    found.sort_by_key(by_name);
    expected.sort_by_key(by_name);
    assert_eq!(found, expected);
}

pub(crate) async fn is_standalone(bench: &Bench) -> bool {
    let server = capabilities(&bench.db).await.expect("asked");
    server.deployment == Deployment::Standalone
}

#[tokio::test]
async fn each_write_waits_for_what_the_table_says() {
    behind("concern_default", async |bench| {
        let (author, on) = warm(bench).await;
        let db = &bench.db;
        let alone = is_standalone(bench).await;
        bench.forget();

        // Nothing depends on it yet, or only its own marks do.
        User::insert(db, &user("Bob")).await.expect("stored");
        assert_writes(writes(bench), &[("insert users", None)]);
        let note = Note {
            id: mongo_model::Id::new(),
            author: author.id,
            author_name: author.name.clone(),
        };
        Note::insert(db, &note).await.expect("stored");
        assert_writes(writes(bench), &[("insert notes", None)]);
        settle(db).await;
        let removed = [
            ("findAndModify users", durable()),
            ("update notes", durable()),
        ];
        assert_writes(writes(bench), &removed);
        Issue::insert(db, &issue()).await.expect("stored");
        settle(db).await;
        let parent = [("insert issues", None), ("update issues", durable())];
        assert_writes(writes(bench), &parent);

        // Its issue counts it, and must not count one that is lost.
        let new = comment(&on, &author, 1);
        Comment::insert(db, &new).await.expect("stored");
        let followed = if alone { None } else { durable() };
        let awaited = [
            ("insert comments", durable()),
            ("findAndModify issues", followed),
        ];
        assert_writes(writes(bench), &awaited);
        settle(db).await;
        let mut removed = vec![
            ("findAndModify users", durable()),
            ("update comments", durable()),
            ("update issues", durable()),
        ];
        if alone {
            removed.push(("findAndModify issues", durable()));
        }
        assert_writes(writes(bench), &removed);

        Issue::update(db, on.id)
            .set(|i| i.title, "fast")
            .await
            .expect("updated");
        assert_writes(writes(bench), &[("update issues", None)]);
        User::update(db, author.id)
            .set(|u| u.name, "Eve")
            .await
            .expect("renamed");
        settle(db).await;
        let renamed = [
            ("findAndModify users", durable()),
            ("update comments", durable()),
            ("update notes", durable()),
            ("update users", durable()),
        ];
        assert_writes(writes(bench), &renamed);
        Comment::delete(db, new.id).await.expect("deleted");
        settle(db).await;
        let deleted = [
            ("findAndModify comments", durable()),
            ("findAndModify issues", durable()),
            ("delete comments", durable()),
            ("update issues", durable()),
        ];
        assert_writes(writes(bench), &deleted);
        Note::delete(db, note.id).await.expect("deleted");
        assert_writes(writes(bench), &[("delete notes", None)]);
        at_rest(bench).await;
    })
    .await;
}

#[tokio::test]
async fn a_call_has_its_own_write_concern() {
    behind("concern_call", async |bench| {
        let (author, on) = warm(bench).await;
        let db = &bench.db;
        let one = || WriteConcern::nodes(1);
        let own = || Some(doc! { "w": 1 });
        let note = || Note {
            id: mongo_model::Id::new(),
            author: author.id,
            author_name: author.name.clone(),
        };
        Note::insert(db, &note())
            .write_concern(one())
            .await
            .expect("stored");
        assert_writes(writes(bench), &[("insert notes", own())]);
        settle(db).await;
        bench.forget();

        let new = comment(&on, &author, 1);
        Comment::insert(db, &new)
            .write_concern(one())
            .await
            .expect("stored");
        let awaited = [
            ("insert comments", durable()),
            ("findAndModify issues", own()),
        ];
        assert_writes(writes(bench), &awaited);
        settle(db).await;
        let removed = [
            ("findAndModify users", durable()),
            ("findAndModify issues", durable()),
            ("update comments", durable()),
            ("update issues", durable()),
        ];
        assert_writes(writes(bench), &removed);

        // A majority is what the protocol waits for, so that nothing is left to be confirmed.
        let new = comment(&on, &author, 2);
        let majority = WriteConcern::majority();
        Comment::insert(db, &new)
            .write_concern(majority)
            .await
            .expect("stored");
        let awaited = [
            ("insert comments", durable()),
            ("findAndModify issues", durable()),
        ];
        assert_writes(writes(bench), &awaited);
        settle(db).await;
        bench.forget();

        // The later steps of a write must come after it.
        let nothing = WriteConcern::builder().w(Acknowledgment::Nodes(0)).build();
        Note::insert(db, &note())
            .write_concern(nothing)
            .await
            .expect("stored");
        assert_writes(writes(bench), &[("insert notes", durable())]);
        assert_eq!(shown(db, &on).await, (3, vec![0, 1, 2]));
        at_rest(bench).await;
    })
    .await;
}

/// Nothing follows it, and it has a time by the server's clock, so that it is stored by an `update`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "answer_memos", options(write_concern = 1))]
struct Memo {
    #[serde(rename = "_id")]
    id: i32,
    #[created]
    at: DateTime,
}

#[tokio::test]
async fn documents_with_times_of_the_server_have_the_write_concern_of_call_and_model() {
    behind("concern_times", async |bench| {
        let db = &bench.db;
        let two = |n: i32| {
            [n, n + 1].map(|id| Memo {
                id,
                at: DateTime::MIN,
            })
        };
        Memo::insert_many(db, &two(1)).await.expect("stored");
        assert_writes(writes(bench), &[("update memos", Some(doc! { "w": 1 }))]);
        let majority = WriteConcern::majority();
        let many = Memo::insert_many(db, &two(3)).write_concern(majority);
        many.comment("by night").await.expect("stored");
        let sent = bench.only();
        assert_eq!(sent.get_str("comment").ok(), Some("by night"));
        let concern = sent.get_document("writeConcern");
        assert_eq!(concern.ok(), Some(&doc! { "w": "majority" }));
    })
    .await;
}

/// Puts a document back as it was, as a crash of the server would, while no task of this runtime goes on.
fn put_back(uri: String, database: String, collection: &'static str, stored: Document) {
    let done = thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .expect("a runtime");
        runtime.block_on(async {
            let client = Client::with_uri_str(uri).await.expect("a client");
            let collection = client
                .database(&database)
                .collection::<Document>(collection);
            let same = doc! { "_id": stored.get("_id").expect("an id") };
            collection
                .replace_one(same, stored)
                .await
                .expect("replaced");
        });
    });
    done.join().expect("put back");
}

/// The call does not wait until the update of the issue is durable. If the server loses it, the comment is still flagged.
#[tokio::test]
async fn an_update_of_a_parent_that_the_server_loses_is_made_again() {
    behind("concern_lost", async |bench| {
        let (author, on) = warm(bench).await;
        let db = &bench.db;
        let topology = match is_standalone(bench).await {
            true => Topology::Standalone,
            false => Topology::ReplicaSet(1),
        };
        let server = DevServer::shared(topology).await.expect("a server");
        let stored = bench.stored("answer_issues", on.id.into_raw()).await;
        let new = comment(&on, &author, 1);
        let insert = Comment::insert(db, &new).write_concern(WriteConcern::nodes(1));
        insert.await.expect("stored");
        put_back(
            server.uri().to_owned(),
            db.name().to_owned(),
            "answer_issues",
            stored,
        );
        assert_eq!(shown(db, &on).await, (1, vec![0]), "the server has lost it");
        settle(db).await;
        assert_eq!(shown(db, &on).await, (2, vec![0, 1]));
        at_rest(bench).await;
    })
    .await;
}
