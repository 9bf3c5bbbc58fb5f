//! All kinds of events: transactions, pipelines, large documents, dropped and renamed collections, documents that cannot be changed.

use bson::doc;
use mongo_model::follower::Status;
use mongo_model::sync_indexes;

use crate::common::{Bench, in_set};
use crate::copies::stored;
use crate::models;
use crate::running::{Running, now, right};

async fn host_name(bench: &Bench, message: i64) -> String {
    let message = bench.stored("f_messages", message).await;
    message.get_str("host_name").unwrap_or("-").to_owned()
}

#[tokio::test]
async fn transactions_and_pipelines_are_followed() {
    in_set("follow_transactions", async |bench| {
        let running = Running::begin(bench).await;
        stored(bench).await;
        let mut session = bench.transaction().await;
        let hosts = bench.raw("f_hosts");
        for id in [1_i64, 2] {
            let rename = doc! { "$set": { "name": format!("in {id}") } };
            hosts
                .update_one(doc! { "_id": id }, rename)
                .session(&mut session)
                .await
                .expect("renamed");
        }
        let message = doc! { "_id": 3_i64, "host": 2_i64 };
        bench
            .raw("f_messages")
            .insert_one(message)
            .session(&mut session)
            .await
            .expect("stored");
        session.commit_transaction().await.expect("committed");
        running.caught_up(&bench.db).await;
        assert_eq!(host_name(bench, 1).await, "in 1");
        assert_eq!(host_name(bench, 3).await, "in 2");
        let twice = vec![doc! { "$set": { "name": { "$concat": ["$name", "$name"] } } }];
        hosts.update_many(doc! {}, twice).await.expect("renamed");
        running.caught_up(&bench.db).await;
        assert_eq!(host_name(bench, 1).await, "in 1in 1");
        right(bench).await;
        running.kill().await;
    })
    .await;
}

/// An event holds names, not values: a document of nearly 16 MB does not end the stream.
#[tokio::test]
async fn documents_of_any_size_are_followed() {
    in_set("follow_large", async |bench| {
        let running = Running::begin(bench).await;
        stored(bench).await;
        let large = "x".repeat(15_900_000);
        let hosts = bench.raw("f_hosts");
        hosts
            .insert_one(doc! { "_id": 3_i64, "name": "three", "load": 0_i64, "blob": &large })
            .await
            .expect("stored");
        let both = doc! { "$set": { "name": "uno", "blob": &large } };
        hosts
            .update_one(doc! { "_id": 1_i64 }, both)
            .await
            .expect("changed");
        let whole = doc! { "name": "due", "load": 0_i64, "blob": large };
        hosts
            .replace_one(doc! { "_id": 2_i64 }, whole)
            .await
            .expect("replaced");
        running.caught_up(&bench.db).await;
        assert_eq!(host_name(bench, 1).await, "uno");
        assert_eq!(host_name(bench, 2).await, "due");
        right(bench).await;
        running.kill().await;
    })
    .await;
}

#[tokio::test]
async fn a_collection_that_goes_takes_along_what_refers_to_it() {
    in_set("follow_drop", async |bench| {
        let running = Running::begin(bench).await;
        stored(bench).await;
        bench.raw("f_hosts").drop().await.expect("dropped");
        running.caught_up(&bench.db).await;
        assert_eq!(bench.len("f_messages").await, 0);
        let rack = bench.stored("f_racks", 1_i64).await;
        assert_eq!(rack.get_array("hosts").expect("hosts").len(), 0);
        sync_indexes(&bench.db)
            .models(&models::all())
            .await
            .expect("indexes");
        right(bench).await;
        running.kill().await;
    })
    .await;
}

#[tokio::test]
async fn a_renamed_collection_is_gone_and_one_that_gets_the_name_is_new() {
    in_set("follow_renamed", async |bench| {
        let running = Running::begin(bench).await;
        stored(bench).await;
        let new = doc! { "_id": 2_i64, "name": "new", "load": 0_i64 };
        bench.seed("f_new", [new]).await;
        let name = bench.db.name();
        let rename = doc! {
            "renameCollection": format!("{name}.f_new"), "to": format!("{name}.f_hosts"), "dropTarget": true,
        };
        bench.client.database("admin").run_command(rename).await.expect("renamed");
        running.caught_up(&bench.db).await;
        assert_eq!(bench.len("f_messages").await, 1);
        assert_eq!(host_name(bench, 2).await, "new");
        sync_indexes(&bench.db).models(&models::all()).await.expect("indexes");
        right(bench).await;
        running.kill().await;
    })
    .await;
}

#[tokio::test]
async fn a_dropped_database_can_come_back() {
    in_set("follow_drop_database", async |bench| {
        let running = Running::begin(bench).await;
        stored(bench).await;
        running.caught_up(&bench.db).await;
        bench.db.drop().await.expect("dropped");
        sync_indexes(&bench.db)
            .models(&models::all())
            .await
            .expect("indexes");
        stored(bench).await;
        let rename = doc! { "$set": { "name": "again" } };
        bench
            .raw("f_hosts")
            .update_one(doc! { "_id": 1_i64 }, rename)
            .await
            .expect("renamed");
        running.caught_up(&bench.db).await;
        assert_eq!(host_name(bench, 1).await, "again");
        right(bench).await;
        running.kill().await;
    })
    .await;
}

/// A source that the server lets nobody change cannot be raised. It is named, it stays a gap until it can be changed, and the others are not
/// held up.
#[tokio::test]
async fn a_document_that_cannot_be_flagged_does_not_stop_the_rest() {
    in_set("follow_poison", async |bench| {
        let running = Running::begin(bench).await;
        stored(bench).await;
        let hosts = bench.raw("f_hosts");
        let poison = doc! { "name": "poison", "load": 0_i64 };
        let refuse = doc! { "collMod": "f_hosts", "validator": { "name": { "$ne": "poison" } } };
        running.caught_up(&bench.db).await;
        bench.db.run_command(refuse).await.expect("a validator");
        let replace = hosts.replace_one(doc! { "_id": 1_i64 }, poison);
        replace
            .bypass_document_validation(true)
            .await
            .expect("replaced");
        let rename = doc! { "$set": { "name": "due" } };
        hosts
            .update_one(doc! { "_id": 2_i64 }, rename)
            .await
            .expect("renamed");
        let now = now(&bench.db).await;
        let named = |problem: &String| problem.contains("f_hosts 1");
        let seen = |status: &Status| {
            status.followed.is_some_and(|followed| followed >= now)
                && status.problems.iter().any(named)
        };
        let status = running.until(seen).await;
        assert_eq!(status.gaps.len(), 1, "{status:?}");
        assert_eq!(host_name(bench, 2).await, "due");
        let allow = doc! { "collMod": "f_hosts", "validator": {} };
        bench.db.run_command(allow).await.expect("no validator");
        running.caught_up(&bench.db).await;
        assert_eq!(host_name(bench, 1).await, "poison");
        right(bench).await;
        running.kill().await;
    })
    .await;
}

/// `_dn` of another type is replaced.
#[tokio::test]
async fn library_fields_of_a_wrong_type_do_no_harm() {
    in_set("follow_type", async |bench| {
        let running = Running::begin(bench).await;
        stored(bench).await;
        let replaced = doc! { "name": "text", "load": 0_i64, "_dn": "text" };
        bench
            .raw("f_hosts")
            .replace_one(doc! { "_id": 1_i64 }, replaced)
            .await
            .expect("replaced");
        running.caught_up(&bench.db).await;
        assert_eq!(host_name(bench, 1).await, "text");
        right(bench).await;
        running.kill().await;
    })
    .await;
}
