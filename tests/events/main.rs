//! Events: what writes emit, how it comes into the log, and what its readers get.

#[path = "../common/mod.rs"]
mod common;
mod readers;
#[macro_use]
mod writes;
mod removals;

use std::collections::BTreeMap;
use std::future::ready;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use bson::{Bson, DateTime, Document, doc};
use mongo_model::events::{Event, Lag};
use mongo_model::{Error, Id, MongoEmbed, MongoModel, Tenants, Transaction, recover, settle};
use serde::{Deserialize, Serialize};

use self::common::{Bench, in_set, on_both};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "customers", events = CustomerEvent)]
struct Customer {
    #[serde(rename = "_id")]
    id: Id<Customer, i32>,
    name: String,
    #[count(Order)]
    orders: i64,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoEmbed)]
#[serde(tag = "type")]
enum CustomerEvent {
    Renamed { to: String },
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "orders", events(OrderEvent, readers(mails, billing)))]
struct Order {
    #[serde(rename = "_id")]
    id: i32,
    #[parent(Customer, on_delete = cascade)]
    customer: Id<Customer, i32>,
    #[denorm(from = Customer, field = name)]
    customer_name: String,
    paid: bool,
    #[embed(max = 20)]
    notes: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoEmbed)]
#[serde(tag = "type")]
enum OrderEvent {
    Placed { by: i32 },
    Paid,
    Noted { text: String },
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "walled_notes", tenant = org, events(String, readers(mails)))]
struct Note {
    #[serde(rename = "_id")]
    id: Id<Note>,
    org: i64,
}

/// Nothing but its events concerns it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "memos", events(String, readers(mails)))]
struct Memo {
    #[serde(rename = "_id")]
    id: String,
    text: String,
}

fn noted(text: &str) -> OrderEvent {
    OrderEvent::Noted {
        text: text.to_owned(),
    }
}

fn order(id: i32) -> Order {
    Order {
        id,
        customer: Id::from_raw(1),
        customer_name: String::new(),
        paid: false,
        notes: Vec::new(),
    }
}

async fn shop(bench: &Bench) {
    bench
        .index(&[Customer::meta(), Order::meta(), Memo::meta()])
        .await;
    let customer = Customer {
        id: Id::from_raw(1),
        name: "Ada".to_owned(),
        orders: 0,
    };
    Customer::insert(&bench.db, &customer)
        .await
        .expect("inserted");
    bench.forget();
}

/// The values of the events of an order, whose numbers follow each other.
async fn log(bench: &Bench, id: i32) -> Vec<OrderEvent> {
    settle(&bench.db).await;
    let events = Order::events(&bench.db).of(id, None).await.expect("read");
    bench.forget();
    let numbers: Vec<i64> = events.iter().map(|event| event.number).collect();
    let first = numbers.first().copied().unwrap_or(0);
    let all: Vec<i64> = (first..).take(numbers.len()).collect();
    assert_eq!(numbers, all);
    events.into_iter().map(|event| event.value).collect()
}

#[tokio::test]
async fn an_event_is_stored_with_its_change() {
    on_both("events_stored", async |bench: &Bench| {
        shop(bench).await;
        let db = &bench.db;
        let placed = OrderEvent::Placed { by: 1 };
        Order::insert(db, &order(1))
            .emit(placed.clone())
            .await
            .expect("inserted");
        assert_eq!(log(bench, 1).await, std::slice::from_ref(&placed));

        // The answer waits for the update alone.
        let paid = Order::update(db, 1)
            .set(|o| o.paid, true)
            .emit(OrderEvent::Paid);
        paid.await.expect("paid");
        let sent = bench.take();
        assert_eq!(sent[0].name, "update");
        let twice = Order::update(db, 1)
            .push(|o| o.notes, "a")
            .emit(noted("a"))
            .emit(noted("b"));
        twice.settled().await.expect("noted");
        let all = [placed.clone(), OrderEvent::Paid, noted("a"), noted("b")];
        assert_eq!(log(bench, 1).await, all);

        // A change that is not made emits nothing; an event needs no change.
        let paid = Order::update(db, 1).only_if(|o| o.paid.eq(false));
        let paid = paid.set(|o| o.paid, true).emit(OrderEvent::Paid).await;
        assert!(!paid.expect("sent").is_done());
        let missing = Order::update(db, 9)
            .set(|o| o.paid, true)
            .emit(OrderEvent::Paid)
            .await;
        assert!(
            matches!(missing, Err(Error::NotFound { .. })),
            "{missing:?}"
        );
        let alone = Order::update(db, 1)
            .emit(OrderEvent::Paid)
            .await
            .expect("emitted");
        assert_eq!(alone.modified, 1);
        assert_eq!(log(bench, 1).await.len(), 5);
        let stored = bench.stored("orders", 1).await;
        let events = stored
            .get_document("_dn")
            .and_then(|own| own.get_document("l"));
        let left = events.expect("the events").get_array("a");
        assert_eq!(left.ok(), Some(&Vec::new()));
    })
    .await;
}

