//! Events: what writes emit, how it comes into the log, and what its readers get.

mod common;

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

#[tokio::test]
async fn each_reader_gets_each_event_in_order() {
    on_both("events_read", async |bench: &Bench| {
        shop(bench).await;
        let db = &bench.db;
        let orders: Vec<i32> = (1..=20).collect();
        for id in &orders {
            let placed = OrderEvent::Placed { by: 1 };
            Order::insert(db, &order(*id))
                .emit(placed)
                .await
                .expect("inserted");
            Order::update(db, *id)
                .emit(OrderEvent::Paid)
                .await
                .expect("emitted");
        }
        settle(db).await;
        let mails = Order::events(db).reader("mails");
        let Lag {
            events,
            oldest,
            dead,
            ..
        } = mails.lag().await.expect("read");
        assert_eq!((events, oldest.is_some(), dead), (40, true, 0));
        let all = vec![OrderEvent::Placed { by: 1 }, OrderEvent::Paid];
        for name in ["mails", "billing"] {
            let reader = Order::events(db).reader(name);
            let mut handled = Handled::default();
            let worked = reader
                .work(|event| {
                    handled.add(&event);
                    ready(Ok::<(), String>(()))
                })
                .await
                .expect("worked");
            assert_eq!((worked.handled, worked.failed, worked.dead), (40, 0, 0));
            assert_eq!(handled.0.len(), orders.len());
            assert!(handled.0.values().all(|events| *events == all));
            assert_eq!(reader.lag().await.expect("read"), Lag::default());
        }

        // Handled events can be read again, and be deleted.
        assert_eq!(mails.replay(DateTime::MIN).await.expect("replayed"), 40);
        let left = Order::events(db)
            .trim(DateTime::MAX)
            .await
            .expect("trimmed");
        assert_eq!(left, 0);
        let worked = mails
            .work(|_: Event<Order>| ready(Ok::<(), String>(())))
            .await;
        assert_eq!(worked.expect("worked").handled, 40);
        let left = Order::events(db)
            .trim(DateTime::MAX)
            .await
            .expect("trimmed");
        assert_eq!(left, 40);

        let unknown = Order::events(db).reader("mial").lag().await;
        let Err(Error::Impossible { what }) = &unknown else {
            panic!("{unknown:?}");
        };
        assert!(
            what.contains("`mial`") && what.contains("mails, billing"),
            "{what}"
        );
    })
    .await;
}

#[tokio::test]
async fn later_events_wait_for_one_that_fails() {
    on_both("events_failing", async |bench: &Bench| {
        shop(bench).await;
        let db = &bench.db;
        for id in [1, 2] {
            Order::insert(db, &order(id))
                .emit(OrderEvent::Placed { by: id })
                .await
                .expect("inserted");
            Order::update(db, id)
                .emit(OrderEvent::Paid)
                .await
                .expect("emitted");
        }
        settle(db).await;
        let reader = Order::events(db).reader("mails").max_attempts(2);
        let mut handled = Handled::default();
        let work = async |handled: &mut Handled| {
            let worked = reader
                .work(|event| {
                    ready(match event.value {
                        OrderEvent::Placed { by: 1 } => Err("no mail"),
                        _ => {
                            handled.add(&event);
                            Ok(())
                        }
                    })
                })
                .await;
            worked.expect("worked")
        };
        let worked = work(&mut handled).await;
        assert_eq!((worked.handled, worked.failed, worked.dead), (2, 1, 0));
        assert_eq!(handled.0.keys().collect::<Vec<_>>(), [&2]);
        // Its time has not come.
        assert_eq!(
            work(&mut handled).await,
            mongo_model::events::Worked::default()
        );
        let log = bench.raw("_dn.events.orders");
        let past = doc! { "$set": { "failed.mails.at": DateTime::from_millis(0) } };
        let failed = doc! { "failed.mails": { "$exists": true } };
        log.update_one(failed, past).await.expect("updated");
        let worked = work(&mut handled).await;
        assert_eq!((worked.handled, worked.failed, worked.dead), (1, 0, 1));
        assert_eq!(handled.0[&1], [OrderEvent::Paid]);

        let dead = reader.dead().await.expect("read");
        assert_eq!(dead.len(), 1);
        assert_eq!(
            (dead[0].id, &dead[0].value),
            (1, &OrderEvent::Placed { by: 1 })
        );
        assert_eq!(reader.lag().await.expect("read").dead, 1);
        reader.revive(&dead[0]).await.expect("revived");
        let again = reader.revive(&dead[0]).await;
        assert!(matches!(again, Err(Error::NotFound { .. })), "{again:?}");
        let worked = reader
            .work(|_: Event<Order>| ready(Ok::<(), String>(())))
            .await;
        assert_eq!(worked.expect("worked").handled, 1);

        // An event of a type that the program does not know stops no other document.
        leave_undelivered(bench, "orders", 1, doc! { "type": "Sent" }.into()).await;
        leave_undelivered(bench, "orders", 2, doc! { "type": "Paid" }.into()).await;
        recover(db).await.expect("recovered");
        let worked = work(&mut handled).await;
        assert_eq!((worked.handled, worked.failed, worked.dead), (1, 1, 0));
    })
    .await;
}

