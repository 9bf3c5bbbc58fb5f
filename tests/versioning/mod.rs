//! Compare and swap: the commands, the winner, what the loser gets, and that no write is lost or made twice.

mod beside;
mod lost;
mod many;
mod peers;
mod values;
mod volatile;

use bson::{Bson, doc};
use mongo_model::{Error, MongoModel};
use serde::{Deserialize, Serialize};

use crate::common::{alone, in_set, on_both};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "accounts")]
pub struct Account {
    #[serde(rename = "_id")]
    pub id: i32,
    #[index]
    pub owner: String,
    pub balance: i64,
    #[embed(max = 3)]
    pub tags: Vec<String>,
    #[version]
    #[serde(rename = "rev", default)]
    pub version: i64,
}

/// A version of 32 bits.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "narrow")]
pub struct Narrow {
    #[serde(rename = "_id")]
    pub id: i32,
    pub name: String,
    #[version]
    pub rev: i32,
}

pub(crate) fn account(id: i32, balance: i64) -> Account {
    Account {
        id,
        owner: "ann".to_owned(),
        balance,
        tags: Vec::new(),
        version: 0,
    }
}

pub(crate) fn conflict(error: Error) -> mongo_model::Conflict {
    match error {
        Error::Conflict(conflict) => *conflict,
        other => panic!("a conflict was expected: {other}"),
    }
}

#[tokio::test]
async fn the_second_of_two_writers_sees_what_the_first_wrote() {
    on_both("version_two", async |bench| {
        let db = &bench.db;
        Account::insert(db, &account(1, 10)).await.expect("stored");
        let mut first = Account::get(db, 1).await.expect("read").expect("there");
        let mut second = first.clone();
        first.balance = 11;
        bench.forget();
        let saved = first.save_if_unchanged(db).await.expect("saved");
        assert_eq!((saved.matched, saved.modified), (1, 1));
        assert_eq!(first.version, 1);
        let sent = bench.only();
        let update = sent.get_array("updates").expect("updates")[0]
            .as_document()
            .expect("one");
        let asked = update.get_document("q").expect("a filter");
        assert_eq!(
            *asked,
            doc! { "_id": 1, "rev": { "$in": [0_i64, Bson::Null] } }
        );
        assert!(!update.get_bool("upsert").unwrap_or(false));
        let stored = bench.stored("accounts", 1).await;
        assert_eq!(stored.get_i64("rev").ok(), Some(1));

        // The same field, another one, or nothing at all: what was read is not what is stored.
        second.balance = 12;
        let error = second.save_if_unchanged(db).await.expect_err("too late");
        assert_eq!(
            error.to_string(),
            "Account 1: another writer has changed it since version 0 was read"
        );
        assert_eq!(bench.sent(), ["update", "find"]);
        let conflict = conflict(error);
        assert_eq!(conflict.expected(), 0);
        assert_eq!(*conflict.id(), Bson::Int32(1));
        assert_eq!(conflict.current::<Account>().expect("an account"), first);
        assert!(matches!(
            conflict.current::<Narrow>(),
            Err(Error::Impossible { .. })
        ));
        assert_eq!(second.version, 0);
        let stored = Account::get(db, 1).await.expect("read").expect("there");
        assert_eq!(stored, first);

        // It continues with the document from the conflict.
        let mut third: Account = conflict.current().expect("an account");
        third.balance += 1;
        bench.forget();
        third.save_if_unchanged(db).await.expect("saved");
        assert_eq!(third.version, 2);
        let sent = bench.only();
        let update = sent.get_array("updates").expect("updates")[0].as_document();
        let asked = update.expect("one").get_document("q").expect("a filter");
        assert_eq!(*asked, doc! { "_id": 1, "rev": 1_i64 });
    })
    .await;
}

#[tokio::test]
async fn a_document_that_is_gone_is_told_from_one_that_changed() {
    on_both("version_gone", async |bench| {
        let db = &bench.db;
        let mut mine = account(1, 10);
        Account::insert(db, &mine).await.expect("stored");
        Account::delete(db, 1).await.expect("deleted");
        bench.forget();
        let error = mine.save_if_unchanged(db).await.expect_err("gone");
        assert!(matches!(
            error,
            Error::Gone {
                model: "Account",
                ..
            }
        ));
        assert_eq!(
            error.to_string(),
            "Account 1 has been deleted since it was read"
        );
        assert_eq!(mine.version, 0);
        assert_eq!(bench.len("accounts").await, 0);
        let error = Account::update_with(db, 1, |a| a.balance += 1).await;
        assert!(matches!(error, Err(Error::NotFound { .. })));
    })
    .await;
}

