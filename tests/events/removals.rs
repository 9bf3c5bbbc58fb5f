//! The events of deletes and restores of many documents.

use bson::oid::ObjectId;
use bson::{Document, doc};
use mongo_model::{Error, Id, MongoModel, Tenants, Transaction, recover, settle};

use super::common::{Bench, in_set, on_both};
use super::writes::{Crate, Shelf, memo, names, shelf};
use super::{
    Customer, CustomerEvent, Memo, Note, Order, leave_undelivered, log, noted, order, shop,
};

async fn memos(bench: &Bench, ids: &[&str]) {
    let memos: Vec<Memo> = ids.iter().map(|id| memo(id, "")).collect();
    let inserted = Memo::insert_many(&bench.db, &memos).settled();
    inserted.await.expect("inserted");
    bench.forget();
}

#[tokio::test]
async fn each_document_of_a_delete_emits_before_it_goes() {
    on_both("events_of_removals", async |bench: &Bench| {
        shop(bench).await;
        let db = &bench.db;
        memos(bench, &["a", "b", "c", "z"]).await;
        leave_undelivered(bench, "memos", "b", "first".into()).await;
        bench.forget();
        let gone = Memo::delete_many(db, |m| m.id.lt("d")).emit("$gone".to_owned());
        let gone = gone.emit("last".to_owned()).await.expect("deleted");
        assert_eq!(gone.deleted, 3);
        let tombstones = ["find", "findAndModify", "update", "update"];
        let delivery = ["find", "update", "update", "update"];
        // A durable read of all three, and one update of the log.
        let last = ["find", "update", "update"];
        let all = [&tombstones[..], &delivery, &last, &["delete", "delete"]].concat();
        assert_eq!(names(bench).await, all);
        assert_eq!(bench.len("memos").await, 1);
        for (id, events) in [
            ("a", &["$gone", "last"][..]),
            ("b", &["first", "$gone", "last"]),
            ("c", &["$gone", "last"]),
            ("z", &[]),
        ] {
            assert_eq!(events_of!(bench, Memo, id.to_owned()), events, "{id}");
        }
        bench.forget();
        let none = Memo::delete_many(db, |m| m.id.lt("d")).emit("again".to_owned());
        assert_eq!(none.await.expect("sent").deleted, 0);
        assert_eq!(names(bench).await, ["find"]);
        let without = Memo::delete_many(db, |m| m.id.gte("z")).emit("x".to_owned());
        let without = without.without_rules().await;
        assert!(
            matches!(without, Err(Error::Impossible { .. })),
            "{without:?}"
        );
        assert!(bench.take().is_empty());

        // Documents that go with others emit nothing.
        let orders: Vec<Order> = (1..=3).map(order).collect();
        Order::insert_many(db, &orders).await.expect("inserted");
        let cancelled = Order::delete_many(db, |o| o.id.lt(3)).emit(noted("gone"));
        cancelled.await.expect("deleted");
        let to = "nobody".to_owned();
        let gone = Customer::delete_many(db, |c| c.id.gte(Id::from_raw(1)));
        let gone = gone.emit(CustomerEvent::Renamed { to }).await;
        assert_eq!(gone.expect("deleted").cascaded, 1);
        for (id, events) in [(1, 1), (2, 1), (3, 0)] {
            assert_eq!(log(bench, id).await, vec![noted("gone"); events], "{id}");
        }
        let of = Customer::events(db).of(Id::from_raw(1), None).await;
        assert_eq!(of.expect("read").len(), 1);
        assert!(recover(db).await.expect("recovered").is_idle());
    })
    .await;
}

#[tokio::test]
async fn marks_of_many_emit_with_each_document() {
    on_both("events_of_marks", async |bench: &Bench| {
        bench.index(&[Shelf::meta(), Crate::meta()]).await;
        let db = &bench.db;
        let shelves = [shelf(1, "a"), shelf(2, "b")];
        Shelf::insert_many(db, &shelves).await.expect("inserted");
        let crates = [1, 2, 3].map(|id| Crate {
            id,
            shelf: Id::from_raw(1),
            deleted_at: None,
        });
        Crate::insert_many(db, &crates).await.expect("inserted");
        bench.forget();
        let refused = Shelf::delete_many(db, |s| s.id.lt(Id::from_raw(9))).emit("gone".to_owned());
        let refused = refused.await;
        assert!(
            matches!(refused, Err(Error::Referenced { .. })),
            "{refused:?}"
        );
        bench.forget();

        let delivery = ["update", "find", "update", "update", "update"];
        let deleted = Crate::delete_many(db, |c| c.id.lt(3)).emit("deleted".to_owned());
        assert_eq!(deleted.await.expect("deleted").deleted, 2);
        assert_eq!(names(bench).await, delivery);
        let none = Crate::delete_many(db, |c| c.id.lt(3)).emit("again".to_owned());
        assert_eq!(none.await.expect("sent").deleted, 0);
        assert_eq!(names(bench).await, ["update"]);
        let restored = Crate::restore_many(db, |c| c.id.gt(0)).emit("restored".to_owned());
        assert_eq!(restored.await.expect("restored").matched, 2);
        assert_eq!(names(bench).await, delivery);
        let none = Crate::restore_many(db, |c| c.id.gt(0)).emit("again".to_owned());
        assert_eq!(none.await.expect("sent").matched, 0);
        assert_eq!(names(bench).await, ["update"]);
        let unchecked = Crate::delete_many(db, |c| c.id.gt(0)).without_rules();
        let unchecked = unchecked.emit("unchecked".to_owned()).await;
        assert_eq!(unchecked.expect("deleted").deleted, 3);
        let purged = Crate::purge_many(db, |c| c.id.gt(0)).emit("purged".to_owned());
        assert_eq!(purged.await.expect("purged").deleted, 3);
        for id in 1..=3 {
            let all = ["deleted", "restored", "unchecked", "purged"];
            let all = if id < 3 { &all[..] } else { &all[2..] };
            assert_eq!(events_of!(bench, Crate, id), all);
        }
        let gone = Shelf::delete_many(db, |s| s.id.lt(Id::from_raw(9))).emit("gone".to_owned());
        gone.await.expect("deleted");
        for id in [1, 2] {
            assert_eq!(events_of!(bench, Shelf, Id::from_raw(id)), ["gone"]);
        }
        assert!(recover(db).await.expect("recovered").is_idle());
    })
    .await;
}

