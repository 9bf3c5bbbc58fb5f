//! Copies after changes of sources, of references and of copies by another program.

use bson::doc;

use crate::common::{Bench, in_set};
use crate::models::{Host, Label, Message, Rack, RackHost};
use crate::running::{Running, right};
use mongo_model::{Follower, MongoModel};

pub(crate) fn host(id: i64, name: &str) -> Host {
    Host {
        id,
        name: name.to_owned(),
        load: 0,
    }
}

pub(crate) fn message(id: i64, host: i64) -> Message {
    Message {
        id,
        host,
        host_name: String::new(),
    }
}

/// Two hosts, a message of each, a label of the first, a rack with both.
pub(crate) async fn stored(bench: &Bench) {
    Host::insert_many(&bench.db, &[host(1, "one"), host(2, "two")])
        .await
        .expect("stored");
    Message::insert_many(&bench.db, &[message(1, 1), message(2, 2)])
        .await
        .expect("stored");
    let label = Label {
        id: 1,
        message: Some(1),
        says: None,
    };
    Label::insert(&bench.db, &label).await.expect("stored");
    let entry = |id| RackHost {
        id,
        name: String::new(),
    };
    let rack = Rack {
        id: 1,
        hosts: vec![entry(1), entry(2)],
    };
    Rack::insert(&bench.db, &rack).await.expect("stored");
}

async fn names(bench: &Bench) -> (String, String, Vec<String>) {
    let text =
        |document: bson::Document, key: &str| document.get_str(key).unwrap_or("-").to_owned();
    let rack = bench.stored("f_racks", 1_i64).await;
    let hosts = rack.get_array("hosts").expect("hosts").iter();
    let hosts = hosts.map(|entry| text(entry.as_document().expect("an entry").clone(), "name"));
    let hosts = hosts.collect();
    (
        text(bench.stored("f_messages", 1_i64).await, "host_name"),
        text(bench.stored("f_labels", 1_i64).await, "says"),
        hosts,
    )
}

#[tokio::test]
async fn a_rename_reaches_all_copies_and_the_copies_of_them() {
    in_set("follow_rename", async |bench| {
        let running = Running::begin(bench).await;
        stored(bench).await;
        let rename = doc! { "$set": { "name": "uno" } };
        bench
            .raw("f_hosts")
            .update_one(doc! { "_id": 1_i64 }, rename)
            .await
            .expect("renamed");
        let status = running.caught_up(&bench.db).await;
        assert!(status.problems.is_empty(), "{status:?}");
        let now = names(bench).await;
        assert_eq!(
            now,
            ("uno".into(), "uno".into(), vec!["uno".into(), "two".into()])
        );
        right(bench).await;
        running.kill().await;
    })
    .await;
}

#[tokio::test]
async fn a_killed_follower_continues_where_it_stopped() {
    in_set("follow_restart", async |bench| {
        let running = Running::begin(bench).await;
        stored(bench).await;
        running.caught_up(&bench.db).await;
        running.kill().await;
        for n in 0..50 {
            let rename = doc! { "$set": { "name": format!("name {n}") } };
            bench
                .raw("f_hosts")
                .update_one(doc! { "_id": 1_i64 }, rename)
                .await
                .expect("renamed");
        }
        let running = Running::start(Follower::new(&bench.db)).await;
        let status = running.caught_up(&bench.db).await;
        assert_eq!(status.repaired, 0, "there was no gap: {status:?}");
        let now = names(bench).await;
        assert_eq!(now.0, "name 49");
        right(bench).await;
        running.kill().await;
    })
    .await;
}

