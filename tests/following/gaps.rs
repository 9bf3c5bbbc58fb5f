//! Changes that the stream does not show: a first start, a lost place, a place of another cluster.

use bson::oid::ObjectId;
use bson::{DateTime, Document, doc};
use mongo_model::{Follower, MongoModel};

use crate::common::{Bench, in_set};
use crate::copies::{host, stored};
use crate::models::{self, Host};
use crate::running::{Running, now, right};

const POSITION: &str = "_dn.followers";

async fn position(bench: &Bench) -> Document {
    bench.stored(POSITION, "follower").await
}

/// The time that a token begins with.
fn time(position: &Document) -> u32 {
    let data = position
        .get_document("token")
        .expect("a token")
        .get_str("_data")
        .expect("data");
    u32::from_str_radix(&data[2..10], 16).expect("a time")
}

#[tokio::test]
async fn an_existing_database_is_repaired_and_nothing_in_it_is_deleted() {
    in_set("follow_first", async |bench| {
        bench.index(&models::all()).await;
        Host::insert(&bench.db, &host(1, "one"))
            .await
            .expect("stored");
        let wrong = doc! { "_id": 1_i64, "host": 1_i64, "host_name": "wrong" };
        let orphan = doc! { "_id": 2_i64, "host": 77_i64, "host_name": "whose?" };
        bench.seed("f_messages", [wrong, orphan]).await;
        let board = doc! { "_id": 1_i64, "last": [], "notes": 5_i64, "tasks": [1_i64] };
        bench.seed("f_boards", [board]).await;
        let running = Running::start(Follower::new(&bench.db)).await;
        let status = running.caught_up(&bench.db).await;
        assert_eq!(status.repaired, 1);
        assert_eq!(
            bench
                .stored("f_messages", 1_i64)
                .await
                .get_str("host_name")
                .ok(),
            Some("one")
        );
        assert_eq!(
            bench.len("f_messages").await,
            2,
            "a first start deletes nothing"
        );
        let board = bench.stored("f_boards", 1_i64).await;
        assert_eq!(board.get("notes").map(crate::common::number), Some(0));
        assert_eq!(board.get_array("tasks").expect("tasks").len(), 0);
        running.kill().await;
    })
    .await;
}

/// Other programs rename, delete and store while nobody follows, and the stored place becomes what `spoil` makes of it.
async fn missed(bench: &Bench, spoil: Document) {
    let running = Running::begin(bench).await;
    stored(bench).await;
    running.caught_up(&bench.db).await;
    // The place of the stream is behind everything so far.
    let done = now(&bench.db).await;
    while time(&position(bench).await) < done.time {}
    running.kill().await;
    let hosts = bench.raw("f_hosts");
    hosts
        .update_one(doc! { "_id": 2_i64 }, doc! { "$set": { "name": "due" } })
        .await
        .expect("renamed");
    hosts
        .delete_one(doc! { "_id": 1_i64 })
        .await
        .expect("deleted");
    let spoiled = bench
        .raw(POSITION)
        .update_one(doc! {}, spoil)
        .await
        .expect("changed");
    assert_eq!(spoiled.modified_count, 1);
    let running = Running::start(Follower::new(&bench.db)).await;
    let status = running.caught_up(&bench.db).await;
    assert_eq!(status.repaired, 1, "{status:?}");
    assert_eq!(bench.len("f_messages").await, 1);
    assert_eq!(
        bench
            .stored("f_messages", 2_i64)
            .await
            .get_str("host_name")
            .ok(),
        Some("due")
    );
    right(bench).await;
    running.kill().await;
}

fn at(time: u32) -> Document {
    let token = format!("82{time:08X}000000012B0229296E04");
    doc! { "$set": { "token._data": token } }
}

