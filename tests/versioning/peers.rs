//! Guarantees that other libraries give and test for their versions.

use mongo_model::MongoModel;
use serde::{Deserialize, Serialize};

use crate::common::on_both;
use crate::versioning::{Account, account, conflict};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "sheets")]
pub struct Sheet {
    #[serde(rename = "_id")]
    pub id: i32,
    #[embed(max = 10)]
    pub numbers: Vec<i32>,
    #[version]
    pub version: i64,
}

#[tokio::test]
async fn a_push_and_a_pull_at_once_are_two_changes() {
    on_both("version_push_pull", async |bench| {
        let db = &bench.db;
        let sheet = Sheet {
            id: 1,
            numbers: vec![2, 4, 6, 8],
            version: 0,
        };
        Sheet::insert(db, &sheet).await.expect("stored");
        let (pulled, pushed) = futures::join!(
            Sheet::update(db, 1).pull(|s| s.numbers, 2).into_future(),
            Sheet::update(db, 1).push(|s| s.numbers, 10).into_future(),
        );
        assert_eq!(pulled.expect("changed").matched, 1);
        assert_eq!(pushed.expect("changed").matched, 1);
        let stored = Sheet::get(db, 1).await.expect("read").expect("there");
        assert_eq!((stored.numbers, stored.version), (vec![4, 6, 8, 10], 2));
    })
    .await;
}

/// A program that holds a stale array does not restore its old elements, whatever it changes in it.
#[tokio::test]
async fn an_array_that_was_read_before_is_not_put_back() {
    on_both("version_array", async |bench| {
        let db = &bench.db;
        let sheet = Sheet {
            id: 1,
            numbers: vec![2, 4],
            version: 0,
        };
        Sheet::insert(db, &sheet).await.expect("stored");
        let mut first = sheet.clone();
        first.numbers = Vec::new();
        first.save_if_unchanged(db).await.expect("saved");
        let changes: [fn(&mut Vec<i32>); 2] =
            [|numbers| numbers.push(5), |numbers| numbers.truncate(1)];
        for change in changes {
            let mut stale = sheet.clone();
            change(&mut stale.numbers);
            let conflict = conflict(stale.save_if_unchanged(db).await.expect_err("too late"));
            let mut fresh: Sheet = conflict.current().expect("a sheet");
            assert_eq!(fresh.numbers, first.numbers);
            fresh.numbers.push(7);
            fresh.save_if_unchanged(db).await.expect("saved");
            first = fresh;
        }
        assert_eq!((first.numbers, first.version), (vec![7, 7], 3));
    })
    .await;
}

#[tokio::test]
async fn other_fields_are_a_conflict_and_so_is_a_touch() {
    on_both("version_touch", async |bench| {
        let db = &bench.db;
        Account::insert(db, &account(1, 10)).await.expect("stored");
        let (mut first, mut second, mut third) = (account(1, 10), account(1, 10), account(1, 10));
        // Nothing is different, and a program with an older read gets a conflict all the same.
        first.save_if_unchanged(db).await.expect("saved");
        assert_eq!(first.version, 1);
        second.owner = "bob".to_owned();
        conflict(second.save_if_unchanged(db).await.expect_err("too late"));
        conflict(third.save_if_unchanged(db).await.expect_err("too late"));
        let stored = Account::get(db, 1).await.expect("read").expect("there");
        assert_eq!(stored, first);
    })
    .await;
}

/// A condition on the fields that matter, of a document whose other fields any program may change meanwhile.
#[tokio::test]
async fn some_fields_alone_are_compared_by_their_values() {
    on_both("version_some", async |bench| {
        let db = &bench.db;
        let read = account(1, 10);
        Account::insert(db, &read).await.expect("stored");
        Account::update(db, 1)
            .push(|a| a.tags, "seen")
            .await
            .expect("changed");
        let pay = || {
            Account::update(db, 1)
                .only_if(|a| a.owner.eq(&*read.owner))
                .only_if(|a| a.balance.eq(read.balance))
                .inc(|a| a.balance, -5)
        };
        // Another field has changed, which is not part of the condition.
        assert!(pay().await.expect("sent").is_done());
        // Now a field of the condition has changed.
        assert!(!pay().await.expect("sent").is_done());
        let stored = Account::get(db, 1).await.expect("read").expect("there");
        assert_eq!((stored.balance, stored.version), (5, 2));
    })
    .await;
}
