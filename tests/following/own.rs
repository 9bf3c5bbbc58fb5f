//! Writes of the library are recognised: the follower does nothing for them.

use mongo_model::MongoModel;

use crate::common::in_set;
use crate::copies::{host, message, stored};
use crate::models::{Board, Host, Message, Note, Rack, RackHost, Task};
use crate::running::{Running, right};

#[tokio::test]
async fn the_follower_does_nothing_for_writes_of_the_library() {
    in_set("follow_own", async |bench| {
        let running = Running::begin(bench).await;
        let db = &bench.db;
        let note = |id| Note {
            id,
            board: 1,
            time: id,
            text: "a text of some length".to_owned(),
        };
        let entry = RackHost {
            id: 1,
            name: String::new(),
        };
        // Each is followed before the next: an array that a later write has changed as well is compared, and written again.
        let quiet = async || drop(running.caught_up(db).await);
        stored(bench).await;
        quiet().await;
        Host::update(db, 1)
            .set(|h| h.name, "uno")
            .await
            .expect("renamed");
        quiet().await;
        Host::update_many(db, |h| h.id.gte(1))
            .set(|h| h.name, "all")
            .await
            .expect("renamed");
        quiet().await;
        host(2, "saved").save(db).await.expect("saved");
        quiet().await;
        Message::insert(db, &message(3, 2)).await.expect("stored");
        Message::update(db, 3)
            .set(|m| m.host, 1)
            .await
            .expect("moved");
        quiet().await;
        Rack::update(db, 1)
            .push(|r| r.hosts, entry)
            .await
            .expect("pushed");
        quiet().await;
        Board::insert_many(db, &[Board::new(1), Board::new(2)])
            .await
            .expect("stored");
        for id in 1..=4 {
            Note::insert(db, &note(id)).await.expect("stored");
        }
        quiet().await;
        Note::update(db, 4)
            .set(|n| n.text, "another text")
            .await
            .expect("changed");
        Note::update(db, 3)
            .set(|n| n.board, 2)
            .await
            .expect("moved");
        Note::delete(db, 1).await.expect("deleted");
        quiet().await;
        Task::insert(
            db,
            &Task {
                id: 1,
                board: Some(1),
            },
        )
        .await
        .expect("stored");
        quiet().await;
        Host::delete(db, 2).await.expect("deleted");
        quiet().await;
        Board::delete(db, 2).await.expect("deleted");
        let status = running.caught_up(db).await;
        let did = (status.sources, status.targets, status.parents, status.ruled);
        assert_eq!(did, (0, 0, 0, 0), "{status:?}");
        assert_eq!(status.repaired, 1, "only the first look: {status:?}");
        mongo_model::recover(db).await.expect("recovered");
        right(bench).await;
        running.kill().await;
    })
    .await;
}