#[tokio::test]
async fn documents_begin_where_their_struct_says() {
    alone("version_begin", async |bench| {
        let db = &bench.db;
        let later = Account {
            version: 99,
            ..account(2, 0)
        };
        Account::insert_many(db, [&account(1, 0), &later])
            .await
            .expect("stored");
        assert_eq!(
            bench.stored("accounts", 1).await.get_i64("rev").ok(),
            Some(0)
        );
        assert_eq!(
            bench.stored("accounts", 2).await.get_i64("rev").ok(),
            Some(99)
        );
        // A second insert is a duplicate, not a conflict.
        let error = Account::insert(db, &account(1, 0))
            .await
            .expect_err("there");
        assert!(matches!(error, Error::Duplicate { .. }), "{error:?}");
        // One that was stored before the model had a version.
        bench
            .seed(
                "accounts",
                [doc! { "_id": 3, "owner": "bob", "balance": 1_i64, "tags": [] }],
            )
            .await;
        let mut old = Account::get(db, 3).await.expect("read").expect("there");
        assert_eq!(old.version, 0);
        old.balance = 2;
        old.save_if_unchanged(db).await.expect("saved");
        assert_eq!(
            bench.stored("accounts", 3).await.get_i64("rev").ok(),
            Some(1)
        );
        bench
            .seed(
                "accounts",
                [doc! { "_id": 4, "owner": "bob", "balance": 1_i64, "tags": [] }],
            )
            .await;
        Account::update(db, 4)
            .inc(|a| a.balance, 1)
            .await
            .expect("changed");
        assert_eq!(
            bench.stored("accounts", 4).await.get_i64("rev").ok(),
            Some(1)
        );
    })
    .await;
}

#[tokio::test]
async fn updates_move_the_version_in_the_same_write() {
    on_both("version_bump", async |bench| {
        let db = &bench.db;
        bench.index(&[Account::meta()]).await;
        let all: Vec<Account> = (1..=3).map(|id| account(id, 10)).collect();
        Account::insert_many(db, &all).await.expect("stored");
        bench.forget();
        Account::update(db, 1)
            .inc(|a| a.balance, 5)
            .push(|a| a.tags, "x")
            .await
            .expect("changed");
        let sent = bench.only();
        let update = sent.get_array("updates").expect("updates")[0].as_document();
        assert_eq!(
            *update.expect("one").get_document("u").expect("operators"),
            doc! { "$inc": { "balance": 5_i64, "rev": 1_i64 }, "$push": { "tags": { "$each": ["x"] } } }
        );
        // To the value that it has already: the document is matched, and that is success.
        let same = Account::update(db, 1).set(|a| a.owner, "ann").await;
        assert_eq!(same.expect("changed").matched, 1);
        assert_eq!(bench.stored("accounts", 1).await.get_i64("rev").ok(), Some(2));
        assert_eq!(bench.stored("accounts", 2).await.get_i64("rev").ok(), Some(0));
        let many = Account::update_many(db, |a| a.owner.eq("ann"))
            .set(|a| a.balance, 0)
            .await
            .expect("changed");
        assert_eq!(many.matched, 3);
        for (id, rev) in [(1, 3), (2, 1), (3, 1)] {
            assert_eq!(bench.stored("accounts", id).await.get_i64("rev").ok(), Some(rev));
        }
        // A document that was read before the update conflicts.
        let mut stale = all[1].clone();
        conflict(stale.save_if_unchanged(db).await.expect_err("too late"));
        // A value that is there already is not added, and nothing is written.
        let there = Account::update(db, 1).add_to_set(|a| a.tags, "x").await;
        assert_eq!(there.expect("there").matched, 1);
        assert_eq!(bench.stored("accounts", 1).await.get_i64("rev").ok(), Some(3));
        // A version changed with the driver alone conflicts too.
        let mut mine = Account::get(db, 3).await.expect("read").expect("there");
        let by_hand = bench.raw("accounts");
        by_hand
            .update_one(doc! { "_id": 3 }, doc! { "$set": { "rev": 5_i64 } })
            .await
            .expect("changed");
        conflict(mine.save_if_unchanged(db).await.expect_err("too late"));
    })
    .await;
}

