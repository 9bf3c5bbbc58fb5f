//! The library changes or deletes what another program has changed, before a follower sees either.

use bson::{Document, doc};
use futures::future::join_all;
use mongo_model::{Follower, MongoModel};

use crate::common::{Bench, in_set};
use crate::models::{Board, Host, Message, Note, Offer, Seller, Task, Team, User};
use crate::running::{Running, right};

fn note(id: i64, board: i64) -> Document {
    doc! { "_id": id, "board": board, "time": id, "text": "a note" }
}

/// Three boards with a note and a task each, and a team of two users out of three.
async fn store(bench: &Bench) {
    let db = &bench.db;
    Board::insert_many(db, &[Board::new(1), Board::new(2), Board::new(3)])
        .await
        .expect("stored");
    for id in 1..=3 {
        let note = Note {
            id,
            board: id,
            time: id,
            text: "a note".to_owned(),
        };
        Note::insert(db, &note).await.expect("stored");
        let task = Task {
            id,
            board: Some(id),
        };
        Task::insert(db, &task).await.expect("stored");
    }
    let user = |id| User {
        id,
        name: format!("user {id}"),
        teams: Vec::new(),
    };
    User::insert_many(db, &[user(1), user(2), user(3)])
        .await
        .expect("stored");
    let team = Team {
        id: 1,
        members: Vec::new(),
    };
    Team::insert(db, &team).await.expect("stored");
    let members = doc! { "$set": { "members": [entry(1), entry(2)] } };
    change(bench, "f_teams", 1, members).await;
}

fn entry(user: i64) -> Document {
    doc! { "user": user, "role": "reader", "name": format!("user {user}") }
}

/// Another program changes a document.
async fn change(bench: &Bench, collection: &str, id: i64, update: Document) {
    let changed = bench
        .raw(collection)
        .update_one(doc! { "_id": id }, update)
        .await
        .expect("changed");
    assert_eq!(changed.matched_count, 1);
}

async fn insert(bench: &Bench, collection: &str, document: Document) {
    let collection = bench.raw(collection);
    collection.insert_one(document).await.expect("stored");
}

async fn remove(bench: &Bench, collection: &str, id: i64) {
    let collection = bench.raw(collection);
    let gone = collection.delete_one(doc! { "_id": id }).await;
    assert_eq!(gone.expect("deleted").deleted_count, 1);
}

async fn move_note(bench: &Bench, id: i64, board: i64) {
    let moved = Note::update(&bench.db, id).set(|note| note.board, board);
    moved.await.expect("moved");
}

fn to(board: i64) -> Document {
    doc! { "$set": { "board": board } }
}

/// What another program does, and then the library.
#[derive(Debug, Clone, Copy)]
enum Case {
    InsertMove,
    InsertDelete,
    MoveMove,
    MoveDelete,
    ReplaceDelete,
    DeleteInsert,
    TaskMoveDelete,
    TaskInsertMove,
    MembersDelete,
}

const CASES: [Case; 9] = [
    Case::InsertMove,
    Case::InsertDelete,
    Case::MoveMove,
    Case::MoveDelete,
    Case::ReplaceDelete,
    Case::DeleteInsert,
    Case::TaskMoveDelete,
    Case::TaskInsertMove,
    Case::MembersDelete,
];

impl Case {
    async fn write(self, bench: &Bench) {
        let db = &bench.db;
        match self {
            Case::InsertMove => {
                insert(bench, "f_notes", note(9, 1)).await;
                move_note(bench, 9, 2).await;
            }
            Case::InsertDelete => {
                insert(bench, "f_notes", note(9, 1)).await;
                Note::delete(db, 9).await.expect("deleted");
            }
            Case::MoveMove => {
                change(bench, "f_notes", 1, to(2)).await;
                move_note(bench, 1, 3).await;
            }
            Case::MoveDelete => {
                change(bench, "f_notes", 1, to(2)).await;
                Note::delete(db, 1).await.expect("deleted");
            }
            Case::ReplaceDelete => {
                let notes = bench.raw("f_notes");
                let replaced = notes.replace_one(doc! { "_id": 1_i64 }, note(1, 2));
                replaced.await.expect("replaced");
                Note::delete(db, 1).await.expect("deleted");
            }
            Case::DeleteInsert => {
                remove(bench, "f_notes", 1).await;
                let note = Note {
                    id: 1,
                    board: 2,
                    time: 1,
                    text: "another".to_owned(),
                };
                Note::insert(db, &note).await.expect("stored");
            }
            Case::TaskMoveDelete => {
                change(bench, "f_tasks", 1, to(2)).await;
                Task::delete(db, 1).await.expect("deleted");
            }
            Case::TaskInsertMove => {
                insert(bench, "f_tasks", doc! { "_id": 9_i64, "board": 1_i64 }).await;
                let moved = Task::update(db, 9).set(|task| task.board, Some(2));
                moved.await.expect("moved");
            }
            Case::MembersDelete => {
                let members = doc! { "$set": { "members": [entry(3)] } };
                change(bench, "f_teams", 1, members).await;
                Team::delete(db, 1).await.expect("deleted");
            }
        }
    }

