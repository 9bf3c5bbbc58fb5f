//! Deletes, restores and purges, and what other writes do with deleted documents.

use bson::{Bson, doc};
use mongo_model::{Error, MongoModel};

use crate::common::{in_set, on_both};
use crate::soft_deleting::{User, object_id, user, users};

#[track_caller]
fn assert_not_found<T: std::fmt::Debug>(result: Result<T, Error>) {
    assert!(
        matches!(result, Err(Error::NotFound { model: "User", .. })),
        "{result:?}"
    );
}

#[tokio::test]
async fn a_delete_is_one_update() {
    on_both("mark", async |bench| {
        let (db, all) = (&bench.db, users(bench).await);
        let before = bson::DateTime::now().timestamp_millis() - 60_000;
        let deleted = User::delete(db, all[0].id)
            .without_rules()
            .await
            .expect("deleted");
        assert_eq!(deleted.deleted, 1);
        let command = bench.only();
        let update = command.get_array("updates").expect("updates")[0]
            .as_document()
            .expect("one")
            .clone();
        let id = object_id(all[0].id);
        assert_eq!(
            update.get_document("q").ok(),
            Some(&doc! { "_id": id, "gone": Bson::Null, "_dn.del": { "$exists": false } })
        );
        let change = doc! { "$currentDate": { "gone": true }, "$inc": { "version": 1_i64 } };
        assert_eq!(update.get_document("u").ok(), Some(&change));
        let stored = bench.stored("users", id).await;
        assert!(
            stored
                .get_datetime("gone")
                .expect("a date")
                .timestamp_millis()
                > before
        );
        assert_eq!(stored.get_i64("version").ok(), Some(1));
        assert_eq!(stored.get_str("email").ok(), Some("1@example.com"));
        assert_not_found(User::delete(db, all[0].id).without_rules().await);
        assert_not_found(User::delete(db, all[0].id).await);
    })
    .await;
}

#[tokio::test]
async fn a_restore_is_one_update() {
    on_both("restore", async |bench| {
        let (db, all) = (&bench.db, users(bench).await);
        let validators = mongo_model::sync_validators(db).models(&[User::meta()]);
        validators.await.expect("validators");
        bench.forget();
        let restored = User::restore(db, all[1].id).await.expect("restored");
        assert_eq!((restored.matched, restored.modified), (1, 1));
        let command = bench.only();
        assert_eq!(command.get_str("update").ok(), Some("users"));
        let stored = bench.stored("users", object_id(all[1].id)).await;
        assert!(!stored.contains_key("gone"), "{stored}");
        assert_eq!(stored.get_i64("version").ok(), Some(2));
        let read = User::get(db, all[1].id).await.expect("read");
        assert_eq!(
            read,
            Some(User {
                version: 2,
                ..all[1].clone()
            })
        );
        // It is live, and so is the first.
        for live in &all[..2] {
            assert_not_found(User::restore(db, live.id).await);
        }
        assert_not_found(User::restore(db, user(9).id).await);
    })
    .await;
}

#[tokio::test]
async fn many_are_deleted_and_restored() {
    on_both("many", async |bench| {
        let (db, all) = (&bench.db, users(bench).await);
        let times = User::get(db, all[1].id)
            .with_deleted()
            .await
            .expect("read")
            .and_then(|user| user.deleted_at);
        let deleted = User::delete_many(db, |u| u.team.eq(1))
            .await
            .expect("deleted");
        assert_eq!(deleted.deleted, 2);
        assert_eq!(
            User::count(db, |u| u.team.eq(1))
                .only_deleted()
                .await
                .expect("counted"),
            3
        );
        // The time of the first delete stays.
        let still = User::get(db, all[1].id)
            .with_deleted()
            .await
            .expect("read")
            .and_then(|user| user.deleted_at);
        assert_eq!(still, times);
        bench.forget();
        let restored = User::restore_many(db, |u| u.team.eq(1))
            .await
            .expect("restored");
        assert_eq!((restored.matched, bench.sent().len()), (3, 1));
        let deleted = User::delete_many(db, |u| u.age.gt(1).and(u.team.eq(1)))
            .without_rules()
            .await
            .expect("deleted");
        assert_eq!((deleted.deleted, bench.sent().len()), (2, 1));
        assert_eq!(
            User::delete_many(db, |u| u.team.eq(7))
                .await
                .expect("none")
                .deleted,
            0
        );
    })
    .await;
}