#[tokio::test]
async fn a_narrow_version_stays_narrow_and_ends() {
    alone("version_narrow", async |bench| {
        let db = &bench.db;
        let mut mine = Narrow {
            id: 1,
            name: "a".to_owned(),
            rev: 0,
        };
        Narrow::insert(db, &mine).await.expect("stored");
        mine.save_if_unchanged(db).await.expect("saved");
        Narrow::update(db, 1)
            .set(|n| n.name, "b")
            .await
            .expect("changed");
        assert_eq!(bench.stored("narrow", 1).await.get_i32("rev").ok(), Some(2));
        let mut last = Narrow {
            id: 1,
            name: "c".to_owned(),
            rev: i32::MAX,
        };
        bench.forget();
        let error = last.save_if_unchanged(db).await.expect_err("the last");
        assert_eq!(
            error.to_string(),
            "Narrow: the version 2147483647 is the last one"
        );
        assert_eq!(last.rev, i32::MAX);
        assert!(bench.sent().is_empty());
    })
    .await;
}

#[tokio::test]
async fn a_function_is_run_again_until_it_is_first() {
    on_both("version_with", async |bench| {
        let db = &bench.db;
        Account::insert(db, &account(1, 0)).await.expect("stored");
        let workers = (0..8).map(|_| {
            let db = db.clone();
            tokio::spawn(async move {
                for _ in 0..25 {
                    Account::update_with(&db, 1, |a| a.balance += 1)
                        .tries(10_000)
                        .await
                        .expect("changed");
                }
            })
        });
        for worker in workers.collect::<Vec<_>>() {
            worker.await.expect("ended");
        }
        let stored = Account::get(db, 1).await.expect("read").expect("there");
        assert_eq!((stored.balance, stored.version), (200, 200));

        // A function that changes nothing writes nothing; it cannot change the version.
        bench.forget();
        let same = Account::update_with(db, 1, |a| a.version = 7).await;
        assert_eq!(same.expect("read"), stored);
        assert_eq!(bench.sent(), ["find"]);
        let changed = Account::update_with(db, 1, |a| a.balance = 0).await;
        assert_eq!(changed.expect("changed").version, 201);
        assert_eq!(bench.sent(), ["find", "update"]);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn tries_come_to_an_end() {
    alone("version_tries", async |bench| {
        let db = &bench.db;
        Account::insert(db, &account(1, 0)).await.expect("stored");
        bench.forget();
        let mut asked = 0;
        let runtime = tokio::runtime::Handle::current();
        let error = Account::update_with(db, 1, |a| {
            asked += 1;
            a.balance += 1;
            // Another writer, between the read and the write.
            let db = db.clone();
            let other = runtime.spawn(async move {
                Account::update(&db, 1)
                    .inc(|a| a.balance, 100)
                    .await
                    .expect("changed");
            });
            while !other.is_finished() {
                std::thread::yield_now();
            }
        })
        .tries(3)
        .await
        .expect_err("never first");
        assert_eq!(asked, 3);
        let current: Account = conflict(error).current().expect("an account");
        assert_eq!((current.balance, current.version), (300, 3));
    })
    .await;
}

#[tokio::test]
async fn a_transaction_takes_it_back() {
    in_set("version_tx", async |bench| {
        let db = &bench.db;
        let mut mine = account(1, 0);
        Account::insert(db, &mine).await.expect("stored");
        let mut tx = bench.transaction().await;
        mine.balance = 1;
        mine.save_if_unchanged(db)
            .driver_session(&mut tx)
            .await
            .expect("saved");
        assert_eq!(mine.version, 1);
        let seen = Account::get(db, 1)
            .driver_session(&mut tx)
            .await
            .expect("read");
        assert_eq!(seen.as_ref(), Some(&mine));
        tx.abort_transaction().await.expect("taken back");
        // The version in memory is ahead of the stored one, which is a conflict.
        let current: Account = conflict(mine.save_if_unchanged(db).await.expect_err("too late"))
            .current()
            .expect("an account");
        assert_eq!(current, account(1, 0));
        let mut tx = bench.transaction().await;
        let changed = Account::update_with(db, 1, |a| a.balance = 5)
            .driver_session(&mut tx)
            .await;
        assert_eq!(changed.expect("changed").balance, 5);
        tx.commit_transaction().await.expect("committed");
        assert_eq!(
            bench.stored("accounts", 1).await.get_i64("rev").ok(),
            Some(1)
        );
    })
    .await;
}