    async fn run(self, images: bool, batch: u32) {
        let name = format!("follow_overtaken_{self:?}");
        in_set(&name, async |bench| {
            if images {
                for collection in ["f_notes", "f_tasks", "f_teams"] {
                    let enabled = doc! { "enabled": true };
                    let create =
                        doc! { "create": collection, "changeStreamPreAndPostImages": enabled };
                    bench.db.run_command(create).await.expect("created");
                }
            }
            let running = Running::begin(bench).await;
            store(bench).await;
            running.caught_up(&bench.db).await;
            running.kill().await;
            self.write(bench).await;
            let follower = Follower::new(&bench.db).batch(batch);
            let running = Running::start(follower).await;
            let status = running.caught_up(&bench.db).await;
            if images {
                assert_eq!(
                    status.repaired, 0,
                    "{self:?}: the parents are known: {status:?}"
                );
            }
            let found = mongo_model::verify(&bench.db).await.expect("looked");
            assert!(
                found.is_settled(),
                "{self:?}, images {images}, batch {batch}: {found}"
            );
            right(bench).await;
            running.kill().await;
        })
        .await;
    }
}

/// The events of both writes come together, or the second after the first has been followed.
#[tokio::test]
async fn what_the_library_changes_before_it_is_followed_is_not_lost() {
    for batch in [1_000, 1] {
        join_all(CASES.map(|case| case.run(false, batch))).await;
    }
}

/// An image names the parent before the change of the other program, and the event the one after it.
#[tokio::test]
async fn images_and_events_name_all_parents() {
    for batch in [1_000, 1] {
        join_all(CASES.map(|case| case.run(true, batch))).await;
    }
}

/// A writer has flagged the note and stopped; then another program deletes the note, and with it the flag.
#[tokio::test]
async fn an_image_names_the_parents_of_flags_that_went_with_the_document() {
    in_set("follow_lost_flags", async |bench| {
        let enabled = doc! { "enabled": true };
        let create = doc! { "create": "f_notes", "changeStreamPreAndPostImages": enabled };
        bench.db.run_command(create).await.expect("created");
        let running = Running::begin(bench).await;
        store(bench).await;
        running.caught_up(&bench.db).await;
        running.kill().await;
        let token = bson::oid::ObjectId::new();
        let flag = doc! { "t": token, "f": { "board": 1_i64 }, "to": { "board": 2_i64 } };
        let flagged = doc! { "$set": { "board": 2_i64, "_dn.c": [flag] } };
        change(bench, "f_notes", 1, flagged).await;
        remove(bench, "f_notes", 1).await;
        let running = Running::start(Follower::new(&bench.db)).await;
        let status = running.caught_up(&bench.db).await;
        assert_eq!(status.repaired, 0, "{status:?}");
        let board = bench.stored("f_boards", 1_i64).await;
        assert_eq!(board.get("notes").map(crate::common::number), Some(0));
        running.kill().await;
    })
    .await;
}

async fn insert_seller(bench: &Bench, name: &str) {
    let seller = Seller {
        id: 1,
        name: name.to_owned(),
    };
    Seller::insert(&bench.db, &seller).await.expect("stored");
}

async fn insert_host(bench: &Bench, name: &str) {
    let host = Host {
        id: 1,
        name: name.to_owned(),
        load: 0,
    };
    Host::insert(&bench.db, &host).await.expect("stored");
}

async fn text(bench: &Bench, collection: &str, field: &str) -> String {
    let stored = bench.stored(collection, 1_i64).await;
    stored.get_str(field).expect("a text").to_owned()
}

/// A seller with an offer, whose reference refuses a delete, and a host with a message, which goes with it.
async fn store_sources(bench: &Bench) {
    insert_seller(bench, "first").await;
    let offer = Offer {
        id: 1,
        seller: 1,
        seller_name: String::new(),
    };
    Offer::insert(&bench.db, &offer).await.expect("stored");
    insert_host(bench, "first").await;
    let message = Message {
        id: 1,
        host: 1,
        host_name: String::new(),
    };
    Message::insert(&bench.db, &message).await.expect("stored");
}

