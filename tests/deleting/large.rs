//! Squillions: a host with 100,000 messages, and one with 20,000 disks that are referred to themselves.

use std::time::{Duration, Instant};

use bson::{DateTime, doc};
use mongo_model::{MongoModel, Progress};
use serde::{Deserialize, Serialize};

use crate::common::{alone, in_set};
use crate::settled::settled;

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "large_hosts")]
struct Host {
    #[serde(rename = "_id")]
    id: i32,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "large_machines")]
struct Machine {
    #[serde(rename = "_id")]
    id: i32,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "large_logs")]
struct Log {
    #[serde(rename = "_id")]
    id: i32,
    #[parent(Host, sort = -time, on_delete = cascade)]
    host: i32,
    time: DateTime,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "large_disks")]
struct Disk {
    #[serde(rename = "_id")]
    id: i32,
    #[parent(Machine, on_delete = cascade)]
    host: i32,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "large_files")]
struct File {
    #[serde(rename = "_id")]
    id: i32,
    #[parent(Disk)]
    disk: i32,
}

async fn seed(bench: &crate::common::Bench, collection: &str, rows: i32) {
    for start in (0..rows).step_by(20_000) {
        let row =
            |n: i32| doc! { "_id": n, "host": 1, "time": DateTime::from_millis(i64::from(n)) };
        bench
            .seed(collection, (start..(start + 20_000).min(rows)).map(row))
            .await;
    }
}

// D31: one `deleteMany` by the indexed reference; no list of ids goes over the wire.
#[tokio::test]
async fn a_hundred_thousand_leaves() {
    alone("large_leaves", async |bench| {
        bench
            .index(&[
                Host::meta(),
                Machine::meta(),
                Log::meta(),
                Disk::meta(),
                File::meta(),
            ])
            .await;
        bench.place(&[Host { id: 1 }, Host { id: 2 }]).await;
        seed(bench, "large_logs", 100_000).await;
        let begun = Instant::now();
        let mut told: Vec<Progress> = Vec::new();
        let done = Host::delete(&bench.db, 1)
            .progress(|so_far| told.push(so_far))
            .await;
        let done = done.expect("deleted");
        let took = begun.elapsed();
        println!("100,000 leaves: {took:?}");
        assert_eq!((done.deleted, done.cascaded), (1, 100_000));
        assert!(
            told.iter().any(|so_far| so_far.deleted >= 100_000),
            "{told:?}"
        );
        let sent = bench.take();
        let deletes = sent.iter().filter(|sent| sent.name == "delete");
        let longest = sent.iter().map(|sent| {
            bson::serialize_to_vec(&sent.command)
                .expect("encodes")
                .len()
        });
        assert!(longest.max().expect("sent") < 4_096);
        // The messages, the host, and once more what was stored meanwhile.
        assert_eq!(deletes.count(), 3);
        assert!(took < Duration::from_secs(30), "{took:?}");
        settled(bench).await;
    })
    .await;
}

// C1: in pages, each looked at, marked and followed; memory holds one of them.
#[tokio::test]
async fn a_host_with_disks_that_are_referred_to() {
    in_set("large_pages", async |bench| {
        bench
            .index(&[Machine::meta(), Log::meta(), Disk::meta(), File::meta()])
            .await;
        bench.place(&[Machine { id: 1 }]).await;
        seed(bench, "large_disks", 20_000).await;
        bench
            .place(&[File {
                id: 1,
                disk: 19_999,
            }])
            .await;
        let refused = Machine::delete(&bench.db, 1).await;
        assert!(
            matches!(refused, Err(mongo_model::Error::Referenced { .. })),
            "{refused:?}"
        );
        bench
            .raw("large_files")
            .delete_many(doc! {})
            .await
            .expect("gone");
        bench.forget();
        let begun = Instant::now();
        let mut told: Vec<Progress> = Vec::new();
        let done = Machine::delete(&bench.db, 1)
            .progress(|so_far| told.push(so_far))
            .await;
        let done = done.expect("deleted");
        println!("20,000 disks: {:?}", begun.elapsed());
        assert_eq!((done.deleted, done.cascaded), (1, 20_000));
        assert!(told.iter().any(|so_far| so_far.looked >= 20_000));
        let sizes = bench.take();
        let sizes = sizes.iter().map(|sent| {
            bson::serialize_to_vec(&sent.command)
                .expect("encodes")
                .len()
        });
        // 5,000 ids of a page.
        assert!(sizes.max().expect("sent") < 256 * 1_024);
        settled(bench).await;
    })
    .await;
}
