//! How documents travel: batches, dropped connections, handles with their own reads, messages that are too large for one.

mod deadlines;
mod dropped;
mod split;

use std::time::Duration;

use bson::{Bson, Document, doc};
use futures::TryStreamExt;
use mongo_model::{Id, MongoModel};
use mongodb::options::{DatabaseOptions, ReadConcern, ReadPreference, SelectionCriteria};
use serde::{Deserialize, Serialize};

use crate::common::{Bench, in_set, on_both};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "sent_parts")]
pub(crate) struct Part {
    #[serde(rename = "_id")]
    pub(crate) id: Id<Part>,
    pub(crate) number: i32,
    pub(crate) text: String,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "sent_kits")]
pub(crate) struct Kit {
    #[serde(rename = "_id")]
    pub(crate) id: i32,
    #[refs(Part, max = 5000)]
    pub(crate) parts: Vec<Id<Part>>,
    #[parent(Part)]
    pub(crate) main: Id<Part>,
}

/// Enough ids for the loader to send a command of its own.
pub(crate) const MANY: i32 = 1_500;

pub(crate) fn part_id(n: i32) -> Id<Part> {
    let mut bytes = [0; 12];
    bytes[8..].copy_from_slice(&n.to_be_bytes());
    Id::from_raw(bson::oid::ObjectId::from_bytes(bytes))
}

pub(crate) fn part(n: i32) -> Part {
    Part {
        id: part_id(n),
        number: n,
        text: format!("part {n}"),
    }
}

/// A kit of parts, the last first.
pub(crate) fn kit(id: i32, parts: i32) -> Kit {
    Kit {
        id,
        parts: (0..parts).rev().map(part_id).collect(),
        main: part_id(id),
    }
}

impl Bench {
    pub(crate) async fn sent_parts(&self, parts: i32) {
        let parts = (0..parts).map(|n| bson::serialize_to_document(&part(n)).expect("encodes"));
        self.seed("sent_parts", parts).await;
    }
}

pub(crate) fn numbers<'p>(parts: impl IntoIterator<Item = &'p Part>) -> Vec<i32> {
    parts.into_iter().map(|part| part.number).collect()
}

#[tokio::test]
async fn batches_follow_each_other() {
    on_both("batches", async |bench| {
        let db = &bench.db;
        bench.sent_parts(7).await;
        let find = || Part::find(db, |p| p.id.gte(part_id(0))).sort(|p| p.id.desc());
        let all: Vec<i32> = (0..7).rev().collect();
        for size in [1, 2, 3, 6, 7, 8] {
            let found = find().batch_size(size).await.expect("found");
            assert_eq!(numbers(&found), all, "{size} at a time");
            let sent = bench.sent();
            assert_eq!(sent[0], "find");
            // A batch that is full does not say that it is the last.
            let more = usize::try_from(7 / size).expect("fits");
            assert_eq!(sent[1..], vec!["getMore"; more], "{size} at a time");
            let streamed: Vec<Part> = find()
                .batch_size(size)
                .stream()
                .try_collect()
                .await
                .expect("found");
            assert_eq!(streamed, found);
            bench.forget();
        }
        // The limit is reached with the first batch, and the cursor closed.
        assert_eq!(find().limit(5).await.expect("found").len(), 5);
        assert_eq!(bench.sent(), ["find"]);
        assert!(find().skip(7).await.expect("found").is_empty());
    })
    .await;
}

#[tokio::test]
async fn a_stream_that_is_dropped_closes_its_cursor() {
    on_both("dropped_stream", async |bench| {
        bench.sent_parts(5).await;
        let stream = Part::find(&bench.db, |p| p.id.gte(part_id(0)))
            .batch_size(2)
            .stream();
        let mut stream = Box::pin(stream);
        let first = stream.try_next().await.expect("read");
        assert!(first.is_some());
        drop(stream);
        // The driver closes it in a task of its own, which runs while others wait.
        let closed = async {
            while !bench.sent().iter().any(|name| name == "killCursors") {
                let admin = bench.client.database("admin");
                admin
                    .run_command(doc! { "ping": 1 })
                    .await
                    .expect("answers");
            }
        };
        let closed = tokio::time::timeout(Duration::from_secs(60), closed).await;
        closed.expect("the cursor is closed");
    })
    .await;
}

