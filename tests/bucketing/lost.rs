//! Lost replies, and programs that end half way.

use mongo_model::{Error, Id, MongoModel};

use crate::bucketing::{LogPage, buckets, ids, line, lines};
use crate::common::alone;
use crate::lossy::Lossy;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_was_stored_is_not_stored_again() {
    alone("bucket_lost", async |bench| {
        let lossy = Lossy::open().await;
        let db = lossy.database(bench.db.name()).await;
        bench.index(&[LogPage::meta()]).await;
        let host = Id::new();
        // The insert of the first bucket, and the update of one.
        for id in [1, 2] {
            lossy.lose(1, "message", || {});
            let done = LogPage::push(&db, host, line(id)).await.expect("stored");
            assert_eq!((lossy.left(), done.added, done.sequence), (0, false, 0));
        }
        // The update that fills the bucket, then the insert of those behind it.
        lossy.lose(2, "message", || {});
        let done = LogPage::push_many(&db, host, lines(3..200))
            .await
            .expect("stored");
        assert_eq!((lossy.left(), done.added + done.there), (0, 197));
        let read = LogPage::iterate(&db, host).await.expect("read");
        assert_eq!(ids(&read), (1..200).collect::<Vec<_>>());
        assert_eq!(buckets(bench).await.len(), 4);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn half_of_many_are_stored_and_then_the_rest() {
    alone("bucket_half", async |bench| {
        let lossy = Lossy::open().await;
        let db = lossy.database(bench.db.name()).await;
        bench.index(&[LogPage::meta()]).await;
        let host = Id::new();
        LogPage::push_many(&db, host, lines(0..10))
            .await
            .expect("stored");
        // Another program's validator stops every bucket but the open one.
        let rule = bson::doc! { "collMod": "log_pages", "validator": { "_id.s": { "$lt": 1 } } };
        bench.db.run_command(rule).await.expect("a rule");
        let items = lines(0..100);
        let failed = LogPage::push_many(&db, host, &items).await;
        match failed {
            Err(Error::PushedInPart {
                model,
                added,
                of,
                source,
            }) => {
                assert_eq!((model, added, of), ("LogPage", 40, 100));
                assert!(matches!(*source, Error::Driver(_)), "{source}");
            }
            other => panic!("half of it was expected: {other:?}"),
        }
        // Nothing of it is stored: that is the server's error as it is.
        let failed = LogPage::push_many(&db, host, lines(50..60)).await;
        assert!(matches!(failed, Err(Error::Driver(_))), "{failed:?}");
        assert_eq!(buckets(bench).await.len(), 1);
        let rule = bson::doc! { "collMod": "log_pages", "validator": {} };
        bench.db.run_command(rule).await.expect("no rule");
        let done = LogPage::push_many(&db, host, &items).await.expect("stored");
        assert_eq!((done.added, done.there, done.opened), (50, 50, 1));
        let read = LogPage::iterate(&db, host).await.expect("read");
        assert_eq!(ids(&read), (0..100).collect::<Vec<_>>());
        buckets(bench).await;
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn whoever_is_stopped_half_way_sends_it_again() {
    alone("bucket_stopped", async |bench| {
        bench.index(&[LogPage::meta()]).await;
        for steps in 1..=3_usize {
            let lossy = Lossy::open().await;
            let db = lossy.database(bench.db.name()).await;
            let host = Id::new();
            LogPage::push_many(&db, host, lines(0..20))
                .await
                .expect("stored");
            // The task is stopped when the server has answered the nth of its commands and before it hears of it.
            let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
            let mut stop = Some(stop);
            let marked = ["$sort", "$push", "message 119"][steps - 1];
            lossy.lose(1, marked, move || {
                if let Some(stop) = stop.take() {
                    let _ = stop.send(());
                }
            });
            let pushing = LogPage::push_many(&db, host, lines(20..120));
            tokio::select! {
                biased;
                _ = stopped => {}
                done = pushing.into_future() => panic!("it was to be stopped: {done:?}"),
            }
            let before = LogPage::count_items(&bench.db, host)
                .await
                .expect("counted");
            assert_eq!(before, [20, 50, 120][steps - 1]);
            let done = LogPage::push_many(&bench.db, host, lines(20..120))
                .await
                .expect("stored");
            assert_eq!(done.added, 120 - before);
            let read = LogPage::iterate(&bench.db, host).await.expect("read");
            assert_eq!(ids(&read), (0..120).collect::<Vec<_>>());
        }
        buckets(bench).await;
    })
    .await;
}