#[tokio::test]
async fn events_go_with_writes_that_others_follow() {
    on_both("events_followed", async |bench: &Bench| {
        shop(bench).await;
        let db = &bench.db;
        let other = Customer {
            id: Id::from_raw(2),
            name: "Bea".to_owned(),
            orders: 0,
        };
        Customer::insert(db, &other).await.expect("inserted");
        Order::insert(db, &order(1)).await.expect("inserted");
        let renamed = CustomerEvent::Renamed {
            to: "Eva".to_owned(),
        };
        let rename = Customer::update(db, Id::from_raw(1))
            .set(|c| c.name, "Eva")
            .emit(renamed.clone());
        rename.await.expect("renamed");
        let moved = Order::update(db, 1).set(|o| o.customer, Id::from_raw(2));
        moved
            .emit(OrderEvent::Placed { by: 2 })
            .await
            .expect("moved");
        assert_eq!(log(bench, 1).await, [OrderEvent::Placed { by: 2 }]);
        let events = Customer::events(db)
            .of(Id::from_raw(1), None)
            .await
            .expect("read");
        let values: Vec<_> = events.into_iter().map(|event| event.value).collect();
        assert_eq!(values, [renamed]);
        let order = Order::get(db, 1).await.expect("read").expect("stored");
        assert_eq!(order.customer_name, "Bea");
        for (id, orders) in [(1, 0), (2, 1)] {
            let customer = Customer::get(db, Id::from_raw(id)).await.expect("read");
            assert_eq!(customer.expect("stored").orders, orders);
        }
        assert!(recover(db).await.expect("recovered").is_idle());
        assert!(mongo_model::verify(db).await.expect("verified").is_clean());
    })
    .await;
}

/// Makes an event as a write leaves it whose program has ended before it was delivered.
async fn leave_undelivered(bench: &Bench, collection: &str, id: impl Into<Bson>, event: Bson) {
    let token = bson::oid::ObjectId::new();
    let emitted = doc! {
        "$push": { "_dn.l.a": { "t": token, "e": event } },
        "$inc": { "_dn.l.n": 1_i64 },
    };
    let this = doc! { "_id": id.into() };
    let done = bench.raw(collection).update_one(this, emitted).await;
    assert_eq!(done.expect("updated").modified_count, 1);
}

#[tokio::test]
async fn recover_delivers_what_a_program_has_left() {
    on_both("events_recovered", async |bench: &Bench| {
        shop(bench).await;
        let db = &bench.db;
        let placed = OrderEvent::Placed { by: 1 };
        Order::insert(db, &order(1))
            .emit(placed.clone())
            .settled()
            .await
            .expect("inserted");
        leave_undelivered(bench, "orders", 1, doc! { "type": "Paid" }.into()).await;
        leave_undelivered(bench, "orders", 1, doc! { "type": "Paid" }.into()).await;
        let recovered = recover(db).await.expect("recovered");
        assert_eq!((recovered.events, recovered.stuck.len()), (1, 0));
        assert!(recover(db).await.expect("recovered").is_idle());
        assert_eq!(
            log(bench, 1).await,
            [placed, OrderEvent::Paid, OrderEvent::Paid]
        );
    })
    .await;
}