#[tokio::test]
async fn readers_that_run_together_share_the_documents() {
    on_both("events_shared", async |bench: &Bench| {
        shop(bench).await;
        let db = &bench.db;
        let ids: Vec<i32> = (1..=60).collect();
        let all: Vec<Order> = ids.iter().map(|id| order(*id)).collect();
        Order::insert_many(db, &all).await.expect("inserted");
        let handled = std::sync::Mutex::new(Handled::default());
        let left = AtomicU32::new(300);
        let write = async {
            for n in 0..5 {
                for id in &ids {
                    let noted = noted(&n.to_string());
                    Order::update(db, *id).emit(noted).await.expect("emitted");
                }
            }
        };
        let read = async || {
            let reader = Order::events(db)
                .reader("billing")
                .poll_every(Duration::from_millis(20));
            let (handled, left) = (&handled, &left);
            let run = reader.run(|event| async move {
                tokio::task::yield_now().await;
                handled.lock().expect("no panic").add(&event);
                left.fetch_sub(1, Ordering::SeqCst);
                Ok::<(), String>(())
            });
            let done = async {
                while left.load(Ordering::SeqCst) > 0 {
                    tokio::time::sleep(Duration::from_millis(10)).await;
                }
            };
            tokio::select! {
                ended = run => panic!("{ended:?}"),
                () = done => {}
            }
        };
        let all = async { tokio::join!(write, read(), read(), read()) };
        let in_time = tokio::time::timeout(Duration::from_secs(120), all).await;
        in_time.expect("all events in time");
        let wanted: Vec<OrderEvent> = (0..5).map(|n| noted(&n.to_string())).collect();
        let handled = handled.into_inner().expect("no panic").0;
        assert_eq!(handled.len(), ids.len());
        for (id, events) in handled {
            assert_eq!(events, wanted, "{id}");
        }
    })
    .await;
}

#[tokio::test]
async fn indexes_serve_the_log() {
    in_set("events_indexes", async |bench: &Bench| {
        shop(bench).await;
        let db = &bench.db;
        let report = mongo_model::sync_indexes(db).models(&[Order::meta()]).await;
        report.expect("synced");
        Order::insert(db, &order(1))
            .emit(OrderEvent::Paid)
            .settled()
            .await
            .expect("inserted");
        bench.forget();
        let reader = Order::events(db).reader("mails");
        let worked = reader
            .work(|_: Event<Order>| ready(Ok::<(), String>(())))
            .await;
        assert_eq!(worked.expect("worked").handled, 1);
        let sent = bench.take();
        let names: Vec<&str> = sent.iter().map(|one| one.name.as_str()).collect();
        let finds: Vec<&Document> = sent
            .iter()
            .filter(|one| one.name == "find")
            .map(|one| &one.command)
            .collect();
        assert_eq!(
            names.iter().filter(|name| **name == "update").count(),
            1,
            "{names:?}"
        );
        for find in finds {
            let parts = ["find", "filter", "sort", "limit", "projection", "collation"];
            let find = find
                .iter()
                .filter(|(name, _)| parts.contains(&name.as_str()));
            let find: Document = find
                .map(|(name, value)| (name.clone(), value.clone()))
                .collect();
            let explained = db.run_command(doc! { "explain": &find }).await;
            let plan = explained.expect("explained");
            let plan = plan.get_document("queryPlanner").expect("a plan");
            let plan = plan
                .get_document("winningPlan")
                .expect("a plan")
                .to_string();
            let walks = ["COLLSCAN", "\"SORT\""].map(|stage| plan.contains(stage));
            assert_eq!(walks, [false, false], "{find}: {plan}");
        }
    })
    .await;
}