#[tokio::test]
async fn a_new_reference_and_a_written_copy_are_corrected() {
    in_set("follow_targets", async |bench| {
        let running = Running::begin(bench).await;
        stored(bench).await;
        let messages = bench.raw("f_messages");
        let moved = doc! { "$set": { "host": 2_i64 } };
        messages
            .update_one(doc! { "_id": 1_i64 }, moved)
            .await
            .expect("moved");
        let wrong = doc! { "$set": { "host_name": "made up" } };
        messages
            .update_one(doc! { "_id": 2_i64 }, wrong)
            .await
            .expect("written");
        let new = doc! { "_id": 3_i64, "host": 1_i64, "host_name": "not this" };
        messages.insert_one(new).await.expect("stored");
        let entry = doc! { "$push": { "hosts": { "id": 1_i64 } } };
        bench
            .raw("f_racks")
            .update_one(doc! { "_id": 1_i64 }, entry)
            .await
            .expect("pushed");
        running.caught_up(&bench.db).await;
        for (id, name) in [(1_i64, "two"), (2, "two"), (3, "one")] {
            assert_eq!(
                bench
                    .stored("f_messages", id)
                    .await
                    .get_str("host_name")
                    .ok(),
                Some(name)
            );
        }
        assert_eq!(names(bench).await.1, "two");
        assert_eq!(names(bench).await.2, ["one", "two", "one"]);
        right(bench).await;
        running.kill().await;
    })
    .await;
}

/// `_dn` and `_r` are gone, or kept as they were read before: both are wrong.
#[tokio::test]
async fn a_replaced_document_is_followed_once() {
    in_set("follow_replace", async |bench| {
        let running = Running::begin(bench).await;
        stored(bench).await;
        let hosts = bench.raw("f_hosts");
        let id = doc! { "_id": 1_i64 };
        hosts
            .replace_one(id.clone(), doc! { "name": "bare", "load": 0_i64 })
            .await
            .expect("replaced");
        running.caught_up(&bench.db).await;
        assert_eq!(names(bench).await.0, "bare");
        let mut kept = bench.stored("f_hosts", 1_i64).await;
        kept.insert("name", "kept");
        hosts.replace_one(id.clone(), kept).await.expect("replaced");
        running.caught_up(&bench.db).await;
        assert_eq!(
            names(bench).await,
            (
                "kept".into(),
                "kept".into(),
                vec!["kept".into(), "two".into()]
            )
        );
        bench
            .raw("f_messages")
            .replace_one(id.clone(), doc! { "host": 2_i64 })
            .await
            .expect("replaced");
        running.caught_up(&bench.db).await;
        assert_eq!(names(bench).await.0, "two");
        right(bench).await;
        // It does not follow itself: after this no effect leads to another.
        let before = running.caught_up(&bench.db).await;
        let after = running.caught_up(&bench.db).await;
        assert_eq!(
            (before.sources, before.targets),
            (after.sources, after.targets)
        );
        running.kill().await;
    })
    .await;
}

/// A program that stores the message before its host must not lose the message to the delete rule.
#[tokio::test]
async fn a_reference_may_come_before_its_source() {
    in_set("follow_early", async |bench| {
        let running = Running::begin(bench).await;
        let early = doc! { "_id": 1_i64, "host": 7_i64, "host_name": "", "_r_host": 900_i64 };
        bench
            .raw("f_messages")
            .insert_one(early)
            .await
            .expect("stored");
        let early = doc! { "_id": 2_i64, "host": 8_i64, "host_name": "" };
        bench
            .raw("f_messages")
            .insert_one(early)
            .await
            .expect("stored");
        running.caught_up(&bench.db).await;
        assert_eq!(bench.len("f_messages").await, 2);
        let late = doc! { "_id": 7_i64, "name": "seven", "load": 0_i64 };
        bench.raw("f_hosts").insert_one(late).await.expect("stored");
        Host::insert(&bench.db, &host(8, "eight"))
            .await
            .expect("stored");
        running.caught_up(&bench.db).await;
        assert_eq!(
            bench
                .stored("f_messages", 1_i64)
                .await
                .get_str("host_name")
                .ok(),
            Some("seven")
        );
        assert_eq!(
            bench
                .stored("f_messages", 2_i64)
                .await
                .get_str("host_name")
                .ok(),
            Some("eight")
        );
        right(bench).await;
        running.kill().await;
    })
    .await;
}
