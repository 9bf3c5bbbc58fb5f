//! Many documents saved together: one that others have changed keeps none of the others from being stored.

use bson::{Bson, doc};
use mongo_model::version::SavedMany;
use mongo_model::{Error, Id, MongoModel};
use serde::{Deserialize, Serialize};

use crate::common::{Bench, alone, assert_too_long, in_set, on_both};
use crate::lossy::Lossy;
use crate::versioning::beside::{VPart, VProduct, part};
use crate::versioning::{Account, Narrow, account, conflict};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "logins")]
pub struct Login {
    #[serde(rename = "_id")]
    pub id: i32,
    #[index(unique)]
    pub name: String,
    #[version]
    pub version: i64,
}

/// The stored versions, in the order of the `_id`s.
async fn versions(bench: &Bench, collection: &str, field: &str) -> Vec<i64> {
    let mut out = Vec::new();
    let collection = bench.raw(collection);
    let found = collection.find(doc! {}).sort(doc! { "_id": 1 });
    let mut found = found.await.expect("read");
    while found.advance().await.expect("read") {
        out.push(found.current().get_i64(field).expect("a version"));
    }
    bench.forget();
    out
}

fn places(done: &SavedMany) -> Vec<usize> {
    done.unsaved.iter().map(|one| one.at).collect()
}

#[tokio::test]
async fn seven_times_in_a_row() {
    on_both("version_many", async |bench| {
        let db = &bench.db;
        let mut all: Vec<Account> = (1..=7).map(|id| account(id, 10)).collect();
        Account::insert_many(db, &all).await.expect("stored");
        for round in 1..=7 {
            for one in &mut all {
                one.balance += 1;
            }
            bench.forget();
            let saved = Account::save_many_if_unchanged(db, &mut all).await;
            let saved = saved.expect("sent").complete().expect("all of them");
            assert_eq!(saved.saved, 7);
            let sent = bench.only();
            let updates = sent.get_array("updates").expect("updates");
            assert_eq!(updates.len(), 7);
            let asked = updates[0].as_document().expect("one").get_document("q");
            let version = match round {
                1 => Bson::from(doc! { "$in": [0_i64, Bson::Null] }),
                later => Bson::Int64(later - 1),
            };
            assert_eq!(asked.ok(), Some(&doc! { "_id": 1, "rev": version }));
            assert!(all.iter().all(|one| one.version == round));
        }
        assert_eq!(versions(bench, "accounts", "rev").await, [7; 7]);
        let stored = Account::get(db, 4).await.expect("read").expect("there");
        assert_eq!(stored, all[3]);
        // None send nothing.
        bench.forget();
        let none = Account::save_many_if_unchanged(db, []).await.expect("sent");
        assert_eq!((none.saved, none.unsaved.len()), (0, 0));
        assert!(bench.sent().is_empty());
    })
    .await;
}

#[tokio::test]
async fn the_others_are_stored() {
    on_both("version_many_conflict", async |bench| {
        let db = &bench.db;
        let mut all: Vec<Account> = (1..=5).map(|id| account(id, 10)).collect();
        Account::insert_many(db, &all).await.expect("stored");
        Account::update(db, 2)
            .inc(|a| a.balance, 5)
            .await
            .expect("changed");
        Account::delete(db, 4).await.expect("deleted");
        // The same document twice: the second knows nothing of the first.
        all.push(all[0].clone());
        for one in &mut all {
            one.balance = 1;
        }
        bench.forget();
        let done = Account::save_many_if_unchanged(db, &mut all).await;
        let done = done.expect("sent");
        assert_eq!(bench.sent(), ["update", "find"]);
        assert_eq!((done.saved, places(&done)), (3, vec![1, 3, 5]));
        assert_eq!(done.unsaved[0].id, Bson::Int32(2));
        assert!(matches!(done.unsaved[1].error, Error::Gone { .. }));
        // Only what is stored has moved.
        let in_memory: Vec<i64> = all.iter().map(|one| one.version).collect();
        assert_eq!(in_memory, [1, 0, 1, 0, 1, 0]);
        assert_eq!(versions(bench, "accounts", "rev").await, [1, 1, 1, 1]);
        let mut errors = done.unsaved.into_iter().map(|one| one.error);
        let first = conflict(errors.next().expect("an error"));
        let current: Account = first.current().expect("an account");
        assert_eq!((current.balance, current.version), (15, 1));
        let last = conflict(errors.nth(1).expect("an error"));
        assert_eq!(last.current::<Account>().expect("an account"), all[0]);

        // As one result: it says which it was.
        let done = Account::save_many_if_unchanged(db, &mut all[..3]).await;
        let error = done.and_then(SavedMany::complete).expect_err("a conflict");
        assert_eq!(
            error.to_string(),
            "Account 2: another writer has changed it since version 0 was read"
        );
        assert_eq!(versions(bench, "accounts", "rev").await, [2, 1, 2, 1]);
    })
    .await;
}

