//! Lost replies.

use std::time::Duration;

use mongo_model::{Error, Id, MongoModel};
use tokio::runtime::Handle;

use crate::common::alone;
use crate::lossy::Lossy;
use crate::queueing::referring::{Page, Print, Printer};
use crate::queueing::{LONG, Mail, mail, pass_time};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_was_said_is_not_said_twice() {
    alone("queue_lost", async |bench| {
        let lossy = Lossy::open().await;
        let db = lossy.database(bench.db.name()).await;
        bench.index(&[Mail::meta()]).await;
        Mail::queue(&db)
            .push_many([&mail(1, 1), &mail(2, 0)])
            .await
            .expect("stored");
        let mut first = Mail::queue(&db)
            .pop("w", LONG)
            .await
            .expect("asked")
            .expect("one");
        lossy.lose(1, "$dateAdd", || {});
        first.extend(&db, LONG).await.expect("extended");
        assert_eq!(lossy.left(), 0);
        lossy.lose(2, "_dn.q.t", || {});
        let done = first.ack(&db).await.expect("done");
        assert_eq!((lossy.left(), done.deleted), (0, 1));
        assert!(matches!(
            first.ack(&db).await,
            Err(Error::LeaseLost { token: 1, .. })
        ));

        let second = Mail::queue(&db)
            .pop("w", LONG)
            .await
            .expect("asked")
            .expect("one");
        lossy.lose(1, "_dn.q.t", || {});
        second.nack(&db, Duration::ZERO).await.expect("given back");
        assert_eq!(lossy.left(), 0);
        assert!(matches!(
            second.ack(&db).await,
            Err(Error::LeaseLost { .. })
        ));

        // A lease whose reply was lost ends by itself.
        lossy.lose(1, "findAndModify", || {});
        assert!(Mail::queue(&db).pop("w", LONG).await.is_err());
        assert_eq!(lossy.left(), 0);
        assert!(
            Mail::queue(&db)
                .pop("w", LONG)
                .await
                .expect("asked")
                .is_none()
        );
        pass_time(bench, "mails", 2_i64).await;
        let third = Mail::queue(&db)
            .pop("w", LONG)
            .await
            .expect("asked")
            .expect("one");
        assert_eq!(third.token(), 3);
        third.ack(&db).await.expect("done");
        assert_eq!(bench.len("mails").await, 0);
    })
    .await;
}

/// The delete of a worker is lost on its way. Its lease ends, and another does the job and says so: the first is not told that it was
/// its own delete that the job is gone by.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_worker_acknowledges_a_job() {
    alone("queue_acked_once", async |bench| {
        let lossy = Lossy::open().await;
        let db = lossy.database(bench.db.name()).await;
        bench.index(&[Mail::meta()]).await;
        let pop = async |lease: Duration| {
            Mail::queue(&db).push(&mail(1, 1)).await.expect("stored");
            let leased = Mail::queue(&db).pop("first", lease).await.expect("asked");
            leased.expect("one")
        };
        let short = Duration::from_millis(1);

        let first = pop(short).await;
        let (other, runtime) = (bench.db.clone(), Handle::current());
        lossy.lose_one(0, "_dn.q.t", false, move || {
            runtime.block_on(async {
                let second = loop {
                    let queue = Mail::queue(&other);
                    if let Some(second) = queue.pop("second", LONG).await.expect("asked") {
                        break second;
                    }
                };
                second.ack(&other).await.expect("done");
            });
        });
        let done = first.ack(&db).await;
        assert_eq!(lossy.left(), 0);
        assert!(
            matches!(done, Err(Error::LeaseLost { token: 1, .. })),
            "{done:?}"
        );

        // No other worker has come, and the lease has ended: it is in doubt whose delete it was.
        let first = pop(short).await;
        let (other, runtime) = (bench.db.clone(), Handle::current());
        lossy.lose_one(0, "_dn.q.t", true, move || {
            runtime.block_on(async {
                let hello = async || {
                    let hello = other.run_command(bson::doc! { "hello": 1 }).await;
                    *hello
                        .expect("asked")
                        .get_datetime("localTime")
                        .expect("a time")
                };
                let start = hello().await;
                while hello().await.timestamp_millis() <= start.timestamp_millis() + 2 {}
            });
        });
        let done = first.ack(&db).await;
        assert_eq!(lossy.left(), 0);
        assert!(
            matches!(done, Err(Error::LeaseLost { token: 1, .. })),
            "{done:?}"
        );
        assert_eq!(bench.len("mails").await, 0);

        // The delete is lost, and sent again.
        let first = pop(LONG).await;
        lossy.lose_one(0, "_dn.q.t", false, || {});
        assert_eq!(first.ack(&db).await.expect("done").deleted, 1);
        assert_eq!((lossy.left(), bench.len("mails").await), (0, 0));
    })
    .await;
}

/// Jobs that others refer to are deleted by several commands: the answer to each of them in turn is lost.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_job_that_others_refer_to_is_acknowledged_by_the_worker_that_did_it() {
    alone("queue_acked_refs", async |bench| {
        let lossy = Lossy::open().await;
        let db = lossy.database(bench.db.name()).await;
        bench
            .index(&[Printer::meta(), Print::meta(), Page::meta()])
            .await;
        for (sent, nth) in (0..4).flat_map(|nth| [(true, nth), (false, nth)]) {
            let printer = Printer {
                id: Id::new(),
                name: "laser".to_owned(),
                waiting: 0,
            };
            Printer::insert(&db, &printer).await.expect("stored");
            let print = Print {
                id: Id::new(),
                at: bson::DateTime::from_millis(1),
                printer: printer.id,
                printer_name: "laser".to_owned(),
            };
            Print::queue(&db).push(&print).await.expect("stored");
            let leased = Print::queue(&db).pop("w", LONG).await.expect("asked");
            lossy.lose_one(nth, bench.db.name(), sent, || {});
            let done = leased.expect("one").ack(&db).await;
            assert_eq!(done.expect("done").deleted, 1, "{sent} {nth}");
            assert_eq!(lossy.left(), 0, "{sent} {nth}");
            assert_eq!(bench.len("prints").await, 0);
        }
    })
    .await;
}
