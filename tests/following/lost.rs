//! An oplog that really loses the place of the stream.

use bson::doc;
use mongo_model::{Follower, MongoModel, sync_indexes, verify};
use mongo_model_dev_server::{DevServer, Environment, Topology};

use crate::copies::{host, message};
use crate::models::{self, Host, Message};
use crate::running::Running;

/// The oplog is filled until its oldest entry is later than the stored position.
#[tokio::test]
#[ignore = "fills an oplog of 990 MB"]
async fn an_oplog_that_has_lost_the_place_is_a_gap() {
    let environment = Environment {
        mongodb_uri: None,
        arguments: ["--oplogSize", "990"].map(str::to_owned).into(),
        ..Environment::from_process()
    };
    let server = DevServer::start_in(environment, Topology::ReplicaSet(1))
        .await
        .expect("a server");
    let client = server.client().await.expect("a client");
    let db = client.database("lost");
    sync_indexes(&db)
        .models(&models::all())
        .await
        .expect("indexes");
    let running = Running::start(Follower::new(&db)).await;
    Host::insert_many(&db, &[host(1, "one"), host(2, "two")])
        .await
        .expect("stored");
    Message::insert_many(&db, &[message(1, 1), message(2, 2)])
        .await
        .expect("stored");
    running.caught_up(&db).await;
    let repaired = running.follower.status().repaired;
    assert_eq!(repaired, 1, "the first look");
    running.kill().await;
    let hosts = db.collection::<bson::Document>("f_hosts");
    hosts
        .update_one(doc! { "_id": 2_i64 }, doc! { "$set": { "name": "due" } })
        .await
        .expect("renamed");
    hosts
        .delete_one(doc! { "_id": 1_i64 })
        .await
        .expect("deleted");
    let missed = crate::running::now(&db).await;
    let filler = client
        .database("filler")
        .collection::<bson::Document>("filler");
    let oplog = client
        .database("local")
        .collection::<bson::Document>("oplog.rs");
    let large = "x".repeat(15_000_000);
    // The server may remove the oldest entry while it is read.
    let reaches_back = async || {
        let first = oplog.find_one(doc! {}).sort(doc! { "$natural": 1 }).await;
        let first = first.ok().flatten();
        first.is_none_or(|first| first.get_timestamp("ts").expect("a time") <= missed)
    };
    while reaches_back().await {
        filler
            .insert_one(doc! { "large": &large })
            .await
            .expect("stored");
        filler.delete_many(doc! {}).await.expect("deleted");
    }
    let running = Running::start(Follower::new(&db)).await;
    let status = running.caught_up(&db).await;
    assert_eq!(status.repaired, 1, "{status:?}");
    assert!(
        status
            .problems
            .iter()
            .any(|problem| problem.contains("286") || problem.contains("resume")),
        "{status:?}"
    );
    let messages = db.collection::<bson::Document>("f_messages");
    assert_eq!(messages.count_documents(doc! {}).await.expect("counted"), 1);
    let found = verify(&db).await.expect("looked");
    assert!(found.is_settled(), "{found}");
    running.kill().await;
}
