//! The events of saves, upserts, deletes, and writes of many documents.

use bson::{DateTime, doc};
use mongo_model::{Error, Id, MongoModel, Transaction, recover, settle};
use serde::{Deserialize, Serialize};

use super::common::{Bench, in_set, on_both};
use super::{Customer, Memo, Order, OrderEvent, leave_undelivered, log, noted, order, shop};

/// A shelf that is deleted only when no box refers to it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "event_shelves", events = String)]
pub(super) struct Shelf {
    #[serde(rename = "_id")]
    pub(super) id: Id<Shelf, i32>,
    #[index(unique)]
    code: String,
    changes: i32,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "event_boxes", soft_delete, events = String)]
pub(super) struct Crate {
    #[serde(rename = "_id")]
    pub(super) id: i32,
    #[parent(Shelf, on_delete = deny)]
    pub(super) shelf: Id<Shelf, i32>,
    #[deleted]
    #[index]
    pub(super) deleted_at: Option<DateTime>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "event_papers", events = String)]
pub(super) struct Paper {
    #[serde(rename = "_id")]
    id: i32,
    #[version]
    version: i64,
    text: String,
}

pub(super) fn memo(id: &str, text: &str) -> Memo {
    Memo {
        id: id.to_owned(),
        text: text.to_owned(),
    }
}

pub(super) fn shelf(id: i32, code: &str) -> Shelf {
    Shelf {
        id: Id::from_raw(id),
        code: code.to_owned(),
        changes: 0,
    }
}

/// The values of the events of a document, whose numbers follow each other.
macro_rules! events_of {
    ($bench:expr, $model:ty, $id:expr) => {{
        settle(&$bench.db).await;
        let events = <$model>::events(&$bench.db).of($id, None).await;
        let events = events.expect("read");
        let numbers: Vec<i64> = events.iter().map(|event| event.number).collect();
        assert!(
            numbers.windows(2).all(|two| two[1] == two[0] + 1),
            "{numbers:?}"
        );
        let values: Vec<String> = events.into_iter().map(|event| event.value).collect();
        values
    }};
}

pub(super) async fn names(bench: &Bench) -> Vec<String> {
    settle(&bench.db).await;
    let sent = bench.take().into_iter();
    sent.map(|command| command.name.to_string()).collect()
}

#[tokio::test]
async fn a_save_emits_with_the_document() {
    on_both("events_of_saves", async |bench: &Bench| {
        shop(bench).await;
        let db = &bench.db;
        let mut memo = memo("m", "a");
        memo.save(db).emit("new".to_owned()).await.expect("saved");
        // The save, and the delivery.
        let delivery = ["update", "findAndModify", "update", "update"];
        let sent = names(bench).await;
        assert_eq!(sent[1..], delivery[1..], "{sent:?}");
        memo.text = "b".to_owned();
        let again = memo.save(db).emit("b".to_owned()).emit("c".to_owned());
        again.await.expect("saved");
        assert_eq!(events_of!(bench, Memo, "m".to_owned()), ["new", "b", "c"]);

        // Saves that keep the reference, and that change it.
        let other = Customer {
            id: Id::from_raw(2),
            name: "Bea".to_owned(),
            orders: 0,
        };
        Customer::insert(db, &other).await.expect("inserted");
        let mut stored = order(1);
        let placed = OrderEvent::Placed { by: 1 };
        stored.save(db).emit(placed.clone()).await.expect("saved");
        stored.paid = true;
        stored.save(db).emit(OrderEvent::Paid).await.expect("saved");
        stored.customer = Id::from_raw(2);
        let moved = OrderEvent::Placed { by: 2 };
        stored.save(db).emit(moved.clone()).await.expect("saved");
        assert_eq!(log(bench, 1).await, [placed, OrderEvent::Paid, moved]);
        stored.customer = Id::from_raw(9);
        let refused = stored.save(db).emit(OrderEvent::Paid).await;
        assert!(
            matches!(refused, Err(Error::Dangling { .. })),
            "{refused:?}"
        );
        assert_eq!(log(bench, 1).await.len(), 3);
        assert!(recover(db).await.expect("recovered").is_idle());
        assert!(mongo_model::verify(db).await.expect("verified").is_clean());
    })
    .await;
}

