//! Values that are nested as deeply as the server stores them, where a program reads numbers and text: what follows and compares them
//! does not end with its stack.

use bson::{Bson, RawDocumentBuf, bson, doc};
use mongo_model::{MongoModel, backfill, recover, repair, verify};

use crate::common::in_set;
use crate::copies::stored;
use crate::models::{Board, Note};
use crate::running::Running;

/// The deepest value that MongoDB 6.0 stores in an array of documents.
const LEVELS: usize = 170;

fn deep(array: bool) -> Bson {
    (0..LEVELS).fold(Bson::Int32(1), |inner, _| match array {
        true => Bson::Array(vec![inner]),
        false => bson!({ "d": inner }),
    })
}

#[tokio::test]
async fn deep_values_of_other_programs_are_followed_and_compared() {
    in_set("follow_deep", async |bench| {
        let db = &bench.db;
        let running = Running::begin(bench).await;
        stored(bench).await;
        let board = Board::new(1);
        Board::insert(db, &board).await.expect("stored");
        let note = Note {
            id: 1,
            board: 1,
            time: 1,
            text: "a".to_owned(),
        };
        Note::insert(db, &note).await.expect("stored");
        for array in [false, true] {
            for (collection, path) in [
                ("f_hosts", "name"),
                ("f_messages", "host"),
                ("f_messages", "host_name"),
                ("f_racks", "hosts.0.id"),
                ("f_racks", "hosts.0.name"),
                ("f_notes", "text"),
                ("f_notes", "board"),
                ("f_boards", "last"),
                ("f_boards", "tasks"),
                ("f_tasks", "board"),
                ("f_users", "teams"),
                ("f_teams", "members"),
            ] {
                let set = doc! { "$set": { path: deep(array) } };
                let raw = bench.raw(collection);
                let change = raw.update_one(doc! { "_id": 1_i64 }, set).upsert(true);
                change.await.expect("changed");
                let field = path.split('.').next().unwrap_or(path);
                let new = doc! { "_id": format!("{path} {array}"), field: deep(!array) };
                let new = RawDocumentBuf::try_from(&new).expect("raw");
                let raw = raw.clone_with_type::<RawDocumentBuf>();
                raw.insert_one(new).await.expect("stored");
                running.caught_up(db).await;
            }
        }
        running.kill().await;
        let found = verify(db).await.expect("looked");
        assert!(!found.is_clean(), "{found}");
        repair(db).await.expect("repaired");
        recover(db).await.expect("recovered");
        backfill(db).await.expect("filled");
    })
    .await;
}
