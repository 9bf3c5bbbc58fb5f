//! Buckets: never overfull, never two open ones, every item once.

mod checked;
mod lost;
mod oracle;
mod overflowing;
mod races;
mod related;
mod removing;

use std::collections::BTreeSet;

use bson::{Bson, Document, doc};
use futures::TryStreamExt;
use mongo_model::{BucketId, Id, MongoEmbed, MongoModel, sync_validators};
use mongodb::options::FindOptions;
use serde::{Deserialize, Serialize};

use crate::common::{Bench, on_both};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "hosts")]
pub struct Host {
    #[serde(rename = "_id")]
    pub id: Id<Host>,
    pub name: String,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoEmbed)]
pub struct LogLine {
    #[serde(rename = "i")]
    pub id: i64,
    pub message: String,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "log_pages", bucket(lines))]
pub struct LogPage {
    #[serde(rename = "_id")]
    pub id: BucketId<Host>,
    #[parent(Host, on_delete = cascade, unchecked)]
    pub host: Id<Host>,
    #[serde(rename = "n")]
    pub count: i64,
    #[embed(max = 50)]
    #[serde(rename = "l")]
    pub lines: Vec<LogLine>,
    pub seen: Option<i64>,
}

pub(crate) fn line(id: i64) -> LogLine {
    LogLine {
        id,
        message: format!("message {id}"),
    }
}

pub(crate) fn lines(ids: impl IntoIterator<Item = i64>) -> Vec<LogLine> {
    ids.into_iter().map(line).collect()
}

pub(crate) fn ids(lines: &[LogLine]) -> Vec<i64> {
    lines.iter().map(|line| line.id).collect()
}

/// All buckets as they are stored, in the order of their numbers, with what holds of every bucket at any time looked at.
pub(crate) async fn buckets(bench: &Bench) -> Vec<Document> {
    let order = FindOptions::builder().sort(doc! { "_id": 1 }).build();
    let pages = bench.raw("log_pages");
    let all = pages.find(doc! {}).with_options(order);
    let all: Vec<Document> = all.await.expect("asked").try_collect().await.expect("read");
    let mut seen = BTreeSet::new();
    let (mut last, mut open) = (None, Vec::new());
    for bucket in &all {
        let id = bucket.get_document("_id").expect("an _id");
        assert_eq!(id.get("h"), bucket.get("host"));
        assert!(matches!(id.get("s"), Some(Bson::Int64(_))), "{id}");
        let items = bucket.get_array("l").expect("items");
        assert_eq!(bucket.get_i64("n").expect("a count"), items.len() as i64);
        assert!(items.len() <= 50, "overfull");
        for item in items {
            let item = item.as_document().expect("an item");
            let key = (id.get("h").map(ToString::to_string), item.get_i64("i").ok());
            assert!(seen.insert(key.clone()), "{key:?} is stored twice");
        }
        let taken = bucket.get_document("_dn").expect("marks").get_i64("n");
        let taken = taken.expect("how many it took");
        assert!((items.len() as i64..=50).contains(&taken), "took {taken}");
        // The buckets of one parent are numbered without a gap, and only the last one has room.
        let host = id.get("h").cloned();
        let next = match last {
            Some((of, at)) if of == host => at + 1,
            _ => {
                open.clear();
                0
            }
        };
        assert_eq!(id.get_i64("s").expect("a number"), next);
        assert!(open.is_empty(), "two open buckets");
        if taken < 50 {
            open.push(next);
        }
        last = Some((host, next));
    }
    bench.forget();
    all
}

/// The options of a call are those of each of its commands.
#[tokio::test]
async fn a_call_has_options() {
    on_both("bucket_options", async |bench| {
        let db = &bench.db;
        bench.index(&[LogPage::meta()]).await;
        let host = Id::new();
        let push = LogPage::push_many(db, host, [line(1), line(2)]);
        push.comment("by night").await.expect("stored");
        let removed = LogPage::remove_item(db, host, &2);
        removed.comment("by night").await.expect("removed");
        let items = LogPage::iterate(db, host).hint("_id_");
        let items = items.comment("by night").await.expect("read");
        let count = LogPage::count_items(db, host).hint("_id_");
        let count = count.comment("by night").await.expect("counted");
        assert_eq!((items.len(), count), (1, 1));
        let sent = bench.take();
        let names: Vec<&str> = sent.iter().map(|sent| sent.name.as_str()).collect();
        assert_eq!(
            names,
            ["aggregate", "insert", "find", "update", "find", "aggregate"]
        );
        for (n, sent) in sent.iter().enumerate() {
            let command = &sent.command;
            assert_eq!(
                command.get_str("comment").ok(),
                Some("by night"),
                "{command}"
            );
            let hint = (n > 3).then_some("_id_");
            assert_eq!(command.get_str("hint").ok(), hint, "{command}");
        }
    })
    .await;
}

