//! Items that are taken out, and buckets that go with their parent.

use bson::doc;
use mongo_model::{BucketId, Id, MongoModel};

use crate::bucketing::{Host, LogPage, buckets, ids, line, lines};
use crate::common::{number, on_both};

#[tokio::test]
async fn a_removed_item_leaves_room_in_the_open_bucket_only_in_its_count() {
    on_both("bucket_remove", async |bench| {
        let db = &bench.db;
        bench.index(&[LogPage::meta()]).await;
        let host = Id::new();
        LogPage::push_many(db, host, lines(0..60))
            .await
            .expect("stored");
        bench.forget();
        // Remove from a closed bucket: it stays closed.
        let done = LogPage::remove_item(db, host, &10).await.expect("removed");
        assert!(done.removed);
        assert_eq!(bench.sent(), ["find", "update"]);
        let done = LogPage::remove_item(db, host, &10).await.expect("asked");
        assert!(!done.removed);
        assert_eq!(bench.sent(), ["find"]);
        let all = buckets(bench).await;
        let shape: Vec<i64> = all.iter().map(|b| number(b.get("n").expect("n"))).collect();
        assert_eq!(shape, [49, 10]);
        // Remove from the open bucket: the item still counts towards the 50 that a bucket takes in all.
        LogPage::remove_item(db, host, &55).await.expect("removed");
        LogPage::push_many(db, host, lines(100..150))
            .await
            .expect("stored");
        let all = buckets(bench).await;
        let shape: Vec<i64> = all.iter().map(|b| number(b.get("n").expect("n"))).collect();
        assert_eq!(shape, [49, 49, 10]);
        assert_eq!(LogPage::count_items(db, host).await.expect("counted"), 108);
        // A removed item can be pushed again, as a new item.
        let done = LogPage::push(db, host, line(10)).await.expect("stored");
        assert!(done.added && done.sequence == 2);
        buckets(bench).await;
    })
    .await;
}

#[tokio::test]
async fn an_emptied_bucket_keeps_its_number() {
    on_both("bucket_emptied", async |bench| {
        let db = &bench.db;
        bench.index(&[LogPage::meta()]).await;
        let host = Id::new();
        LogPage::push_many(db, host, lines(0..101))
            .await
            .expect("stored");
        for id in 50..100 {
            let done = LogPage::remove_item(db, host, &id).await.expect("removed");
            assert!(done.removed);
        }
        let page = LogPage::page(db, host, 1)
            .await
            .expect("read")
            .expect("it stays");
        assert!(page.lines.is_empty() && page.count == 0);
        let page = LogPage::page(db, host, 2)
            .await
            .expect("read")
            .expect("it is there");
        assert_eq!(ids(&page.lines), [100]);
        let all = LogPage::iterate(db, host).await.expect("read");
        assert_eq!(ids(&all), (0..50).chain([100]).collect::<Vec<_>>());
        buckets(bench).await;
    })
    .await;
}

#[tokio::test]
async fn buckets_go_with_their_parent() {
    on_both("bucket_cascade", async |bench| {
        let db = &bench.db;
        bench.index(&[LogPage::meta(), Host::meta()]).await;
        let hosts = [Id::new(), Id::new()].map(|id| Host {
            id,
            name: "h".to_owned(),
        });
        Host::insert_many(db, &hosts).await.expect("stored");
        for host in &hosts {
            LogPage::push_many(db, host.id, lines(0..120))
                .await
                .expect("stored");
        }
        let done = Host::delete(db, hosts[0].id).await.expect("deleted");
        assert_eq!((done.deleted, done.cascaded), (1, 3));
        assert_eq!(
            LogPage::count_items(db, hosts[0].id)
                .await
                .expect("counted"),
            0
        );
        assert_eq!(
            LogPage::count_items(db, hosts[1].id)
                .await
                .expect("counted"),
            120
        );
        // One bucket is deleted as any document; the newest is opened again.
        LogPage::delete(db, BucketId::new(hosts[1].id, 2))
            .await
            .expect("deleted");
        let done = LogPage::push(db, hosts[1].id, line(500))
            .await
            .expect("stored");
        assert_eq!((done.added, done.sequence), (true, 2));
        buckets(bench).await;
    })
    .await;
}

#[tokio::test]
async fn a_bucket_of_another_program_takes_no_more() {
    on_both("bucket_foreign", async |bench| {
        let db = &bench.db;
        bench.index(&[LogPage::meta()]).await;
        let host: Id<Host> = Id::new();
        let own = doc! {
            "_id": { "h": host.as_raw(), "s": 4_i64 }, "host": host.as_raw(), "n": 1_i64,
            "l": [{ "i": 1_i64, "message": "message 1" }],
        };
        bench.seed("log_pages", [own.clone()]).await;
        let there = LogPage::push(db, host, line(1)).await.expect("asked");
        assert_eq!((there.added, there.sequence), (false, 4));
        let done = LogPage::push(db, host, line(2)).await.expect("stored");
        assert_eq!((done.added, done.sequence), (true, 5));
        let id = own.get("_id").cloned().expect("an _id");
        assert_eq!(bench.stored("log_pages", id).await, own);
    })
    .await;
}