/// Places in the future (of a restored backup), of another set, of a copied collection, and nonsense. Each waits until a place is
/// stored, so they wait together.
#[tokio::test]
async fn a_place_that_is_not_this_clusters_is_a_gap() {
    let future = async |bench: &Bench| missed(bench, at(u32::MAX - 9)).await;
    let set = doc! { "$set": { "cluster.set": ObjectId::new() } };
    let collection = doc! { "$set": { "cluster.collection": ObjectId::new() } };
    let nonsense = doc! { "$set": { "token": { "_data": "nonsense" } } };
    tokio::join!(
        in_set("follow_future", future),
        in_set("follow_other", async |bench| missed(bench, set).await),
        in_set("follow_copied", async |bench| missed(bench, collection)
            .await),
        in_set("follow_nonsense", async |bench| missed(bench, nonsense)
            .await),
    );
}

/// Where nothing happens that matters, the place moves on: otherwise it would fall out of the oplog.
#[tokio::test]
async fn the_place_moves_while_nothing_happens() {
    in_set("follow_idle", async |bench| {
        let running = Running::begin(bench).await;
        let first = position(bench).await;
        let later = now(&bench.db).await;
        while position(bench).await.get("token") == first.get("token") {}
        assert!(time(&position(bench).await) >= later.time);
        running.kill().await;
    })
    .await;
}

/// Sources whose time field says that they changed in the gap are raised before everything is compared.
#[tokio::test]
async fn a_time_field_leads_to_what_changed_in_the_gap() {
    in_set("follow_timed", async |bench| {
        let running = Running::begin(bench).await;
        stored(bench).await;
        running.caught_up(&bench.db).await;
        let done = now(&bench.db).await;
        while time(&position(bench).await) < done.time {}
        running.kill().await;
        let hosts = bench.raw("f_hosts");
        for (id, set) in [
            (1_i64, doc! { "name": "uno", "changed": DateTime::now() }),
            // A program that forgets the time is found by the comparison.
            (2_i64, doc! { "name": "due" }),
        ] {
            let renamed = hosts.update_one(doc! { "_id": id }, doc! { "$set": set });
            renamed.await.expect("renamed");
        }
        // A time that can be read, and a place that the server cannot.
        let positions = bench.raw(POSITION);
        let token = format!("82{:08X}000000012BFF", done.time);
        let spoil = doc! { "$set": { "token._data": token } };
        let spoiled = positions.update_one(doc! {}, spoil);
        assert_eq!(spoiled.await.expect("changed").modified_count, 1);
        bench.forget();
        let follower = Follower::new(&bench.db).changed_at::<Host>("changed");
        let running = Running::start(follower).await;
        let status = running.caught_up(&bench.db).await;
        assert_eq!(status.repaired, 1, "{status:?}");
        let sent = bench.take();
        let of = |collection: &str| {
            let sent = sent.iter();
            let name = |command: &mongo_model_dev_server::monitor::StartedCommand| {
                command.command.get_str(&command.name).ok() == Some(collection)
            };
            sent.filter(move |command| name(command))
                .collect::<Vec<_>>()
        };
        let newer = |command: &Document| {
            let filter = command.get_document("filter").ok();
            filter.is_some_and(|filter| filter.contains_key("changed"))
        };
        let first = of("f_hosts")[0];
        assert!(first.name == "find" && newer(&first.command), "{first:?}");
        // The copies of the raised source are looked at and updated before the comparison reads any message.
        let copies = of("f_messages");
        let newest = copies[0].command.get_array("pipeline").expect("stages");
        let newest = newest[0]
            .as_document()
            .and_then(|stage| stage.get_document("$match").ok());
        let host = newest.and_then(|filter| filter.get_document("host").ok());
        assert!(
            copies[0].name == "aggregate" && host.is_some(),
            "{:?}",
            copies[0]
        );
        assert_eq!(copies[1].name, "update", "{:?}", copies[1]);
        for (id, name) in [(1_i64, "uno"), (2, "due")] {
            let copy = bench.stored("f_messages", id).await;
            assert_eq!(copy.get_str("host_name").ok(), Some(name));
        }
        right(bench).await;
        running.kill().await;
    })
    .await;
}
