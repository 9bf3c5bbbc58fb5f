//! Writes that are dropped on the way leave no transaction open.

use std::time::Duration;

use bson::{Document, doc};
use mongo_model::{MongoModel, Transaction, recover, transaction};

use crate::common::in_set;
use crate::two_way::models::{Person, Task, task, three};
use crate::two_way::places::age_places;
use crate::two_way::settled::settled;

// The first command of a transaction may open it after the write was dropped: others do not wait for the server to end it.
#[tokio::test]
async fn a_dropped_write_ends_its_transaction() {
    in_set("both_dropped", async |bench| {
        let db = &bench.db;
        let persons = three(bench).await;
        let task = task(&persons[0]);
        Task::insert(db, &task).await.expect("stored");
        for round in 0..150_u64 {
            let to = &persons[round as usize % 3];
            let wait = Duration::from_micros(round * 37 % 4_000);
            let alone = async { Task::reassign_owner(db, task.id, to.id).await.map(drop) };
            let inside = async {
                let moved = async |tx: &mut Transaction| {
                    Task::reassign_owner(db, task.id, to.id).within(tx).await
                };
                transaction(db, moved).await.map(drop)
            };
            let ended = match round % 2 {
                0 => tokio::time::timeout(wait, alone).await,
                _ => tokio::time::timeout(wait, inside).await,
            };
            if let Ok(done) = ended {
                done.expect("moved");
            }
            // A write outside of a transaction waits for one that has written the document.
            for (collection, id) in [
                ("both_tasks", *task.id.as_raw()),
                ("both_persons", *persons[0].id.as_raw()),
                ("both_persons", *persons[1].id.as_raw()),
                ("both_persons", *persons[2].id.as_raw()),
            ] {
                let update = doc! {
                    "update": collection,
                    "updates": [{ "q": { "_id": id }, "u": { "$inc": { "beats": 1 } } }],
                    "maxTimeMS": 20_000,
                };
                let done: Document = db.run_command(update).await.expect("not waited for");
                assert_eq!(done.get_i32("n").ok(), Some(1), "{done}");
                assert!(!done.contains_key("writeErrors"), "{done}");
            }
        }
        recover(db).await.expect("recovered");
        // The places of dropped writes wait for a minute.
        age_places(bench).await;
        recover(db).await.expect("recovered");
        settled(bench).await;
        let found = Person::scan(db, |p| p.all()).await.expect("read");
        let owned: usize = found.iter().map(|person| person.tasks.len()).sum();
        assert_eq!(owned, 1);
    })
    .await;
}