#[tokio::test]
async fn only_deleted_documents_are_purged() {
    on_both("purge", async |bench| {
        let (db, all) = (&bench.db, users(bench).await);
        assert_not_found(User::purge(db, all[0].id).await);
        assert_eq!(User::purge(db, all[1].id).await.expect("purged").deleted, 1);
        assert_not_found(User::purge(db, all[1].id).await);
        User::delete(db, all[2].id).await.expect("deleted");
        let purged = User::purge_many(db, |u| u.team.eq(1))
            .await
            .expect("purged");
        assert_eq!(purged.deleted, 1);
        assert_eq!(bench.len("users").await, 1);
        User::delete(db, all[0].id).await.expect("deleted");
        let earlier = bson::DateTime::from_millis(0);
        assert_eq!(
            User::purge_many(db, |u| u.deleted_at.lt(earlier))
                .await
                .expect("none")
                .deleted,
            0
        );
        assert_eq!(bench.len("users").await, 1);
    })
    .await;
}

#[tokio::test]
async fn other_writes_leave_a_deleted_document_deleted() {
    on_both("writes", async |bench| {
        let (db, all) = (&bench.db, users(bench).await);
        let id = all[1].id;
        let deleted = bench.stored("users", object_id(id)).await;
        assert_not_found(User::update(db, id).set(|u| u.age, 50).await);
        let updated = User::update_many(db, |u| u.team.eq(1))
            .inc(|u| u.age, 1)
            .await
            .expect("updated");
        assert_eq!(updated.matched, 2);
        assert_not_found(User::update_with(db, id, |user| user.age = 50).await);
        let error = User::upsert(db, &all[1])
            .inc(|u| u.age, 1)
            .await
            .expect_err("it is taken");
        assert!(
            matches!(&error, Error::Duplicate { fields, .. } if fields == &["_id"]),
            "{error:?}"
        );
        let error = User::upsert(db, &all[1]).await.expect_err("it is taken");
        assert!(error.is_duplicate(), "{error:?}");
        let mut old = all[1].clone();
        let error = old
            .save_if_unchanged(db)
            .await
            .expect_err("it was deleted since");
        assert!(matches!(error, Error::Conflict(_)), "{error:?}");
        assert_eq!(bench.stored("users", object_id(id)).await, deleted);

        // A program that has read it as deleted changes it, and it stays deleted.
        let mut read = User::get(db, id)
            .with_deleted()
            .await
            .expect("read")
            .expect("stored");
        read.age = 60;
        read.deleted_at = None;
        read.save_if_unchanged(db).await.expect("saved");
        let stored = bench.stored("users", object_id(id)).await;
        assert_eq!(stored.get_i32("age").ok(), Some(60));
        assert_eq!(stored.get("gone"), deleted.get("gone"));
    })
    .await;
}

#[tokio::test]
async fn a_delete_of_what_was_read_compares_the_version() {
    on_both("unchanged", async |bench| {
        let (db, all) = (&bench.db, users(bench).await);
        let stale = User {
            version: 5,
            ..all[0].clone()
        };
        let error = stale
            .delete_if_unchanged(db)
            .await
            .expect_err("another version");
        assert!(matches!(error, Error::Conflict(_)), "{error:?}");
        all[0].delete_if_unchanged(db).await.expect("deleted");
        let read = User::get(db, all[0].id).only_deleted().await.expect("read");
        assert!(read.is_some());
        let error = all[0].delete_if_unchanged(db).await.expect_err("gone");
        assert!(matches!(error, Error::Gone { .. }), "{error:?}");
    })
    .await;
}

#[tokio::test]
async fn a_new_document_is_stored_as_it_says() {
    on_both("insert", async |bench| {
        let (db, at) = (&bench.db, bson::DateTime::from_millis(5_000));
        bench.index(&[User::meta()]).await;
        let archived = User {
            deleted_at: Some(at),
            ..user(1)
        };
        User::insert_many(db, [&archived, &user(1)])
            .await
            .expect("stored");
        let read = User::get(db, archived.id)
            .only_deleted()
            .await
            .expect("read");
        assert_eq!(read, Some(archived));
    })
    .await;
}

#[tokio::test]
async fn a_transaction_takes_marks_back() {
    in_set("transaction", async |bench| {
        let (db, all) = (&bench.db, users(bench).await);
        let mut session = bench.transaction().await;
        User::delete(db, all[0].id)
            .driver_session(&mut session)
            .await
            .expect("deleted");
        User::restore(db, all[1].id)
            .driver_session(&mut session)
            .await
            .expect("restored");
        let seen = User::find(db, |u| u.email.gte(""))
            .driver_session(&mut session)
            .sort(|u| u.email.asc())
            .await
            .expect("read");
        assert_eq!(crate::soft_deleting::emails(&seen), ["2", "3"]);
        session.abort_transaction().await.expect("aborted");
        let seen = User::find(db, |u| u.email.gte(""))
            .sort(|u| u.email.asc())
            .await
            .expect("read");
        assert_eq!(crate::soft_deleting::emails(&seen), ["1", "3"]);
    })
    .await;
}
