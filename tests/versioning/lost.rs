//! Lost replies: the write was made, and its writer has to find that out.

use mongo_model::{Database, MongoModel};

use crate::common::alone;
use crate::lossy::Lossy;
use crate::versioning::{Account, account, conflict};

/// Adds to the account as others do, from the thread that loses the answer.
fn others(db: &Database, times: usize) -> impl FnMut() + Send + 'static {
    let (db, runtime) = (db.clone(), tokio::runtime::Handle::current());
    move || {
        runtime.block_on(async {
            for _ in 0..times {
                Account::update_with(&db, 1, |a| a.balance += 100)
                    .await
                    .expect("changed");
            }
        });
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_write_whose_answer_is_lost_is_found() {
    alone("version_lost", async |bench| {
        let lossy = Lossy::open().await;
        let db = lossy.database(bench.db.name()).await;
        let mut mine = account(1, 0);
        Account::insert(&db, &mine).await.expect("stored");

        // No other writer came.
        lossy.lose(1, "$replaceWith", others(&bench.db, 0));
        mine.balance += 1;
        let saved = mine.save_if_unchanged(&db).await.expect("saved");
        assert_eq!(lossy.left(), 0);
        assert_eq!((saved.matched, mine.version), (1, 1));
        let stored = Account::get(&bench.db, 1).await.expect("read");
        assert_eq!(stored.as_ref(), Some(&mine));

        // Others wrote since: it was written before them, once.
        lossy.lose(1, "$replaceWith", others(&bench.db, 7));
        mine.balance += 1;
        mine.save_if_unchanged(&db).await.expect("saved");
        assert_eq!(mine.version, 2);
        let stored = Account::get(&bench.db, 1)
            .await
            .expect("read")
            .expect("there");
        assert_eq!((stored.balance, stored.version), (702, 9));

        // Every reply is lost.
        mine = stored;
        lossy.lose(3, "$replaceWith", others(&bench.db, 0));
        mine.balance = 0;
        mine.save_if_unchanged(&db).await.expect("saved");
        assert_eq!((lossy.left(), mine.version), (0, 10));

        // So many writers came that its token is gone: then it is a conflict, which returns the current document.
        lossy.lose(1, "$replaceWith", others(&bench.db, 8));
        mine.balance = 1;
        let current: Account = conflict(mine.save_if_unchanged(&db).await.expect_err("forgotten"))
            .current()
            .expect("an account");
        assert_eq!(
            (current.balance, current.version, mine.version),
            (801, 19, 10)
        );
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_function_whose_answer_is_lost_is_not_run_twice() {
    alone("version_lost_with", async |bench| {
        let lossy = Lossy::open().await;
        let db = lossy.database(bench.db.name()).await;
        Account::insert(&db, &account(1, 0)).await.expect("stored");
        lossy.lose(5, "$replaceWith", others(&bench.db, 1));
        for _ in 0..5 {
            Account::update_with(&db, 1, |a| a.balance += 1)
                .await
                .expect("changed");
        }
        assert_eq!(lossy.left(), 0);
        let stored = Account::get(&bench.db, 1)
            .await
            .expect("read")
            .expect("there");
        assert_eq!(
            (stored.balance % 100, stored.version),
            (5, 5 + stored.balance / 100)
        );
    })
    .await;
}