#[tokio::test]
async fn a_push_is_one_look_and_one_write() {
    on_both("bucket_push", async |bench| {
        let db = &bench.db;
        bench.index(&[LogPage::meta()]).await;
        let host = Id::new();
        let done = LogPage::push(db, host, line(1)).await.expect("stored");
        assert!(done.added && done.sequence == 0 && done.pending.is_empty());
        assert_eq!(bench.sent(), ["aggregate", "insert"]);
        let stored = bench
            .stored("log_pages", doc! { "h": host.as_raw(), "s": 0_i64 })
            .await;
        assert_eq!(
            stored,
            doc! {
                "_id": { "h": host.as_raw(), "s": 0_i64 }, "host": host.as_raw(), "n": 1_i64,
                "l": [{ "i": 1_i64, "message": "message 1" }], "seen": null, "_dn": { "n": 1_i64 },
            }
        );
        let done = LogPage::push(db, host, line(2)).await.expect("stored");
        assert!(done.added && done.sequence == 0);
        assert_eq!(bench.sent(), ["aggregate", "update"]);
        // A repeated push costs only the read.
        let done = LogPage::push(db, host, line(1)).await.expect("asked");
        assert!(!done.added && done.sequence == 0);
        assert_eq!(bench.sent(), ["aggregate"]);
        assert_eq!(buckets(bench).await.len(), 1);
    })
    .await;
}

#[tokio::test]
async fn both_parts_of_the_look_are_served_by_an_index() {
    on_both("bucket_plan", async |bench| {
        let db = &bench.db;
        bench.index(&[LogPage::meta()]).await;
        let hosts = [Id::new(), Id::new()];
        for host in hosts {
            LogPage::push_many(db, host, lines(0..120)).await.expect("stored");
        }
        bench.forget();
        LogPage::push(db, hosts[0], line(7)).await.expect("asked");
        let look = bench.only();
        let newest = bench.explain(look.clone()).await;
        newest.assert_served_by("_id");
        // One bucket of the newest, one bucket of the item.
        assert!(newest.documents <= 2 && newest.keys <= 2, "{newest:#?}");
        let stages = look.get_array("pipeline").expect("a pipeline");
        let inside = stages.iter().find_map(|stage| {
            let lookup = stage.as_document()?.get_document("$lookup").ok()?;
            lookup.get_array("pipeline").ok()
        });
        let inside = doc! { "aggregate": "log_pages", "pipeline": inside.expect("a look for the item"), "cursor": {} };
        let item = bench.explain(inside).await;
        item.assert_served_by("host");
        assert_eq!((item.documents, item.keys), (1, 1), "{item:#?}");

        LogPage::page(db, hosts[1], 1).await.expect("read").expect("a page");
        let plan = bench.plan().await;
        // The plan of one `_id` has no stages to speak of in some versions.
        assert!(!plan.has("COLLSCAN") && plan.documents <= 1, "{plan:#?}");
        let read = LogPage::iterate(db, hosts[1]).newest_first().await.expect("read");
        assert_eq!(read.len(), 120);
        let plan = bench.plan().await;
        plan.assert_served_by("_id");
        assert!(!plan.has("SORT") && plan.documents == 3, "{plan:#?}");
        assert_eq!(LogPage::count_items(db, hosts[1]).await.expect("counted"), 120);
        let plan = bench.plan().await;
        plan.assert_served_by("_id");
        assert_eq!(plan.documents, 3);
        LogPage::remove_item(db, hosts[1], &119).await.expect("removed");
        let mut sent = bench.take();
        assert_eq!(sent.len(), 2);
        let plan = bench.explain(sent.remove(0).command).await;
        plan.assert_served_by("host");
        // It is there no more.
        assert_eq!((plan.documents, plan.keys), (0, 0), "{plan:#?}");
    })
    .await;
}