#[tokio::test]
async fn what_the_server_refuses_is_one_documents_matter() {
    on_both("version_many_refused", async |bench| {
        let db = &bench.db;
        bench.index(&[Login::meta()]).await;
        let login = |id: i32| Login {
            id,
            name: format!("user {id}"),
            version: 0,
        };
        let mut all: Vec<Login> = (1..=4).map(login).collect();
        Login::insert_many(db, &all).await.expect("stored");
        all[1].name = "user 4".to_owned();
        all[2].name = "new".to_owned();
        let mut stale = all[0].clone();
        stale.version = 7;
        all.push(stale);
        let done = Login::save_many_if_unchanged(db, &mut all).await;
        let done = done.expect("sent");
        assert_eq!((done.saved, places(&done)), (3, vec![1, 4]));
        assert!(
            done.unsaved[0].error.is_duplicate(),
            "{:?}",
            done.unsaved[0]
        );
        assert!(matches!(done.unsaved[1].error, Error::Conflict(_)));
        assert_eq!(versions(bench, "logins", "version").await, [1, 0, 1, 1]);
    })
    .await;
}

#[tokio::test]
async fn all_are_looked_at_before_the_first_is_sent() {
    alone("version_many_bounds", async |bench| {
        let db = &bench.db;
        let mut all = [account(1, 1), account(2, 2)];
        Account::insert_many(db, &all).await.expect("stored");
        all[1].tags = vec!["x".to_owned(); 4];
        bench.forget();
        let error = Account::save_many_if_unchanged(db, &mut all).await;
        assert!(matches!(
            error,
            Err(Error::Invalid {
                position: Some(1),
                ..
            })
        ));
        assert_too_long(error, "tags", 3);
        let mut last = [Narrow {
            id: 1,
            name: "a".to_owned(),
            rev: i32::MAX,
        }];
        let error = Narrow::save_many_if_unchanged(db, &mut last).await;
        assert!(matches!(error, Err(Error::Impossible { .. })));
        assert!(bench.sent().is_empty());
        assert_eq!((all[0].version, last[0].rev), (0, i32::MAX));
    })
    .await;
}

