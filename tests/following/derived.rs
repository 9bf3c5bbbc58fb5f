//! Lists, counts, two-way references and delete rules after writes of another program.

use bson::{Document, doc};
use mongo_model::MongoModel;

use crate::common::{Bench, in_set};
use crate::copies::stored;
use crate::models::Board;
use crate::running::{Running, right};

async fn boards(bench: &Bench) {
    Board::insert_many(&bench.db, &[Board::new(1), Board::new(2)])
        .await
        .expect("stored");
}

fn note(id: i64, board: i64) -> Document {
    doc! { "_id": id, "board": board, "time": id, "text": format!("note {id}") }
}

/// The ids in the list, the number, and the tasks.
async fn board(bench: &Bench, id: i64) -> (Vec<i64>, i64, Vec<i64>) {
    let board = bench.stored("f_boards", id).await;
    let last = board.get_array("last").into_iter().flatten();
    let last = last.map(|entry| {
        entry
            .as_document()
            .expect("an entry")
            .get_i64("id")
            .expect("an id")
    });
    let mut tasks: Vec<i64> = board
        .get_array("tasks")
        .into_iter()
        .flatten()
        .filter_map(bson::Bson::as_i64)
        .collect();
    tasks.sort_unstable();
    let number = board.get("notes").map_or(-1, crate::common::number);
    (last.collect(), number, tasks)
}

#[tokio::test]
async fn children_come_move_change_and_go() {
    in_set("follow_children", async |bench| {
        let running = Running::begin(bench).await;
        boards(bench).await;
        let notes = bench.raw("f_notes");
        notes
            .insert_many((1..=4).map(|n| note(n, 1)))
            .await
            .expect("stored");
        running.caught_up(&bench.db).await;
        assert_eq!(board(bench, 1).await, (vec![3, 4], 4, vec![]));
        notes
            .update_one(doc! { "_id": 4_i64 }, doc! { "$set": { "board": 2_i64 } })
            .await
            .expect("moved");
        running.caught_up(&bench.db).await;
        assert_eq!(board(bench, 1).await, (vec![2, 3], 3, vec![]));
        assert_eq!(board(bench, 2).await, (vec![4], 1, vec![]));
        notes
            .update_one(doc! { "_id": 3_i64 }, doc! { "$set": { "text": "other" } })
            .await
            .expect("changed");
        notes
            .delete_one(doc! { "_id": 2_i64 })
            .await
            .expect("deleted");
        running.caught_up(&bench.db).await;
        assert_eq!(board(bench, 1).await, (vec![1, 3], 2, vec![]));
        let later = doc! { "$set": { "time": 70_i64 } };
        notes
            .update_one(doc! { "_id": 1_i64 }, later)
            .await
            .expect("changed");
        running.caught_up(&bench.db).await;
        let stored = bench.stored("f_boards", 1_i64).await;
        assert_eq!(stored.get_i64("times").ok(), Some(70 + 3), "{stored}");
        assert_eq!(board(bench, 1).await.0, [3, 1]);
        let extremes = async || {
            let stored = bench.stored("f_boards", 1_i64).await;
            (
                stored.get_i64("latest").ok(),
                stored.get_i64("earliest").ok(),
            )
        };
        assert_eq!(extremes().await, (Some(70), Some(3)));
        let wrong = doc! { "$set": { "latest": 1_i64, "earliest": 1_i64 } };
        let boards = bench.raw("f_boards");
        let one = doc! { "_id": 1_i64 };
        boards.update_one(one, wrong).await.expect("written");
        running.caught_up(&bench.db).await;
        assert_eq!(extremes().await, (Some(70), Some(3)));
        let all = doc! { "board": 1_i64 };
        let value = notes.find_one_and_update(all.clone(), doc! { "$set": { "time": 500_i64 } });
        value.await.expect("changed");
        running.caught_up(&bench.db).await;
        assert_eq!(extremes().await.0, Some(500));
        notes.delete_many(all).await.expect("deleted");
        running.caught_up(&bench.db).await;
        assert_eq!(extremes().await, (None, None));
        right(bench).await;
        running.kill().await;
    })
    .await;
}