#[tokio::test]
async fn a_deleted_document_leaves_its_events() {
    on_both("events_deleted", async |bench: &Bench| {
        shop(bench).await;
        let db = &bench.db;
        for id in 1..=4 {
            Order::insert(db, &order(id))
                .settled()
                .await
                .expect("inserted");
            leave_undelivered(bench, "orders", id, doc! { "type": "Paid" }.into()).await;
        }
        Order::delete(db, 1).await.expect("deleted");
        Order::delete_many(db, |o| o.id.is_in([2, 3]))
            .await
            .expect("deleted");
        // A cascade deletes the last one.
        Customer::delete(db, Id::from_raw(1))
            .await
            .expect("deleted");
        assert_eq!(bench.len("orders").await, 0);
        for id in 1..=4 {
            assert_eq!(log(bench, id).await, [OrderEvent::Paid], "{id}");
        }

        // A document with the same `_id` goes on with greater numbers, also where another program has stored it.
        let memo = Memo {
            id: "m".to_owned(),
            text: String::new(),
        };
        Memo::insert(db, &memo)
            .emit("first".to_owned())
            .await
            .expect("inserted");
        Memo::delete(db, "m".to_owned()).await.expect("deleted");
        Memo::insert(db, &memo).await.expect("inserted");
        Memo::update(db, "m".to_owned())
            .emit("second".to_owned())
            .await
            .expect("emitted");
        settle(db).await;
        let memos = bench.raw("memos");
        for event in ["third", "fourth"] {
            memos
                .delete_one(doc! { "_id": "m" })
                .await
                .expect("deleted");
            memos
                .insert_one(doc! { "_id": "m", "text": "" })
                .await
                .expect("inserted");
            let emitted = Memo::update(db, "m".to_owned()).emit(event.to_owned());
            emitted.settled().await.expect("emitted");
        }
        let events = Memo::events(db)
            .of("m".to_owned(), None)
            .await
            .expect("read");
        let mut events: Vec<(i64, &str)> = events
            .iter()
            .map(|event| (event.number, event.value.as_str()))
            .collect();
        events.sort_unstable();
        let values: Vec<&str> = events.iter().map(|(_, value)| *value).collect();
        assert_eq!(values.len(), 4, "{events:?}");
        assert!(recover(db).await.expect("recovered").is_idle());
    })
    .await;
}

#[tokio::test]
async fn a_whole_document_keeps_its_events() {
    on_both("events_saved", async |bench: &Bench| {
        shop(bench).await;
        let db = &bench.db;
        let mut memo = Memo {
            id: "m".to_owned(),
            text: "a".to_owned(),
        };
        memo.save(db).await.expect("saved");
        leave_undelivered(bench, "memos", "m", "first".into()).await;
        memo.text = "b".to_owned();
        memo.save(db).await.expect("saved");
        leave_undelivered(bench, "memos", "m", "second".into()).await;
        let upserted = Memo::upsert(db, &memo).set(|m| m.text, "c".to_owned());
        upserted.await.expect("upserted");
        let recovered = recover(db).await.expect("recovered");
        assert_eq!(recovered.events, 1);
        let events = Memo::events(db)
            .of("m".to_owned(), None)
            .await
            .expect("read");
        let events: Vec<(i64, &str)> = events
            .iter()
            .map(|event| (event.number, event.value.as_str()))
            .collect();
        assert_eq!(events, [(1, "first"), (2, "second")]);

        let mut stored = order(1);
        stored.save(db).await.expect("saved");
        leave_undelivered(bench, "orders", 1, doc! { "type": "Paid" }.into()).await;
        stored.paid = true;
        stored.save(db).await.expect("saved");
        assert_eq!(recover(db).await.expect("recovered").events, 1);
        assert_eq!(log(bench, 1).await, [OrderEvent::Paid]);
    })
    .await;
}

#[tokio::test]
async fn a_transaction_emits_when_it_commits() {
    in_set("events_transaction", async |bench: &Bench| {
        shop(bench).await;
        let db = &bench.db;
        let mut tx = Transaction::begin(db).await.expect("begun");
        let placed = Order::insert(db, &order(1)).emit(OrderEvent::Placed { by: 1 });
        placed.within(&mut tx).await.expect("inserted");
        let paid = Order::update(db, 1)
            .set(|o| o.paid, true)
            .emit(OrderEvent::Paid);
        paid.within(&mut tx).await.expect("paid");
        assert_eq!(log(bench, 1).await, []);
        tx.commit(db).await.expect("committed");
        assert_eq!(
            log(bench, 1).await,
            [OrderEvent::Placed { by: 1 }, OrderEvent::Paid]
        );

        let mut tx = Transaction::begin(db).await.expect("begun");
        let paid = Order::update(db, 1).emit(OrderEvent::Paid);
        paid.within(&mut tx).await.expect("paid");
        tx.abort().await.expect("aborted");
        assert!(recover(db).await.expect("recovered").is_idle());
        assert_eq!(log(bench, 1).await.len(), 2);
    })
    .await;
}

/// The events that a reader has handled, by order.
#[derive(Default)]
struct Handled(BTreeMap<i32, Vec<OrderEvent>>);

impl Handled {
    fn add(&mut self, event: &Event<Order>) {
        self.0
            .entry(event.id)
            .or_default()
            .push(event.value.clone());
    }
}