#[tokio::test]
async fn thousands_are_no_thousand_commands() {
    alone("version_many_many", async |bench| {
        let db = &bench.db;
        let mut all: Vec<Account> = (0..2_500).map(|id| account(id, 1)).collect();
        Account::insert_many(db, &all).await.expect("stored");
        Account::update(db, 1_500)
            .inc(|a| a.balance, 1)
            .await
            .expect("changed");
        bench.forget();
        let done = Account::save_many_if_unchanged(db, &mut all).await;
        let done = done.expect("sent");
        assert_eq!((done.saved, places(&done)), (2_499, vec![1_500]));
        assert_eq!(bench.sent(), ["update", "update", "find", "update"]);
        assert_eq!(versions(bench, "accounts", "rev").await, [1; 2_500]);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn answers_that_are_lost() {
    alone("version_many_lost", async |bench| {
        let lossy = Lossy::open().await;
        let db = &lossy.database(bench.db.name()).await;
        let mut all: Vec<Account> = (1..=3).map(|id| account(id, 10)).collect();
        Account::insert_many(db, &all).await.expect("stored");
        // Once, and each time that it is sent.
        for (times, version) in [(1, 1), (3, 2)] {
            lossy.lose(times, "$replaceWith", || {});
            let done = Account::save_many_if_unchanged(db, &mut all).await;
            assert_eq!(done.expect("sent").saved, 3);
            assert_eq!(lossy.left(), 0);
            assert!(all.iter().all(|one| one.version == version));
            assert_eq!(versions(bench, "accounts", "rev").await, [version; 3]);
        }
        // One of them was not to be stored in the first place: whether it was is not known of it alone.
        let stale = all[1].clone();
        Account::update(db, 2)
            .inc(|a| a.balance, 1)
            .await
            .expect("changed");
        lossy.lose(3, "$replaceWith", || {});
        let error = Account::save_many_if_unchanged(db, &mut all).await;
        assert!(matches!(error, Err(Error::Driver(_))), "{error:?}");
        assert_eq!((all[0].version, &all[1], all[2].version), (3, &stale, 3));
        // Once more, and it is.
        let done = Account::save_many_if_unchanged(db, &mut all).await;
        let done = done.expect("sent");
        assert_eq!((done.saved, places(&done)), (2, vec![1]));
        assert_eq!(versions(bench, "accounts", "rev").await, [4, 3, 4]);
    })
    .await;
}

#[tokio::test]
async fn a_transaction_takes_all_of_them_back() {
    in_set("version_many_tx", async |bench| {
        let db = &bench.db;
        let mut all: Vec<Account> = (1..=3).map(|id| account(id, 10)).collect();
        Account::insert_many(db, &all).await.expect("stored");
        Account::update(db, 2)
            .inc(|a| a.balance, 1)
            .await
            .expect("changed");
        let mut session = bench.transaction().await;
        let saving = Account::save_many_if_unchanged(db, &mut all);
        let done = saving.driver_session(&mut session).await.expect("sent");
        assert_eq!((done.saved, places(&done)), (2, vec![1]));
        assert_eq!(versions(bench, "accounts", "rev").await, [0, 1, 0]);
        session.abort_transaction().await.expect("aborted");
        assert_eq!(versions(bench, "accounts", "rev").await, [0, 1, 0]);
    })
    .await;
}

/// Copies and counts in other documents follow, as after single writes.
#[tokio::test]
async fn copies_and_numbers_follow() {
    on_both("version_many_copies", async |bench| {
        let db = &bench.db;
        bench.index(&[VPart::meta(), VProduct::meta()]).await;
        let mut parts = [part("nut"), part("bolt")];
        VPart::insert_many(db, &parts).await.expect("stored");
        let product = |part: &VPart| VProduct {
            id: Id::new(),
            title: "box".to_owned(),
            part: part.id,
            part_name: part.name.clone(),
            version: 0,
        };
        let mut products = [product(&parts[0]), product(&parts[1])];
        VProduct::insert_many(db, &products).await.expect("stored");
        let mut stale = parts[1].clone();
        parts[0].name = "hex nut".to_owned();
        parts[1].name = "hex bolt".to_owned();
        stale.name = "old".to_owned();
        let [nut, bolt] = &mut parts;
        let done = VPart::save_many_if_unchanged(db, [nut, bolt, &mut stale]).await;
        let done = done.expect("sent");
        assert_eq!((done.saved, places(&done)), (2, vec![2]));
        assert!(done.pending.is_empty(), "{done:?}");
        let nut = parts[0].id;
        for one in &mut products {
            one.part = nut;
        }
        let done = VProduct::save_many_if_unchanged(db, &mut products).await;
        assert_eq!(done.expect("sent").complete().expect("all").saved, 2);
        for one in &products {
            let stored = VProduct::get(db, one.id).await.expect("read");
            let stored = stored.expect("there");
            assert_eq!((stored.part_name.as_str(), stored.version), ("hex nut", 1));
        }
        let counted = VPart::get(db, nut).await.expect("read").expect("there");
        assert_eq!((counted.used, counted.version), (2, 1));
        let found = mongo_model::verify(db).await.expect("verified");
        assert!(found.is_clean(), "{found}");
    })
    .await;
}