#[tokio::test]
async fn a_save_of_a_version_emits_once() {
    on_both("events_of_versions", async |bench: &Bench| {
        bench.index(&[Paper::meta()]).await;
        let db = &bench.db;
        let mut paper = Paper {
            id: 1,
            version: 0,
            text: "a".to_owned(),
        };
        Paper::insert(db, &paper).await.expect("inserted");
        let mut stale = paper.clone();
        paper.text = "b".to_owned();
        let saved = paper.save_if_unchanged(db).emit("b".to_owned());
        saved.await.expect("saved");
        let late = stale.save_if_unchanged(db).emit("late".to_owned()).await;
        assert!(matches!(late, Err(Error::Conflict(_))), "{late:?}");
        let late = stale.delete_if_unchanged(db).emit("late".to_owned()).await;
        assert!(matches!(late, Err(Error::Conflict(_))), "{late:?}");
        let append = |paper: &mut Paper| paper.text.push('!');
        let changed = Paper::update_with(db, 1, append).emit("c".to_owned());
        paper = changed.await.expect("changed");
        let same = Paper::update_with(db, 1, |_| {}).emit("same".to_owned());
        assert_eq!(same.await.expect("read"), paper);
        let deleted = paper.delete_if_unchanged(db).emit("gone".to_owned());
        deleted.await.expect("deleted");
        assert_eq!(events_of!(bench, Paper, 1), ["b", "c", "gone"]);
    })
    .await;
}

#[tokio::test]
async fn an_upsert_emits_with_either_write() {
    on_both("events_of_upserts", async |bench: &Bench| {
        bench.index(&[Shelf::meta(), Crate::meta()]).await;
        let db = &bench.db;
        let first = shelf(1, "a");
        for event in ["new", "changed"] {
            let upsert = Shelf::upsert(db, &first).inc(|s| s.changes, 1);
            upsert.emit(event.to_owned()).await.expect("upserted");
        }
        let alone = Shelf::upsert(db, &first).emit("alone".to_owned());
        alone.await.expect("upserted");
        assert_eq!(
            events_of!(bench, Shelf, Id::from_raw(1)),
            ["new", "changed", "alone"]
        );
        assert_eq!(
            Shelf::get(db, Id::from_raw(1))
                .await
                .expect("read")
                .expect("stored")
                .changes,
            1
        );

        // Found by its key.
        for (n, event) in (2..).zip(["new", "changed"]) {
            let by_key = shelf(n, "b");
            let upsert = Shelf::upsert(db, &by_key).on_key(|s| s.code);
            let upsert = upsert.inc(|s| s.changes, 1).emit(event.to_owned());
            upsert.await.expect("upserted");
        }
        assert_eq!(
            events_of!(bench, Shelf, Id::from_raw(2)),
            ["new", "changed"]
        );
        assert!(events_of!(bench, Shelf, Id::from_raw(3)).is_empty());
    })
    .await;
}

#[tokio::test]
async fn writes_of_many_emit_with_each_document() {
    on_both("events_of_many", async |bench: &Bench| {
        shop(bench).await;
        let db = &bench.db;
        let orders: Vec<Order> = (1..=5).map(order).collect();
        let placed = |order: &Order| OrderEvent::Placed { by: order.id };
        let inserted = Order::insert_many(db, &orders).emit(placed);
        inserted.emit(|_| noted("new")).await.expect("inserted");
        for id in 1..=5 {
            let events = [OrderEvent::Placed { by: id }, noted("new")];
            assert_eq!(log(bench, id).await, events);
        }
        let none: [Order; 0] = [];
        Order::insert_many(db, &none)
            .emit(placed)
            .await
            .expect("nothing");
        assert!(bench.take().is_empty());

        let paid = Order::update_many(db, |o| o.id.lt(4)).set(|o| o.paid, true);
        let paid = paid.emit(OrderEvent::Paid).await.expect("paid");
        assert_eq!((paid.matched, paid.modified), (3, 3));
        // One update, and one delivery of all three.
        let sent = names(bench).await;
        assert_eq!(sent, ["update", "find", "update", "update", "update"]);
        let none = Order::update_many(db, |o| o.id.gt(9)).emit(OrderEvent::Paid);
        assert_eq!(none.await.expect("sent").matched, 0);
        assert_eq!(names(bench).await, ["update"]);
        for (id, events) in [(1, 3), (3, 3), (4, 2)] {
            assert_eq!(log(bench, id).await.len(), events, "{id}");
        }
        // Other documents follow this field.
        let other = Customer {
            id: Id::from_raw(2),
            name: "Bea".to_owned(),
            orders: 0,
        };
        Customer::insert(db, &other).await.expect("inserted");
        let moved = Order::update_many(db, |o| o.id.gt(3)).set(|o| o.customer, Id::from_raw(2));
        moved
            .emit(OrderEvent::Placed { by: 2 })
            .await
            .expect("moved");
        assert_eq!(log(bench, 5).await.len(), 3);

        // Documents that are stored before an error emit.
        let memos = [memo("a", ""), memo("b", ""), memo("a", ""), memo("c", "")];
        let refused = Memo::insert_many(db, &memos).emit(|memo| memo.id.clone());
        assert!(refused.await.expect_err("refused").is_duplicate());
        assert_eq!(events_of!(bench, Memo, "a".to_owned()), ["a"]);
        assert_eq!(events_of!(bench, Memo, "b".to_owned()), ["b"]);
        assert!(events_of!(bench, Memo, "c".to_owned()).is_empty());
        assert!(recover(db).await.expect("recovered").is_idle());
        assert!(mongo_model::verify(db).await.expect("verified").is_clean());
    })
    .await;
}

