//! Eight writers of many documents at once, which stop between their commands: the history of each document has all of its changes, without a
//! gap, and leads to the document as it is.

use std::collections::HashMap;

use bson::{Bson, Document, doc};
use futures::TryStreamExt;
use futures::future::join_all;
use mongo_model::{Database, Id, MongoModel, recover, sync_indexes};
use mongo_model_dev_server::{DevServer, Topology};
use mongo_model_soak::parts::{ON_BOTH, side_by_side};
use mongo_model_soak::points::point;
use serde::{Deserialize, Serialize};

const DOCUMENTS: i64 = 10_000;
const WRITERS: i64 = 8;
const ROUNDS: i64 = 2;

/// The documents that one call changes.
const EACH: i64 = DOCUMENTS / 5;

const LOG: &str = "_dn.history.history_meters";

const POINTS: [&str; 4] = [
    "events_after_write",
    "events_after_read",
    "events_after_log",
    "events_after_clear",
];

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "history_meters", history)]
struct Meter {
    #[serde(rename = "_id")]
    id: Id<Meter, i64>,
    /// The number of its changes.
    changes: i64,
    by: i64,
}

/// Changes parts of the documents, those of each writer over those of others. A call that stops may have changed them.
async fn write(db: &Database, writer: i64) {
    for round in 0..ROUNDS {
        let first = (writer * 1_709 + round * 5_003) % (DOCUMENTS - EACH);
        let [first, end] = [first, first + EACH].map(Id::from_raw);
        let many = Meter::update_many(db, |m| m.id.gte(first).and(m.id.lt(end)));
        drop(many.inc(|m| m.changes, 1).set(|m| m.by, writer).await);
    }
}

/// The state that the entries of a document lead to, whose revisions follow each other.
#[derive(Default)]
struct Replayed {
    entries: i64,
    revision: i64,
    fields: Document,
}

impl Replayed {
    fn apply(&mut self, revision: i64, entry: &Document) {
        if self.entries > 0 {
            assert_eq!(revision, self.revision + 1, "{entry}");
        }
        (self.entries, self.revision) = (self.entries + 1, revision);
        for change in entry.get_array("ch").expect("the changes") {
            let change = change.as_document().expect("a change");
            match change.get_array("p").expect("a path").as_slice() {
                [] => self.fields = change.get_document("a").expect("a document").clone(),
                [Bson::String(name)] => {
                    assert_eq!(self.fields.get(name), change.get("b"), "{entry}");
                    self.fields.insert(name, change.get("a").cloned());
                }
                path => panic!("a path: {path:?}"),
            }
        }
    }
}

async fn replay(db: &Database) -> HashMap<i64, Replayed> {
    let log = db.collection::<Document>(LOG);
    let mut entries = log
        .find(doc! {})
        .sort(doc! { "_id": 1 })
        .await
        .expect("read");
    let mut all: HashMap<i64, Replayed> = HashMap::new();
    while let Some(entry) = entries.try_next().await.expect("read") {
        let id = entry.get_document("_id").expect("a number");
        let [document, revision] = ["d", "r"].map(|key| id.get_i64(key).expect("a number"));
        all.entry(document).or_default().apply(revision, &entry);
    }
    all
}

async fn writers_that_stop(topology: Topology) {
    let server = DevServer::shared(topology).await.expect("a server");
    let client = server.client().await.expect("a client");
    let db = client.database(&server.unique_db("history_writers"));
    let synced = sync_indexes(&db).models(&[Meter::meta()]);
    synced.await.expect("indexes");
    let meter = |id| Meter {
        id: Id::from_raw(id),
        changes: 0,
        by: 0,
    };
    let meters: Vec<Meter> = (0..DOCUMENTS).map(meter).collect();
    Meter::insert_many(&db, &meters).await.expect("inserted");
    for name in POINTS {
        fail::cfg(point(name), "4%return(error)").expect("an action");
    }
    join_all((1..=WRITERS).map(|writer| write(&db, writer))).await;
    POINTS.iter().for_each(|name| fail::remove(point(name)));
    let left = doc! { "_dn.j.a.t": { "$exists": true } };
    let meters = db.collection::<Document>("history_meters");
    let left = meters.count_documents(left).await.expect("counted");
    assert!(left > 0, "no writer has stopped");
    recover(&db).await.expect("recovered");
    assert!(recover(&db).await.expect("recovered").is_idle());

    let all = replay(&db).await;
    let mut changes = 0;
    let mut stored = meters.find(doc! {}).await.expect("read");
    while let Some(mut meter) = stored.try_next().await.expect("read") {
        meter.remove("_dn");
        let id = meter.remove("_id").and_then(|id| id.as_i64());
        let replayed = &all[&id.expect("an id")];
        assert_eq!(replayed.fields, meter);
        let of = meter.get_i64("changes").expect("a number");
        assert_eq!(
            replayed.entries,
            of + 1,
            "one entry per change, and the insert"
        );
        changes += of;
    }
    assert_eq!(
        (all.len() as i64, changes),
        (DOCUMENTS, WRITERS * ROUNDS * EACH)
    );
    for id in (0..DOCUMENTS).step_by(500) {
        let of = Meter::history(&db, Id::from_raw(id))
            .foreign_changes()
            .await;
        assert_eq!(of.expect("read"), []);
    }
    db.drop().await.expect("dropped");
}

#[tokio::test]
async fn the_history_of_many_documents_has_no_gap() {
    let test = "the_history_of_many_documents_has_no_gap";
    side_by_side(test, &ON_BOTH, async |topology| {
        writers_that_stop(topology).await
    })
    .await;
}
