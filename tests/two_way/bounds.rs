//! The bound of an array that the library writes.

use futures::future::join_all;
use mongo_model::denorm::Defect;
use mongo_model::{Error, MongoModel, verify};

use crate::common::on_both;
use crate::two_way::models::{Person, Task, done, list, task, three};

#[tokio::test]
async fn a_parent_over_its_bound_is_usable_and_reported() {
    on_both("2w_over", async |bench| {
        let db = &bench.db;
        let [ann, ..] = three(bench).await;
        let first: Vec<Task> = (0..3).map(|_| task(&ann)).collect();
        done(Task::insert_many(db, &first).await);
        let more: Vec<Task> = (0..8).map(|_| task(&ann)).collect();
        // Each of them may have looked before another was stored: how many get in is not certain.
        join_all(more.iter().map(|task| Task::insert(db, task).into_future())).await;
        // So that the test does not depend on it, another program stores two more, and `repair` lists them.
        let others: Vec<Task> = (0..2).map(|_| task(&ann)).collect();
        bench.place(&others).await;
        mongo_model::repair(db).await.expect("repaired");
        let len = list(bench, &ann, "tasks").await.len();
        assert!(len > 4, "{len}");
        let found = verify(db).await.expect("verified");
        let edge = found
            .references
            .iter()
            .find(|edge| edge.name == "both_persons.tasks");
        let edge = edge.expect("the edge");
        assert_eq!(
            (edge.count(Defect::OverBound), edge.defects()),
            (1, 1),
            "{found}"
        );
        let text = edge.findings[0].to_string();
        assert!(
            text.ends_with(&format!("tasks has {len} children, over its bound of 4")),
            "{text}"
        );
        // It is saved and updated as it was read, and its list stays.
        let read = Person::get(db, ann.id).await.expect("read");
        let mut read = read.expect("there");
        read.name = "anna".to_owned();
        done(read.save(db).await);
        done(Person::update(db, ann.id).set(|p| p.name, "annie").await);
        assert_eq!(list(bench, &ann, "tasks").await.len(), len);
        // And it gets no more.
        let refused = Task::insert(db, &task(&ann)).await;
        assert!(
            matches!(refused, Err(Error::Full { max: 4, .. })),
            "{refused:?}"
        );
    })
    .await;
}

#[tokio::test]
async fn update_many_looks_how_many_children_it_moves() {
    on_both("2w_many", async |bench| {
        let db = &bench.db;
        let [ann, bob, cay] = three(bench).await;
        let tasks: Vec<Task> = (0..6)
            .map(|n| task(if n < 3 { &ann } else { &bob }))
            .collect();
        done(Task::insert_many(db, &tasks).await);
        let of_bob = || Task::update_many(db, |t| t.owner.eq(bob.id)).set(|t| t.owner, ann.id);
        let refused = of_bob().await;
        assert!(
            matches!(refused, Err(Error::Full { max: 4, .. })),
            "{refused:?}"
        );
        assert_eq!(list(bench, &ann, "tasks").await.len(), 3);
        assert_eq!(list(bench, &bob, "tasks").await.len(), 3);
        // Children that are in the list already need no room.
        let again = Task::update_many(db, |t| t.owner.eq(ann.id)).set(|t| t.owner, ann.id);
        done(again.await);
        let fits = Task::update_many(db, |t| t.owner.eq(bob.id)).set(|t| t.owner, cay.id);
        assert_eq!(done(fits.await).modified, 3);
        assert_eq!(list(bench, &cay, "tasks").await.len(), 3);
    })
    .await;
}