#[tokio::test]
async fn a_delete_emits_when_the_document_is_gone() {
    on_both("events_of_deletes", async |bench: &Bench| {
        shop(bench).await;
        let db = &bench.db;
        Memo::insert(db, &memo("m", ""))
            .settled()
            .await
            .expect("inserted");
        leave_undelivered(bench, "memos", "m", "first".into()).await;
        bench.forget();
        let gone = Memo::delete(db, "m".to_owned()).emit("$gone".to_owned());
        gone.emit("last".to_owned()).await.expect("deleted");
        // The tombstone; the delivery of what waits; that of the delete, as a durable read and one update; the delete.
        let delivery = ["find", "update", "update", "update"];
        let last = ["findAndModify", "update", "delete"];
        let all = [&["findAndModify"], &delivery[..], &last[..]].concat();
        assert_eq!(names(bench).await, all);
        assert_eq!(bench.len("memos").await, 0);
        assert_eq!(
            events_of!(bench, Memo, "m".to_owned()),
            ["first", "$gone", "last"]
        );
        let missing = Memo::delete(db, "m".to_owned())
            .emit("again".to_owned())
            .await;
        assert!(
            matches!(missing, Err(Error::NotFound { .. })),
            "{missing:?}"
        );

        // A delete without rules has nothing that holds the event.
        Memo::insert(db, &memo("n", ""))
            .settled()
            .await
            .expect("inserted");
        bench.forget();
        let without = Memo::delete(db, "n".to_owned()).emit("x".to_owned());
        let without = without.without_rules().await;
        assert!(
            matches!(without, Err(Error::Impossible { .. })),
            "{without:?}"
        );
        assert!(bench.take().is_empty());
        assert_eq!(bench.len("memos").await, 1);

        // A child of a parent that counts it.
        Order::insert(db, &order(1)).await.expect("inserted");
        let cancelled = Order::delete(db, 1).emit(noted("gone"));
        cancelled.await.expect("deleted");
        assert_eq!(log(bench, 1).await, [noted("gone")]);
        let customer = Customer::get(db, Id::from_raw(1)).await.expect("read");
        assert_eq!(customer.expect("stored").orders, 0);
        assert!(recover(db).await.expect("recovered").is_idle());
        assert!(mongo_model::verify(db).await.expect("verified").is_clean());
    })
    .await;
}

#[tokio::test]
async fn a_refused_delete_emits_nothing() {
    on_both("events_of_refused", async |bench: &Bench| {
        bench.index(&[Shelf::meta(), Crate::meta()]).await;
        let db = &bench.db;
        Shelf::insert(db, &shelf(1, "a")).await.expect("inserted");
        let stored = Crate {
            id: 1,
            shelf: Id::from_raw(1),
            deleted_at: None,
        };
        Crate::insert(db, &stored).await.expect("inserted");
        let refused = Shelf::delete(db, Id::from_raw(1))
            .emit("gone".to_owned())
            .await;
        assert!(
            matches!(refused, Err(Error::Referenced { .. })),
            "{refused:?}"
        );
        assert!(events_of!(bench, Shelf, Id::from_raw(1)).is_empty());

        // A soft delete, and its end.
        let deleted = Crate::delete(db, 1).emit("deleted".to_owned());
        deleted.await.expect("deleted");
        let again = Crate::delete(db, 1).emit("again".to_owned()).await;
        assert!(matches!(again, Err(Error::NotFound { .. })), "{again:?}");
        let restored = Crate::restore(db, 1).emit("restored".to_owned());
        restored.await.expect("restored");
        let unchecked = Crate::delete(db, 1).without_rules();
        unchecked
            .emit("unchecked".to_owned())
            .await
            .expect("deleted");
        let purged = Crate::purge(db, 1).emit("purged".to_owned());
        purged.await.expect("purged");
        let all = ["deleted", "restored", "unchecked", "purged"];
        assert_eq!(events_of!(bench, Crate, 1), all);
        let gone = Shelf::delete(db, Id::from_raw(1)).emit("gone".to_owned());
        gone.await.expect("deleted");
        assert_eq!(events_of!(bench, Shelf, Id::from_raw(1)), ["gone"]);
        assert!(recover(db).await.expect("recovered").is_idle());
    })
    .await;
}

