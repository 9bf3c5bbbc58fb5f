//! Many writers at the same time.

use bson::doc;
use mongo_model::{Id, MongoModel};

use crate::bucketing::{LogPage, buckets, line, lines};
use crate::common::{Bench, alone, in_set, on_both};

/// The sizes of all buckets, in the order of their numbers.
async fn sizes(bench: &Bench) -> Vec<i64> {
    let all = buckets(bench).await;
    all.iter()
        .map(|b| b.get_i64("n").expect("a count"))
        .collect()
}

async fn eight_tasks(bench: &Bench) {
    bench.index(&[LogPage::meta()]).await;
    let host = Id::new();
    let tasks = (0..8).map(|task| {
        let db = bench.db.clone();
        tokio::spawn(async move {
            for n in 0..100 {
                let done = LogPage::push(&db, host, line(task * 100 + n)).await;
                assert!(done.expect("stored").added);
            }
        })
    });
    for task in tasks.collect::<Vec<_>>() {
        task.await.expect("done");
    }
    // 800 are exactly 16 buckets; that each is there once is looked at by `buckets`.
    assert_eq!(sizes(bench).await, vec![50; 16]);
    assert_eq!(
        LogPage::count_items(&bench.db, host)
            .await
            .expect("counted"),
        800
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn eight_tasks_fill_sixteen_buckets_alone() {
    alone("bucket_tasks", eight_tasks).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn eight_tasks_fill_sixteen_buckets_in_a_set() {
    in_set("bucket_tasks_set", eight_tasks).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_all_who_open_the_next_bucket_one_does() {
    on_both("bucket_roll_over", async |bench| {
        bench.index(&[LogPage::meta()]).await;
        for round in 0..10 {
            let host = Id::new();
            // A full bucket, or none at all.
            let full = if round % 2 == 0 { 50 } else { 0 };
            LogPage::push_many(&bench.db, host, lines(0..full))
                .await
                .expect("stored");
            let tasks = (0..16).map(|n| {
                let db = bench.db.clone();
                tokio::spawn(async move {
                    let done = LogPage::push(&db, host, line(100 + n))
                        .await
                        .expect("stored");
                    assert!(done.added);
                    done.sequence
                })
            });
            for task in tasks.collect::<Vec<_>>() {
                assert_eq!(task.await.expect("done"), full / 50);
            }
            let mine = doc! { "host": host.as_raw() };
            let len = bench.raw("log_pages").count_documents(mine).await;
            assert_eq!(len.expect("counted"), 1 + (full / 50) as u64);
        }
        buckets(bench).await;
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_same_items_from_many_are_stored_once() {
    on_both("bucket_same", async |bench| {
        bench.index(&[LogPage::meta()]).await;
        let host = Id::new();
        // Each sends all of the same 230, one by one or many at a time, in another order.
        let tasks = (0..6).map(|task| {
            let db = bench.db.clone();
            tokio::spawn(async move {
                let mut all: Vec<i64> = (0..230).collect();
                all.rotate_left(usize::try_from(task).expect("few") * 40);
                let mut added = 0;
                if task % 2 == 0 {
                    for id in all {
                        let done = LogPage::push(&db, host, line(id)).await.expect("sent");
                        added += u64::from(done.added);
                    }
                } else {
                    for some in all.chunks(70) {
                        let items = lines(some.iter().copied());
                        let done = LogPage::push_many(&db, host, items).await.expect("sent");
                        assert_eq!(done.added + done.there, some.len() as u64);
                        added += done.added;
                    }
                }
                added
            })
        });
        let mut added = 0;
        for task in tasks.collect::<Vec<_>>() {
            added += task.await.expect("done");
        }
        assert_eq!(added, 230);
        assert_eq!(sizes(bench).await, [50, 50, 50, 50, 30]);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn items_come_and_go_at_the_same_time() {
    on_both("bucket_churn", async |bench| {
        bench.index(&[LogPage::meta()]).await;
        let host = Id::new();
        let pushing = (0..4).map(|task| {
            let db = bench.db.clone();
            tokio::spawn(async move {
                for n in 0..120 {
                    let id = task * 120 + n;
                    LogPage::push(&db, host, line(id)).await.expect("stored");
                    if n % 3 == 0 {
                        let gone = LogPage::remove_item(&db, host, &id).await;
                        assert!(gone.expect("removed").removed);
                    }
                    // Late, as from a queue that delivers twice.
                    if n > 40 && (n - 40) % 3 != 0 {
                        let again = LogPage::push(&db, host, line(id - 40)).await;
                        assert!(!again.expect("asked").added);
                    }
                }
            })
        });
        for task in pushing.collect::<Vec<_>>() {
            task.await.expect("done");
        }
        // 480 were taken, 160 of them removed: nine full buckets and one that has taken 30.
        let sizes = sizes(bench).await;
        assert_eq!((sizes.len(), sizes.iter().sum::<i64>()), (10, 320));
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_transaction_takes_its_items_along_or_none() {
    in_set("bucket_transaction", async |bench| {
        let db = &bench.db;
        bench.index(&[LogPage::meta()]).await;
        let host = Id::new();
        LogPage::push_many(db, host, lines(0..45))
            .await
            .expect("stored");
        for commit in [false, true] {
            let mut session = bench.transaction().await;
            let items = lines(45..60);
            let done = LogPage::push_many(db, host, items)
                .driver_session(&mut session)
                .await;
            assert_eq!(done.expect("stored").added, 15);
            let one = LogPage::push(db, host, line(60))
                .driver_session(&mut session)
                .await;
            assert_eq!(one.expect("stored").sequence, 1);
            let gone = LogPage::remove_item(db, host, &0)
                .driver_session(&mut session)
                .await;
            assert!(gone.expect("removed").removed);
            let inside = LogPage::count_items(db, host)
                .driver_session(&mut session)
                .await;
            assert_eq!(inside.expect("counted"), 60);
            if commit {
                session.commit_transaction().await.expect("committed");
            } else {
                session.abort_transaction().await.expect("aborted");
                assert_eq!(LogPage::count_items(db, host).await.expect("counted"), 45);
            }
        }
        assert_eq!(sizes(bench).await, [49, 11]);
    })
    .await;
}
