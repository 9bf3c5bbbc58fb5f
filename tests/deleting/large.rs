//! Squillions: a host with 100,000 messages, and one with 20,000 disks that are referred to themselves.

use bson::{DateTime, doc};
use mongo_model::{MongoModel, Progress};
use serde::{Deserialize, Serialize};

use crate::common::{alone, in_set};
use crate::deleting::settled::settled;

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

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "large_kept_hosts")]
struct Kept {
    #[serde(rename = "_id")]
    id: i32,
    ipaddr: String,
    #[recent(Message, max = 1000, sort = time, fields(time, text))]
    last: Vec<RecentMessage>,
    #[count(Message)]
    messages: i64,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "large_kept_messages")]
struct Message {
    #[serde(rename = "_id")]
    id: i32,
    #[parent(Kept, sort = -time, on_delete = cascade)]
    host: i32,
    #[denorm(from = Kept, field = ipaddr)]
    ipaddr: String,
    time: DateTime,
    text: String,
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

// A single `deleteMany` by the indexed reference; no list of ids goes over the wire.
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
        let mut told: Vec<Progress> = Vec::new();
        let done = Host::delete(&bench.db, 1)
            .progress(|so_far| told.push(so_far))
            .await;
        let done = done.expect("deleted");
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
        // The messages, and the host. A message that is stored meanwhile carries a mark, under which its writer finds that the host is gone.
        assert_eq!(deletes.count(), 2);
        settled(bench).await;
    })
    .await;
}

// The delete of a host removes its list and its number of messages; the messages are leaves all the same.
#[tokio::test]
async fn a_hundred_thousand_messages_that_their_host_lists_and_counts() {
    alone("large_kept", async |bench| {
        bench.index(&[Kept::meta(), Message::meta()]).await;
        let row = |n: i32| {
            let time = DateTime::from_millis(i64::from(n));
            let text = format!("message {n}");
            doc! { "_id": n, "host": 1, "ipaddr": "10.0.0.1", "time": time, "text": text, "_dn": { "r": 2 }, "_r_host": 2 }
        };
        for start in (0..100_000).step_by(20_000) {
            bench
                .seed("large_kept_messages", (start..start + 20_000).map(row))
                .await;
        }
        let last = (99_000..100_000).map(|n| {
            let time = DateTime::from_millis(i64::from(n));
            doc! { "id": n, "time": time, "text": format!("message {n}"), "_r": 2 }
        });
        let last: Vec<bson::Document> = last.collect();
        let host = doc! { "_id": 1, "ipaddr": "10.0.0.1", "last": last, "messages": 100_000_i64, "_dn": { "r": 2 } };
        bench.seed("large_kept_hosts", [host]).await;
        let mut told: Vec<Progress> = Vec::new();
        let done = Kept::delete(&bench.db, 1)
            .progress(|so_far| told.push(so_far))
            .await;
        let done = done.expect("deleted");
        assert_eq!((done.deleted, done.cascaded), (1, 100_000));
        assert!(told.iter().any(|so_far| so_far.deleted >= 100_000), "{told:?}");
        let sent = bench.take();
        let names: Vec<&str> = sent.iter().map(|sent| sent.name.as_str()).collect();
        assert!(!names.contains(&"update"), "{names:?}");
        let of_messages = sent.iter().filter(|sent| {
            sent.name == "delete" && sent.command.get_str("delete").is_ok_and(|name| name == "large_kept_messages")
        });
        // References with copies show by themselves which documents were stored meanwhile, so there is no second delete.
        assert_eq!(of_messages.count(), 1);
        assert_eq!(bench.len("large_kept_messages").await, 0);
        assert_eq!(bench.len("large_kept_hosts").await, 0);
        settled(bench).await;
    })
    .await;
}

// In pages, each looked at, marked and followed; memory holds one of them.
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
        let mut told: Vec<Progress> = Vec::new();
        let done = Machine::delete(&bench.db, 1)
            .progress(|so_far| told.push(so_far))
            .await;
        let done = done.expect("deleted");
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