#[tokio::test]
async fn a_delete_that_is_left_behind_emits_by_who_finishes_it() {
    on_both("events_of_left", async |bench: &Bench| {
        shop(bench).await;
        let db = &bench.db;
        for (id, state, emits) in [("m", "commit", true), ("n", "undo", false)] {
            Memo::insert(db, &memo(id, ""))
                .settled()
                .await
                .expect("inserted");
            let tombstone = doc! { "$set": {
                "_dn.del": bson::oid::ObjectId::new(),
                "_dn.d": { "s": state, "n": 0 },
                "_dn.f": ["gone"],
                "_dn.p": ["~del"],
            } };
            let this = doc! { "_id": id };
            let done = bench.raw("memos").update_one(this, tombstone).await;
            assert_eq!(done.expect("updated").modified_count, 1);
            recover(db).await.expect("recovered");
            assert_eq!(
                Memo::get(db, id.to_owned()).await.expect("read").is_none(),
                emits
            );
            assert_eq!(
                events_of!(bench, Memo, id.to_owned()).len(),
                usize::from(emits)
            );
        }
    })
    .await;
}

#[tokio::test]
async fn a_transaction_emits_all_of_them_when_it_commits() {
    in_set("events_of_transaction", async |bench: &Bench| {
        shop(bench).await;
        let db = &bench.db;
        for commits in [false, true] {
            Order::insert(db, &order(1))
                .settled()
                .await
                .expect("inserted");
            let mut tx = Transaction::begin(db).await.expect("begun");
            let many: Vec<Order> = (2..=4).map(order).collect();
            let placed = Order::insert_many(db, &many).emit(|o| OrderEvent::Placed { by: o.id });
            placed.within(&mut tx).await.expect("inserted");
            let paid = Order::update_many(db, |o| o.id.gt(2)).set(|o| o.paid, true);
            let paid = paid.emit(OrderEvent::Paid).within(&mut tx);
            paid.await.expect("paid");
            let mut last = order(4);
            last.notes.push("a".to_owned());
            let saved = last.save(db).emit(noted("a")).within(&mut tx);
            saved.await.expect("saved");
            let deleted = Order::delete(db, 1).emit(noted("gone")).within(&mut tx);
            deleted.await.expect("deleted");
            assert_eq!(log(bench, 1).await, []);
            match commits {
                true => tx.commit(db).await.map(drop),
                false => tx.abort().await,
            }
            .expect("ended");
            settle(db).await;
            if commits {
                let of = |id| vec![OrderEvent::Placed { by: id }, OrderEvent::Paid];
                assert_eq!(log(bench, 1).await, [noted("gone")]);
                assert_eq!(log(bench, 2).await, of(2)[..1]);
                assert_eq!(log(bench, 3).await, of(3));
                assert_eq!(log(bench, 4).await, [of(4), vec![noted("a")]].concat());
            } else {
                assert!(log(bench, 4).await.is_empty());
                Order::delete(db, 1).await.expect("deleted");
            }
        }
        assert!(recover(db).await.expect("recovered").is_idle());
    })
    .await;
}

#[tokio::test]
async fn programs_that_deliver_at_once_store_an_event_once() {
    on_both("events_at_once", async |bench: &Bench| {
        shop(bench).await;
        let db = &bench.db;
        let ids: Vec<String> = (0..60).map(|n| format!("m{n}")).collect();
        let memos: Vec<Memo> = ids.iter().map(|id| memo(id, "")).collect();
        let inserted = Memo::insert_many(db, &memos).settled();
        inserted.await.expect("inserted");
        for event in ["first", "second"] {
            for id in &ids {
                leave_undelivered(bench, "memos", id.as_str(), event.into()).await;
            }
            let all = (0..4).map(|_| recover(db).into_future());
            for done in futures::future::join_all(all).await {
                assert_eq!(done.expect("recovered").stuck, []);
            }
        }
        for id in ids {
            assert_eq!(
                events_of!(bench, Memo, id.clone()),
                ["first", "second"],
                "{id}"
            );
        }
    })
    .await;
}