#[tokio::test]
async fn a_tenant_has_its_events_to_itself() {
    on_both("events_walled", async |bench: &Bench| {
        bench.index(&[Note::meta()]).await;
        let [first, second] = [1, 2].map(|org| bench.db.tenant(org));
        for (tenant, org) in [(&first, 1), (&second, 2)] {
            let note = Note { id: Id::new(), org };
            let inserted = Note::insert(tenant, &note).emit(format!("of {org}"));
            inserted.settled().await.expect("inserted");
            let emitted = Note::update(tenant, note.id).emit("again".to_owned());
            emitted.settled().await.expect("emitted");
            let others = if org == 1 { &second } else { &first };
            assert!(
                Note::events(others)
                    .of(note.id, None)
                    .await
                    .expect("read")
                    .is_empty()
            );
            assert_eq!(
                Note::events(tenant)
                    .of(note.id, None)
                    .await
                    .expect("read")
                    .len(),
                2
            );
        }
        let mut handled = Vec::new();
        let reader = Note::events(&first).reader("mails");
        let worked = reader
            .work(|event| {
                handled.push(event.value);
                ready(Ok::<(), String>(()))
            })
            .await;
        assert_eq!(worked.expect("worked").handled, 2);
        assert_eq!(handled, ["of 1", "again"]);
        let lag = Note::events(&second)
            .reader("mails")
            .lag()
            .await
            .expect("read");
        assert_eq!(lag.events, 2);

        mongo_model::purge_tenant(&second).await.expect("purged");
        assert_eq!(bench.len("_dn.events.walled_notes").await, 2);
        let every = bench.db.across_tenants::<i64>("the mails of all");
        assert_eq!(
            Note::events(&every)
                .reader("mails")
                .lag()
                .await
                .expect("read"),
            Lag::default()
        );
    })
    .await;
}

#[tokio::test]
async fn another_program_goes_on_where_a_reader_ends() {
    on_both("events_taken_over", async |bench: &Bench| {
        shop(bench).await;
        let db = &bench.db;
        Order::insert(db, &order(1)).await.expect("inserted");
        for n in 0..5 {
            let emitted = Order::update(db, 1).emit(noted(&n.to_string()));
            emitted.settled().await.expect("emitted");
        }
        let lease = Duration::from_millis(300);
        let reader = Order::events(db).reader("mails").lease(lease);
        let reader = reader.poll_every(Duration::from_millis(20));
        let began = tokio::sync::Notify::new();
        let mut first = Vec::new();
        let hangs = reader.run(|event| {
            let is_third = first.len() == 2;
            if is_third {
                began.notify_one();
            } else {
                first.push(event.value);
            }
            async move {
                if is_third {
                    std::future::pending::<()>().await;
                }
                Ok::<(), String>(())
            }
        });
        tokio::select! {
            ended = hangs => panic!("{ended:?}"),
            () = began.notified() => {}
        }
        // The next one begins with the first event that the log does not know as handled.
        let (mut second, done) = (Vec::new(), tokio::sync::Notify::new());
        let goes_on = reader.run(|event| {
            second.push(event.value);
            if second.len() == 5 {
                done.notify_one();
            }
            ready(Ok::<(), String>(()))
        });
        tokio::select! {
            ended = goes_on => panic!("{ended:?}"),
            () = done.notified() => {}
        }
        let all: Vec<OrderEvent> = (0..5).map(|n| noted(&n.to_string())).collect();
        assert_eq!((first, second), (all[..2].to_vec(), all));
    })
    .await;
}

#[tokio::test]
async fn an_answer_waits_for_one_command() {
    on_both("events_costs", async |bench: &Bench| {
        bench.index(&[Memo::meta()]).await;
        let memo = Memo {
            id: "m".to_owned(),
            text: String::new(),
        };
        Memo::insert(&bench.db, &memo).await.expect("inserted");
        settle(&bench.db).await;
        bench.forget();
        let emitted = Memo::update(&bench.db, "m".to_owned()).emit("a".to_owned());
        emitted.await.expect("emitted");
        let before = bench.sent();
        assert_eq!(before[0], "update", "{before:?}");
        settle(&bench.db).await;
        let all = [before, bench.sent()].concat();
        assert_eq!(all, ["update", "findAndModify", "update", "update"]);
    })
    .await;
}

#[tokio::test]
async fn a_reader_runs_in_a_task_of_its_own() {
    in_set("events_task", async |bench: &Bench| {
        bench.index(&[Memo::meta()]).await;
        let (sender, mut received) = tokio::sync::mpsc::unbounded_channel();
        let db = bench.db.clone();
        let task = tokio::spawn(async move {
            let reader = Memo::events(&db).reader("mails");
            let reader = reader.poll_every(Duration::from_millis(20));
            let run = reader.run(|event| ready(sender.send(event.value)));
            run.await.map(drop)
        });
        let memo = Memo {
            id: "m".to_owned(),
            text: String::new(),
        };
        let inserted = Memo::insert(&bench.db, &memo).emit("new".to_owned());
        inserted.await.expect("inserted");
        let next = tokio::time::timeout(Duration::from_secs(60), received.recv());
        assert_eq!(next.await.expect("in time").as_deref(), Some("new"));
        task.abort();
    })
    .await;
}
