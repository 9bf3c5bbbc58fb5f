//! Answers that are lost.

use std::time::Duration;

use mongo_model::{Error, MongoModel};

use crate::common::alone;
use crate::lossy::Lossy;
use crate::{LONG, Mail, mail, pass_time};

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

        // A lease that nobody heard of ends by itself.
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