#[tokio::test]
async fn two_way_references_follow_the_truth() {
    in_set("follow_two_way", async |bench| {
        let running = Running::begin(bench).await;
        boards(bench).await;
        let tasks = bench.raw("f_tasks");
        tasks
            .insert_many((1..=3_i64).map(|n| doc! { "_id": n, "board": 1_i64 }))
            .await
            .expect("stored");
        running.caught_up(&bench.db).await;
        assert_eq!(board(bench, 1).await.2, [1, 2, 3]);
        tasks
            .update_one(doc! { "_id": 1_i64 }, doc! { "$set": { "board": 2_i64 } })
            .await
            .expect("moved");
        tasks
            .update_one(doc! { "_id": 2_i64 }, doc! { "$unset": { "board": "" } })
            .await
            .expect("unset");
        tasks
            .delete_one(doc! { "_id": 3_i64 })
            .await
            .expect("deleted");
        running.caught_up(&bench.db).await;
        assert_eq!(board(bench, 1).await.2, [0_i64; 0]);
        assert_eq!(board(bench, 2).await.2, [1]);
        right(bench).await;
        running.kill().await;
    })
    .await;
}

#[tokio::test]
async fn a_parent_of_another_program_gets_what_it_keeps() {
    in_set("follow_parents", async |bench| {
        let running = Running::begin(bench).await;
        bench
            .raw("f_notes")
            .insert_many((1..=3).map(|n| note(n, 9)))
            .await
            .expect("stored");
        bench
            .raw("f_tasks")
            .insert_one(doc! { "_id": 1_i64, "board": 9_i64 })
            .await
            .expect("stored");
        running.caught_up(&bench.db).await;
        let bare = doc! { "_id": 9_i64, "last": [], "notes": 0_i64, "tasks": [] };
        bench
            .raw("f_boards")
            .insert_one(bare)
            .await
            .expect("stored");
        running.caught_up(&bench.db).await;
        assert_eq!(board(bench, 9).await, (vec![2, 3], 3, vec![1]));
        let wrong = doc! { "$set": { "notes": 70_i64, "last": [], "tasks": [5_i64] } };
        bench
            .raw("f_boards")
            .update_one(doc! { "_id": 9_i64 }, wrong)
            .await
            .expect("written");
        running.caught_up(&bench.db).await;
        assert_eq!(board(bench, 9).await, (vec![2, 3], 3, vec![1]));
        right(bench).await;
        running.kill().await;
    })
    .await;
}

#[tokio::test]
async fn references_to_a_deleted_document_follow_their_rules() {
    in_set("follow_rules", async |bench| {
        let running = Running::begin(bench).await;
        stored(bench).await;
        bench
            .raw("f_hosts")
            .delete_one(doc! { "_id": 1_i64 })
            .await
            .expect("deleted");
        running.caught_up(&bench.db).await;
        assert_eq!(bench.len("f_messages").await, 1);
        let label = bench.stored("f_labels", 1_i64).await;
        assert!(
            !label.contains_key("message") && !label.contains_key("says"),
            "{label}"
        );
        let rack = bench.stored("f_racks", 1_i64).await;
        assert_eq!(rack.get_array("hosts").expect("hosts").len(), 1);
        right(bench).await;
        running.kill().await;
    })
    .await;
}

/// Where the collection records what its documents were, a former parent is known, and nothing is compared as a whole.
#[tokio::test]
async fn images_of_children_name_their_former_parents() {
    in_set("follow_images", async |bench| {
        let record =
            doc! { "create": "f_notes", "changeStreamPreAndPostImages": { "enabled": true } };
        bench.db.run_command(record).await.expect("created");
        let running = Running::begin(bench).await;
        let before = running.caught_up(&bench.db).await.repaired;
        boards(bench).await;
        let notes = bench.raw("f_notes");
        notes
            .insert_many((1..=4).map(|n| note(n, 1)))
            .await
            .expect("stored");
        running.caught_up(&bench.db).await;
        notes
            .update_one(doc! { "_id": 4_i64 }, doc! { "$set": { "board": 2_i64 } })
            .await
            .expect("moved");
        notes
            .delete_one(doc! { "_id": 1_i64 })
            .await
            .expect("deleted");
        let status = running.caught_up(&bench.db).await;
        assert_eq!(board(bench, 1).await, (vec![2, 3], 2, vec![]));
        assert_eq!(board(bench, 2).await, (vec![4], 1, vec![]));
        assert_eq!(status.repaired, before, "{status:?}");
        right(bench).await;
        running.kill().await;
    })
    .await;
}