#[tokio::test]
async fn a_transaction_sees_its_own_writes_through_every_batch() {
    in_set("transport_session", async |bench| {
        let db = &bench.db;
        bench.sent_parts(4).await;
        let mut session = bench.transaction().await;
        let inserted: Vec<Part> = (4..MANY).map(part).collect();
        Part::insert_many(db, &inserted)
            .driver_session(&mut session)
            .await
            .expect("stored");
        bench.forget();
        let found = Part::find(db, |p| p.id.gte(part_id(0)))
            .batch_size(1_000)
            .driver_session(&mut session)
            .await
            .expect("found");
        assert_eq!(found.len(), inserted.len() + 4);
        let kit = kit(1, MANY);
        let loaded = kit
            .load_parts(db)
            .driver_session(&mut session)
            .await
            .expect("loaded");
        assert_eq!(loaded.values().len(), inserted.len() + 4);
        let sent = bench.take();
        let names: Vec<&str> = sent.iter().map(|sent| sent.name.as_str()).collect();
        assert_eq!(names, ["find", "getMore", "find"]);
        for sent in &sent {
            assert_eq!(sent.command.get_document("lsid").ok(), Some(session.id()));
            assert_eq!(sent.command.get("autocommit"), Some(&Bson::Boolean(false)));
            assert!(!sent.command.contains_key("readConcern"), "{:?}", sent.name);
        }
        let without = kit.load_parts(db).await.expect("loaded");
        assert_eq!(without.values().len(), 4, "not committed");
        session.abort_transaction().await.expect("aborted");
    })
    .await;
}

/// The fields of a command that do not differ from call to call.
fn manner(mut command: Document) -> Document {
    for own in ["filter", "batchSize", "lsid", "$clusterTime", "comment"] {
        command.remove(own);
    }
    command
}

#[tokio::test]
async fn a_command_of_many_ids_is_the_find_that_the_driver_sends() {
    in_set("raw_find", async |bench| {
        let nearest = ReadPreference::SecondaryPreferred { options: None };
        let options = DatabaseOptions::builder()
            .read_concern(ReadConcern::majority())
            .selection_criteria(SelectionCriteria::ReadPreference(nearest))
            .build();
        let db = bench.client.database_with_options(bench.db.name(), options);
        bench.sent_parts(MANY).await;
        for db in [&bench.db, &db] {
            let few = kit(1, 3).load_parts(db).await.expect("loaded");
            assert_eq!(numbers(few.values()), [2, 1, 0]);
            let by_driver = bench.only();
            let many = kit(1, MANY).load_parts(db).await.expect("loaded");
            let all: Vec<i32> = (0..MANY).rev().collect();
            assert_eq!(numbers(many.values()), all);
            let own = bench.only();
            assert_eq!(own.get("batchSize"), Some(&Bson::Int32(MANY + 1)));
            let asked = own
                .get_document("filter")
                .and_then(|f| f.get_document("_id"));
            let asked = asked.and_then(|ids| ids.get_array("$in")).expect("ids");
            let ids: Vec<_> = (0..MANY).map(|n| (*part_id(n).as_raw()).into()).collect();
            assert_eq!(*asked, ids, "in the order of the index");
            assert_eq!(manner(own), manner(by_driver));
        }
        // Other conditions stand next to the ids.
        let some = kit(1, MANY)
            .load_parts(&bench.db)
            .filter(|p| p.number.lt(10))
            .sort(|p| p.number.asc())
            .await
            .expect("loaded");
        assert_eq!(numbers(some.values()), (0..10).collect::<Vec<_>>());
        let sent = bench.only();
        assert!(
            sent.get_document("filter")
                .is_ok_and(|f| f.contains_key("$and"))
        );
        assert_eq!(sent.get("sort"), Some(&doc! { "number": 1 }.into()));
    })
    .await;
}
