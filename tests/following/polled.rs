//! A standalone server has no change streams: the documents are compared again and again.

use std::time::Duration;

use bson::{DateTime, doc};
use mongo_model::{Database, Error, Follower, MongoModel, capabilities};
use mongo_model_dev_server::{DevServer, Topology};

use crate::common::alone;
use crate::copies::{host, message};
use crate::models::{self, Host, Message};
use crate::running::right;

/// The error that ends a follower; a panic with its status if nothing ends it.
async fn ended(follower: Follower) -> Error {
    match tokio::time::timeout(Duration::from_secs(60), follower.run()).await {
        Ok(Err(error)) => error,
        Err(_) => panic!("still {:#?}", follower.status()),
    }
}

#[tokio::test]
async fn a_standalone_server_is_told_apart() {
    alone("follow_alone", async |bench| {
        let error = ended(Follower::new(&bench.db)).await;
        assert!(matches!(error, Error::Unsupported { .. }), "{error}");
        assert_eq!(bench.len("_dn.followers").await, 0);
    })
    .await;
}

/// A handle of a standalone server may lie where one of a replica set has been.
#[tokio::test]
async fn a_standalone_server_is_told_apart_at_any_address() {
    let set = DevServer::shared(Topology::ReplicaSet(1))
        .await
        .expect("a server");
    let set = set.client_with(|_| ()).await.expect("a client");
    alone("follow_reused", async |bench| {
        let name = bench.db.name();
        let address = |db: &Database| std::ptr::from_ref(db.client()).addr();
        let mut reused = None;
        for _ in 0..1_000 {
            let former = set.database(name);
            capabilities(&former).await.expect("an answer");
            let before = address(&former);
            drop(former);
            let db = bench.client.database(name);
            if address(&db) == before {
                reused = Some(db);
                break;
            }
        }
        let db = reused.expect("memory that is used again");
        let error = ended(Follower::new(&db)).await;
        assert!(matches!(error, Error::Unsupported { .. }), "{error}");
    })
    .await;
}

#[tokio::test]
async fn a_poll_finds_what_other_programs_did() {
    alone("follow_poll", async |bench| {
        bench.index(&models::all()).await;
        Host::insert(&bench.db, &host(1, "one"))
            .await
            .expect("stored");
        Message::insert(&bench.db, &message(1, 1))
            .await
            .expect("stored");
        let follower = Follower::new(&bench.db).changed_at::<Host>("changed");
        let task = tokio::spawn({
            let follower = follower.clone();
            async move { follower.poll(Duration::from_millis(20)).await }
        });
        let looks = async |n: u64| {
            follower
                .wait_until(|status| status.repaired >= n)
                .await
                .repaired
        };
        let first = looks(1).await;
        let whole = bench
            .stored("_dn.followers", "follower")
            .await
            .get("whole")
            .cloned();
        let rename = doc! { "$set": { "name": "uno", "changed": DateTime::now() } };
        bench
            .raw("f_hosts")
            .update_one(doc! { "_id": 1_i64 }, rename)
            .await
            .expect("renamed");
        looks(first + 2).await;
        let copy = bench.stored("f_messages", 1_i64).await;
        assert_eq!(copy.get_str("host_name").ok(), Some("uno"));
        let now = bench
            .stored("_dn.followers", "follower")
            .await
            .get("whole")
            .cloned();
        assert_eq!(now, whole, "the time field has led to it");
        task.abort();
        let _ = task.await;
        right(bench).await;
    })
    .await;
}

#[tokio::test]
async fn without_a_time_field_everything_is_compared_each_time() {
    alone("follow_poll_all", async |bench| {
        bench.index(&models::all()).await;
        Host::insert(&bench.db, &host(1, "one"))
            .await
            .expect("stored");
        Message::insert(&bench.db, &message(1, 1))
            .await
            .expect("stored");
        let follower = Follower::new(&bench.db);
        let task = tokio::spawn({
            let follower = follower.clone();
            async move { follower.poll(Duration::from_millis(20)).await }
        });
        let first = follower
            .wait_until(|status| status.repaired >= 1)
            .await
            .repaired;
        bench
            .raw("f_hosts")
            .delete_one(doc! { "_id": 1_i64 })
            .await
            .expect("deleted");
        follower
            .wait_until(|status| status.repaired >= first + 2)
            .await;
        assert_eq!(bench.len("f_messages").await, 0);
        task.abort();
        let _ = task.await;
        right(bench).await;
    })
    .await;
}
