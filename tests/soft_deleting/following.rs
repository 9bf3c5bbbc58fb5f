//! Another program marks documents as deleted, and a follower makes the parents right.

use std::time::Duration;

use bson::{Document, doc};
use mongo_model::follower::{Role, Status};
use mongo_model::model::ModelMeta;
use mongo_model::{Follower, Id, MongoModel, repair, verify};

use crate::common::{Bench, in_set};
use crate::soft_deleting::arrays::{Team, Worker};
use crate::soft_deleting::counting::{Book, Shelf};
use crate::soft_deleting::object_id;

/// The models of these tests: all documents that they store.
fn models() -> [&'static ModelMeta; 4] {
    [Shelf::meta(), Book::meta(), Team::meta(), Worker::meta()]
}

async fn until(follower: &Follower, condition: impl FnMut(&Status) -> bool) {
    let waiting = follower.wait_until(condition);
    let status = tokio::time::timeout(Duration::from_secs(60), waiting).await;
    assert!(status.is_ok(), "still {:#?}", follower.status());
}

/// Waits until everything that was written so far is followed.
async fn caught_up(bench: &Bench, follower: &Follower) {
    let clock = bench.raw("clock");
    let tick = clock.update_one(doc! { "_id": 0 }, doc! { "$inc": { "n": 1 } });
    tick.upsert(true).await.expect("a write");
    let reply = bench.db.run_command(doc! { "ping": 1 }).await;
    let reply = reply.expect("answered");
    let now = reply.get_timestamp("operationTime").expect("a replica set");
    until(follower, |status| status.has_followed(now)).await;
}

/// The number of a shelf, what it lists, and how many workers a team has.
async fn shown(bench: &Bench, shelf: Id<Shelf>, team: Id<Team>) -> (i64, Vec<i32>, usize) {
    let shelf = Shelf::get(&bench.db, shelf).await.expect("read");
    let shelf = shelf.expect("there");
    let team = Team::get(&bench.db, team).await.expect("read");
    let times = shelf.last.iter().map(|book| book.at).collect();
    (shelf.books, times, team.expect("there").workers.len())
}

#[tokio::test]
async fn marks_of_another_program_are_followed() {
    in_set("followed", async |bench| {
        let db = &bench.db;
        bench.index(&models()).await;
        let shelf = Shelf {
            id: Id::new(),
            books: 0,
            last: Vec::new(),
        };
        let team = Team {
            id: Id::new(),
            workers: Vec::new(),
        };
        Shelf::insert(db, &shelf).await.expect("stored");
        Team::insert(db, &team).await.expect("stored");
        for at in 1..=3 {
            let book = Book {
                id: Id::new(),
                shelf: shelf.id,
                at,
                deleted_at: None,
            };
            Book::insert(db, &book).await.expect("stored");
        }
        let worker = Worker {
            id: Id::new(),
            team: Some(team.id),
            version: 0,
            deleted_at: None,
        };
        Worker::insert(db, &worker).await.expect("stored");
        let follower = Follower::new(db);
        let task = tokio::spawn({
            let follower = follower.clone();
            async move { follower.run().await }
        });
        until(&follower, |status| {
            status.role == Role::Leading && status.gaps.is_empty() && status.followed.is_some()
        })
        .await;

        let (books, workers) = (bench.raw("books"), bench.raw("workers"));
        let gone = |name: &str| doc! { "$set": { name: bson::DateTime::now() } };
        let this = doc! { "_id": object_id(worker.id) };
        let third = doc! { "at": 3 };
        books
            .update_one(third.clone(), gone("gone"))
            .await
            .expect("marked");
        workers
            .update_one(this.clone(), gone("deleted_at"))
            .await
            .expect("marked");
        caught_up(bench, &follower).await;
        let (shelf, team) = (shelf.id, team.id);
        assert_eq!(shown(bench, shelf, team).await, (2, vec![1, 2], 0));
        assert!(follower.status().gaps.is_empty(), "the parents are known");

        let live = |name: &str| doc! { "$unset": { name: "" } };
        let found = books.update_one(third, live("gone")).await;
        assert_eq!(found.expect("changed").modified_count, 1);
        let found = workers.update_one(this, live("deleted_at")).await;
        assert_eq!(found.expect("changed").modified_count, 1);
        caught_up(bench, &follower).await;
        assert_eq!(shown(bench, shelf, team).await, (3, vec![2, 3], 1));
        books.delete_one(doc! { "at": 2 }).await.expect("removed");
        books
            .update_many(Document::new(), gone("gone"))
            .await
            .expect("marked");
        caught_up(bench, &follower).await;
        assert_eq!(shown(bench, shelf, team).await.0, 0);
        task.abort();
        drop(task.await);
        repair(db).await.expect("repaired");
        let report = verify(db).models(&models()).await.expect("verified");
        assert!(report.is_settled(), "{report}");
        assert_eq!(shown(bench, shelf, team).await, (0, vec![], 1));
    })
    .await;
}