/// Another program deletes sources, and the library stores new ones with their keys: copies are those of the new ones.
#[tokio::test]
async fn copies_follow_a_source_that_the_library_stores_again() {
    for batch in [1_000, 1] {
        in_set("follow_stored_again", async |bench| {
            let running = Running::begin(bench).await;
            store_sources(bench).await;
            running.caught_up(&bench.db).await;
            running.kill().await;
            for collection in ["f_sellers", "f_hosts"] {
                remove(bench, collection, 1).await;
            }
            insert_seller(bench, "second").await;
            insert_host(bench, "second").await;
            let running = Running::start(Follower::new(&bench.db).batch(batch)).await;
            running.caught_up(&bench.db).await;
            assert_eq!(text(bench, "f_offers", "seller_name").await, "second");
            assert_eq!(text(bench, "f_messages", "host_name").await, "second");
            right(bench).await;
            running.kill().await;
        })
        .await;
    }
}

/// The delete is followed before the library stores the new source, also by a follower that has stopped in between.
#[tokio::test]
async fn references_that_refuse_a_delete_await_a_source_with_the_same_key() {
    in_set("follow_awaited", async |bench| {
        let running = Running::begin(bench).await;
        store_sources(bench).await;
        running.caught_up(&bench.db).await;
        remove(bench, "f_sellers", 1).await;
        running.caught_up(&bench.db).await;
        running.kill().await;
        let running = Running::start(Follower::new(&bench.db)).await;
        insert_seller(bench, "second").await;
        running.caught_up(&bench.db).await;
        assert_eq!(text(bench, "f_offers", "seller_name").await, "second");
        right(bench).await;
        running.kill().await;
    })
    .await;
}

/// The first comparison of a database finds a reference that leads nowhere.
#[tokio::test]
async fn references_in_an_existing_database_await_their_source() {
    in_set("follow_found_dangling", async |bench| {
        let offer = doc! { "_id": 1_i64, "seller": 1_i64, "seller_name": "gone", "_r": 1_i64 };
        insert(bench, "f_offers", offer).await;
        let running = Running::begin(bench).await;
        insert_seller(bench, "second").await;
        running.caught_up(&bench.db).await;
        assert_eq!(text(bench, "f_offers", "seller_name").await, "second");
        right(bench).await;
        running.kill().await;
    })
    .await;
}

/// A board whose number is that of its notes, because another program has written it; a note whose writer has stopped before it was counted.
async fn store_right_by_chance(bench: &Bench) {
    let epoch = bson::oid::ObjectId::new();
    let board = doc! {
        "_id": 1_i64, "last": [], "notes": 1_i64, "tasks": [], "_dn": { "k": { "e": epoch } },
    };
    insert(bench, "f_boards", board).await;
    let mut note = note(1, 1);
    let flag = doc! { "t": bson::oid::ObjectId::new(), "to": { "board": 1_i64 } };
    note.insert("_dn", doc! { "r": 2_i64, "c": [flag] });
    insert(bench, "f_notes", note).await;
}

async fn notes_of_first(bench: &Bench) -> i64 {
    let board = bench.stored("f_boards", 1_i64).await;
    board.get("notes").map_or(-1, crate::common::number)
}

#[tokio::test]
async fn a_number_that_is_right_by_chance_is_corrected_by_a_repair() {
    in_set("follow_chance_repair", async |bench| {
        bench.index(&crate::models::all()).await;
        store_right_by_chance(bench).await;
        mongo_model::repair(&bench.db).await.expect("repaired");
        assert_eq!(notes_of_first(bench).await, 1);
        mongo_model::recover(&bench.db).await.expect("recovered");
        assert_eq!(notes_of_first(bench).await, 1);
        right(bench).await;
    })
    .await;
}

#[tokio::test]
async fn a_number_that_is_right_by_chance_is_corrected_in_a_gap() {
    in_set("follow_chance_gap", async |bench| {
        bench.index(&crate::models::all()).await;
        store_right_by_chance(bench).await;
        let running = Running::start(Follower::new(&bench.db)).await;
        running.kill().await;
        mongo_model::recover(&bench.db).await.expect("recovered");
        assert_eq!(notes_of_first(bench).await, 1);
        right(bench).await;
    })
    .await;
}