#[tokio::test]
async fn a_delete_of_many_that_is_left_behind_emits_by_who_finishes_it() {
    on_both("events_of_many_left", async |bench: &Bench| {
        shop(bench).await;
        let db = &bench.db;
        for (state, emits) in [("freeze", false), ("commit", true)] {
            memos(bench, &["a", "b", "c"]).await;
            let token = ObjectId::new();
            for id in ["a", "b"] {
                let mut tombstone = doc! {
                    "_dn.del": token,
                    "_dn.p": ["~del"],
                    "_dn.f": ["gone", "last"],
                };
                if id == "a" {
                    tombstone.insert("_dn.d", doc! { "s": state, "n": 0 });
                }
                let this = doc! { "_id": id };
                let set = doc! { "$set": tombstone };
                let done = bench.raw("memos").update_one(this, set).await;
                assert_eq!(done.expect("updated").modified_count, 1);
            }
            recover(db).await.expect("recovered");
            for id in ["a", "b", "c"] {
                let deleted = emits && id != "c";
                let events = if deleted { &["gone", "last"][..] } else { &[] };
                assert_eq!(events_of!(bench, Memo, id.to_owned()), events, "{id}");
                let stored = Memo::get(db, id.to_owned()).await.expect("read");
                assert_eq!(stored.is_none(), deleted);
            }
            let left = doc! { "_dn.f": { "$exists": true } };
            let left = bench.raw("memos").count_documents(left).await;
            assert_eq!(left.expect("counted"), 0);
            Memo::delete_many(db, |m| m.id.gte("a"))
                .await
                .expect("deleted");
        }
        assert!(recover(db).await.expect("recovered").is_idle());
    })
    .await;
}

#[tokio::test]
async fn a_tenant_deletes_and_emits_its_own_alone() {
    on_both("events_of_own", async |bench: &Bench| {
        bench.index(&[Note::meta()]).await;
        let [first, second] = [1, 2].map(|org| bench.db.tenant(org));
        let mut ids = Vec::new();
        for (tenant, org) in [(&first, 1), (&second, 2)] {
            let notes = [(); 2].map(|()| Note { id: Id::new(), org });
            Note::insert_many(tenant, &notes).await.expect("inserted");
            ids.extend(notes.map(|note| note.id));
        }
        let gone = Note::delete_many(&first, |n| n.id.is_in(ids)).emit("gone".to_owned());
        assert_eq!(gone.await.expect("deleted").deleted, 2);
        settle(&bench.db).await;
        assert_eq!(bench.len("walled_notes").await, 2);
        let events = bench.raw("_dn.events.walled_notes").find(doc! {}).await;
        let events: Vec<Document> = futures::TryStreamExt::try_collect(events.expect("read"))
            .await
            .expect("read");
        assert_eq!(events.len(), 2);
        for event in events {
            assert_eq!(event.get("org"), Some(&1_i64.into()), "{event}");
            assert_eq!(event.get("e"), Some(&"gone".into()), "{event}");
        }
    })
    .await;
}

#[tokio::test]
async fn a_transaction_deletes_many_and_emits_when_it_commits() {
    in_set("events_of_many_committed", async |bench: &Bench| {
        shop(bench).await;
        let db = &bench.db;
        memos(bench, &["a", "b", "c"]).await;
        for commits in [false, true] {
            let mut tx = Transaction::begin(db).await.expect("begun");
            let gone = Memo::delete_many(db, |m| m.id.lt("c")).emit("gone".to_owned());
            gone.within(&mut tx).await.expect("deleted");
            match commits {
                true => tx.commit(db).await.map(drop),
                false => tx.abort().await,
            }
            .expect("ended");
            settle(db).await;
            for id in ["a", "b"] {
                let events = vec!["gone"; usize::from(commits)];
                assert_eq!(events_of!(bench, Memo, id.to_owned()), events, "{id}");
            }
        }
        assert_eq!(bench.len("memos").await, 1);
        assert!(recover(db).await.expect("recovered").is_idle());
    })
    .await;
}
