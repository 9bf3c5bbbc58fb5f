//! Uniqueness holds among live documents, and all finders by a unique field are served.

use bson::{Bson, doc};
use futures::TryStreamExt;
use mongo_model::{Error, MongoModel};

use crate::common::{alone, on_both};
use crate::soft_deleting::{User, user, users};

#[tokio::test]
async fn the_unique_index_covers_live_documents() {
    alone("partial", async |bench| {
        let db = &bench.db;
        users(bench).await;
        let indexes: Vec<_> = bench
            .raw("users")
            .list_indexes()
            .await
            .expect("listed")
            .try_collect()
            .await
            .expect("listed");
        let unique = indexes.iter().find(|index| {
            index
                .options
                .as_ref()
                .is_some_and(|o| o.unique == Some(true))
        });
        let unique = unique.expect("a unique index");
        assert_eq!(unique.keys, doc! { "email": 1 });
        let partial = unique
            .options
            .as_ref()
            .and_then(|options| options.partial_filter_expression.clone());
        assert_eq!(partial, Some(doc! { "gone": Bson::Null }));
        // A second plan finds nothing to do.
        let plan = mongo_model::plan_indexes(db)
            .models(&[User::meta()])
            .await
            .expect("planned");
        assert!(plan.is_empty(), "{plan}");
        bench.forget();

        drop(
            User::find(db, |u| u.email.eq("1@example.com"))
                .await
                .expect("read"),
        );
        let plan = bench.plan().await;
        plan.assert_served_by("email");
        assert_eq!((plan.keys, plan.documents), (1, 1));
        for deleted in [false, true] {
            let find = User::find(db, |u| u.email.eq("2@example.com"));
            let find = if deleted {
                find.only_deleted()
            } else {
                find.with_deleted()
            };
            assert_eq!(find.await.expect("read").len(), 1);
            let plan = bench.plan().await;
            plan.assert_served_by("email");
            assert_eq!(plan.documents, 1);
        }
        assert!(
            User::exists(db, |u| u.email.eq("1@example.com"))
                .await
                .expect("read")
        );
        bench.plan().await.assert_served_by("email");
    })
    .await;
}

#[tokio::test]
async fn a_deleted_document_gives_its_value_free() {
    on_both("free", async |bench| {
        let (db, all) = (&bench.db, users(bench).await);
        let taken = user(1);
        let error = User::insert(db, &taken).await.expect_err("a duplicate");
        assert!(User::is_duplicate_email(&error), "{error:?}");
        let second = user(2);
        User::insert(db, &second).await.expect("stored");
        // As often as one likes.
        User::delete(db, second.id).await.expect("deleted");
        let third = user(2);
        User::insert(db, &third).await.expect("stored");

        bench.forget();
        let error = User::restore(db, all[1].id).await.expect_err("a duplicate");
        let Error::Duplicate { fields, .. } = &error else {
            panic!("{error:?}")
        };
        assert_eq!(fields, &["email"]);
        assert_eq!(bench.sent(), ["update"]);
        let error = User::restore_many(db, |u| u.team.eq(1))
            .await
            .expect_err("a duplicate");
        assert!(User::is_duplicate_email(&error), "{error:?}");
        User::delete(db, third.id).await.expect("deleted");
        User::restore(db, all[1].id).await.expect("restored");
        let found = User::find_one(db, |u| u.email.eq("2@example.com"))
            .await
            .expect("read");
        assert_eq!(found.map(|user| user.id), Some(all[1].id));
    })
    .await;
}

#[tokio::test]
async fn an_upsert_by_a_unique_key_sees_live_documents() {
    on_both("by_key", async |bench| {
        let (db, all) = (&bench.db, users(bench).await);
        let upsert = async |n: i32| {
            let new = user(n);
            let done = User::upsert(db, &new)
                .on_key(|u| u.email)
                .inc(|u| u.age, 10)
                .await;
            (new.id, done.expect("stored"))
        };
        // The second user is deleted: the key is free.
        let (id, done) = upsert(2).await;
        assert_eq!((done.inserted, done.matched), (1, 0));
        let (_, done) = upsert(2).await;
        assert_eq!((done.inserted, done.matched), (0, 1));
        let found = User::find(db, |u| u.email.eq("2@example.com")).with_deleted();
        let found = found.await.expect("read");
        let ages = |id| found.iter().find(|user| user.id == id).map(|user| user.age);
        assert_eq!(
            (found.len(), ages(id), ages(all[1].id)),
            (2, Some(12), Some(2))
        );
    })
    .await;
}

#[tokio::test]
async fn an_older_unique_index_is_not_changed_unasked() {
    alone("older", async |bench| {
        let db = &bench.db;
        let older = mongodb::IndexModel::builder()
            .keys(doc! { "email": 1 })
            .options(
                mongodb::options::IndexOptions::builder()
                    .unique(true)
                    .build(),
            )
            .build();
        bench
            .raw("users")
            .create_index(older)
            .await
            .expect("created");
        let synced = mongo_model::sync_indexes(db).models(&[User::meta()]).await;
        let Err(Error::Indexes(errors)) = &synced else {
            panic!("{synced:?}");
        };
        let said = errors.to_string();
        assert!(said.contains("the partial filter is declared"), "{said}");
    })
    .await;
}