#[tokio::test]
async fn many_fill_the_open_bucket_and_open_the_next_ones() {
    on_both("bucket_many", async |bench| {
        let db = &bench.db;
        bench.index(&[LogPage::meta()]).await;
        let host = Id::new();
        LogPage::push_many(db, host, lines(0..30))
            .await
            .expect("stored");
        assert_eq!(bench.sent(), ["aggregate", "insert"]);
        // 20 fit; 130 need three buckets more, which one command opens.
        let done = LogPage::push_many(db, host, lines(30..180))
            .await
            .expect("stored");
        assert_eq!((done.added, done.there, done.opened), (150, 0, 3));
        assert_eq!(bench.sent(), ["aggregate", "update", "insert"]);
        assert_eq!(buckets(bench).await.len(), 4);
        // Across buckets, some of them twice in the call.
        let again = (10..60).chain([200, 201, 200, 60]);
        let done = LogPage::push_many(db, host, lines(again))
            .await
            .expect("stored");
        assert_eq!((done.added, done.there, done.opened), (2, 52, 0));
        assert_eq!(bench.sent(), ["aggregate", "update"]);
        let done = LogPage::push_many(db, host, lines(0..180))
            .await
            .expect("asked");
        assert_eq!((done.added, done.there, done.opened), (0, 180, 0));
        assert_eq!(bench.sent(), ["aggregate"]);
        let done = LogPage::push_many(db, host, lines([]))
            .await
            .expect("nothing");
        assert_eq!((done.added, done.there), (0, 0));
        assert!(bench.sent().is_empty());
        let read = LogPage::iterate(db, host).await.expect("read");
        assert_eq!(ids(&read), (0..180).chain([200, 201]).collect::<Vec<_>>());
        // 2,500 are looked for in three portions.
        let other = Id::new();
        bench.forget();
        let done = LogPage::push_many(db, other, lines(0..2_500))
            .await
            .expect("stored");
        assert_eq!((done.added, done.opened), (2_500, 50));
        assert_eq!(
            bench.sent(),
            [
                "aggregate",
                "insert",
                "aggregate",
                "insert",
                "aggregate",
                "insert"
            ]
        );
        assert_eq!(buckets(bench).await.len(), 54);
    })
    .await;
}

#[tokio::test]
async fn the_validator_of_the_model_lets_buckets_pass() {
    on_both("bucket_validator", async |bench| {
        let db = &bench.db;
        bench.index(&[LogPage::meta()]).await;
        let synced = sync_validators(db).only::<LogPage>().error();
        synced.await.expect("validators");
        let host = Id::new();
        let done = LogPage::push_many(db, host, lines(0..70)).await.expect("stored");
        assert_eq!((done.added, done.opened), (70, 2));
        // It is there: another program's bucket without a number is refused.
        let wrong = doc! { "_id": { "h": host.as_raw(), "s": "7" }, "host": host.as_raw(), "n": 0_i64, "l": [] };
        assert!(bench.raw("log_pages").insert_one(wrong).await.is_err());
        buckets(bench).await;
    })
    .await;
}

#[tokio::test]
async fn pages_items_and_their_number() {
    on_both("bucket_read", async |bench| {
        let db = &bench.db;
        bench.index(&[LogPage::meta()]).await;
        let (host, other) = (Id::new(), Id::new());
        assert_eq!(LogPage::count_items(db, host).await.expect("counted"), 0);
        assert!(LogPage::iterate(db, host).await.expect("read").is_empty());
        assert!(LogPage::page(db, host, 0).await.expect("read").is_none());
        LogPage::push_many(db, other, lines(1_000..1_070))
            .await
            .expect("stored");
        LogPage::push_many(db, host, lines(0..120))
            .await
            .expect("stored");
        bench.forget();

        let page = LogPage::page(db, host, 1)
            .await
            .expect("read")
            .expect("it is there");
        assert_eq!(
            (page.id, page.host, page.count),
            (BucketId::new(host, 1), host, 50)
        );
        assert_eq!((page.id.sequence(), page.id.parent()), (1, &host));
        assert_eq!(ids(&page.lines), (50..100).collect::<Vec<_>>());
        assert_eq!(bench.sent(), ["find"]);
        assert!(LogPage::page(db, host, 3).await.expect("read").is_none());
        bench.forget();

        let read = LogPage::iterate(db, host).await.expect("read");
        assert_eq!(ids(&read), (0..120).collect::<Vec<_>>());
        assert_eq!(bench.sent(), ["find"]);
        let newest = LogPage::iterate(db, host)
            .newest_first()
            .batch_size(1)
            .stream();
        let newest: Vec<LogLine> = newest.try_collect().await.expect("read");
        assert_eq!(ids(&newest), (0..120).rev().collect::<Vec<_>>());
        bench.forget();
        assert_eq!(LogPage::count_items(db, host).await.expect("counted"), 120);
        assert_eq!(bench.sent(), ["aggregate"]);
        assert_eq!(LogPage::count_items(db, other).await.expect("counted"), 70);
        // The methods of every model read buckets as well.
        let all = LogPage::by_host(db, host).await.expect("read");
        assert_eq!(all.len(), 3);
        LogPage::update(db, BucketId::new(host, 0))
            .set(|p| p.seen, Some(7))
            .await
            .expect("changed");
        let page = LogPage::get(db, BucketId::new(host, 0))
            .await
            .expect("read");
        assert_eq!(page.expect("it is there").seen, Some(7));
    })
    .await;
}
