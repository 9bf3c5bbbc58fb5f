//! Bounded counts: buyers whose calls stop at any point, and writers that are late. No more tickets are sold than there are seats.

use std::sync::Arc;
use std::time::Duration;

use bson::{DateTime, Document, doc};
use futures::future::join_all;
use mongo_model::{Database, Error, Id, MongoModel, recover, settle, sync_indexes};
use mongo_model_dev_server::{DevServer, Topology};
use mongo_model_soak::points::point;
use serde::{Deserialize, Serialize};
use tokio::sync::Mutex;

#[derive(Debug, Clone, Serialize, Deserialize, MongoModel)]
#[model(collection = "rounds")]
struct Round {
    #[serde(rename = "_id")]
    id: Id<Round, i64>,
    seats: i64,
    #[count(Ticket, max = seats)]
    sold: i64,
    #[sum(Ticket, field = cents)]
    income: i64,
}

#[derive(Debug, Clone, Serialize, Deserialize, MongoModel)]
#[model(collection = "tickets")]
struct Ticket {
    #[serde(rename = "_id")]
    id: Id<Ticket>,
    #[parent(Round, on_delete = cascade)]
    round: Id<Round, i64>,
    cents: i64,
}

/// Fault points are the process's.
static POINTS: Mutex<()> = Mutex::const_new(());

const SEATS: i64 = 30;
const BUYERS: usize = 50;

fn ticket(round: i64) -> Ticket {
    Ticket {
        id: Id::new(),
        round: Id::from_raw(round),
        cents: 700,
    }
}

async fn hall(topology: Topology, name: &str) -> Database {
    let server = DevServer::shared(topology).await.expect("a server");
    let client = server.client().await.expect("a client");
    let db = client.database(&server.unique_db(name));
    let models = [Round::meta(), Ticket::meta()];
    sync_indexes(&db).models(&models).await.expect("indexes");
    db
}

async fn open(db: &Database, n: i64, seats: i64) {
    let round = Round {
        id: Id::from_raw(n),
        seats,
        sold: 0,
        income: 0,
    };
    Round::insert(db, &round).await.expect("a round");
}

/// The number of the round and its stored tickets.
async fn sold(db: &Database, n: i64) -> (i64, i64) {
    let round = Round::get(db, Id::from_raw(n)).await.expect("read");
    let tickets = db.collection::<Document>("tickets");
    let stored = tickets.count_documents(doc! { "round": n }).await;
    let round = round.expect("a round");
    (
        round.sold,
        i64::try_from(stored.expect("counted")).expect("few"),
    )
}

/// Reservations become old enough to be released.
async fn pass_time(db: &Database) {
    let old = DateTime::from_millis(DateTime::now().timestamp_millis() - 61_000);
    let rounds = db.collection::<Document>("rounds");
    let reserved = doc! { "_dn.k.r.0": { "$exists": true } };
    let older = doc! { "$set": { "_dn.k.r.$[].at": old } };
    rounds.update_many(reserved, older).await.expect("set");
}

/// Rounds of buyers, of whom some give up at a moment that differs from round to round.
async fn sell(topology: Topology, rounds: i64) {
    let db = hall(topology, "places").await;
    for n in 0..rounds {
        open(&db, n, SEATS).await;
        let buyers = (0..BUYERS).map(|buyer| {
            let db = db.clone();
            async move {
                let bought = async { Ticket::insert(&db, &ticket(n)).await };
                let patience = match buyer % 3 {
                    0 => {
                        Duration::from_micros((n.unsigned_abs() * 37 + buyer as u64 * 211) % 9_000)
                    }
                    _ => Duration::from_secs(60),
                };
                match tokio::time::timeout(patience, bought).await {
                    Err(_) => None,
                    Ok(Ok(_)) => Some(true),
                    Ok(Err(Error::Full { .. })) => Some(false),
                    Ok(Err(error)) => panic!("{error}"),
                }
            }
        });
        let answers = join_all(buyers).await;
        let accepted = answers.iter().filter(|answer| **answer == Some(true));
        let accepted = i64::try_from(accepted.count()).expect("few");
        let (number, stored) = sold(&db, n).await;
        assert!(accepted <= SEATS && number <= SEATS && stored <= SEATS);
        settle(&db).await;
        pass_time(&db).await;
        recover(&db).await.expect("recovered");
        let (number, stored) = sold(&db, n).await;
        assert_eq!(number, stored, "round {n}");
        assert!(accepted <= stored && stored <= SEATS, "round {n}");
        // All places that nobody has can be had.
        for _ in stored..SEATS {
            Ticket::insert(&db, &ticket(n)).await.expect("a free seat");
        }
        let full = Ticket::insert(&db, &ticket(n)).await;
        assert!(matches!(full, Err(Error::Full { .. })), "{full:?}");
        settle(&db).await;
        assert_eq!(sold(&db, n).await, (SEATS, SEATS), "round {n}");
    }
    db.drop().await.expect("dropped");
}

#[tokio::test(flavor = "multi_thread")]
async fn fifty_buyers_never_get_more_than_thirty_seats() {
    let _points = POINTS.lock().await;
    sell(Topology::Standalone, 40).await;
    sell(Topology::ReplicaSet(1), 20).await;
}

/// The same for a thousand rounds.
#[tokio::test(flavor = "multi_thread")]
#[ignore = "takes minutes"]
async fn a_thousand_rounds() {
    let _points = POINTS.lock().await;
    sell(Topology::Standalone, 500).await;
    sell(Topology::ReplicaSet(1), 500).await;
}

/// Stops an insert at this point, lets `meanwhile` run, and gives its answer.
async fn while_it_stands(
    db: &Database,
    at: &'static str,
    meanwhile: impl AsyncFnOnce(),
) -> mongo_model::Result<()> {
    let gate = Arc::new((std::sync::Mutex::new(false), std::sync::Condvar::new()));
    let (reached, arrived) = tokio::sync::oneshot::channel();
    let (held, reached) = (Arc::clone(&gate), std::sync::Mutex::new(Some(reached)));
    let stand = move || {
        let first = reached.lock().expect("no panic").take();
        let Some(first) = first else { return };
        first.send(()).expect("awaited");
        let (open, opened) = &*held;
        let mut open = open.lock().expect("no panic");
        while !*open {
            open = opened.wait(open).expect("no panic");
        }
    };
    fail::cfg_callback(point(at), stand).expect("a point");
    let buyer = {
        let db = db.clone();
        tokio::spawn(async move { Ticket::insert(&db, &ticket(1)).await.map(drop) })
    };
    arrived.await.expect("it stands");
    fail::remove(point(at));
    meanwhile().await;
    fail::cfg(point("reservation_late"), "return(error)").expect("an action");
    *gate.0.lock().expect("no panic") = true;
    gate.1.notify_all();
    let bought = buyer.await.expect("no panic");
    fail::remove(point("reservation_late"));
    bought
}

/// A writer stands between its reservation and its insert until the place is gone.
#[tokio::test(flavor = "multi_thread")]
async fn a_late_writer_whose_place_is_gone_stores_nothing() {
    let _points = POINTS.lock().await;
    for topology in [Topology::Standalone, Topology::ReplicaSet(1)] {
        let db = hall(topology, "places_late").await;
        open(&db, 1, 1).await;
        let late = while_it_stands(&db, "before_i1", async || {
            pass_time(&db).await;
            Ticket::insert(&db, &ticket(1)).await.expect("the place");
        });
        let late = late.await;
        assert!(matches!(late, Err(Error::Full { .. })), "{late:?}");
        settle(&db).await;
        recover(&db).await.expect("recovered");
        assert_eq!(sold(&db, 1).await, (1, 1));
        // With another seat it would have got one.
        let more = Round::update(&db, Id::from_raw(1)).set(|r| r.seats, 3);
        more.await.expect("set");
        let late = while_it_stands(&db, "before_i1", async || {
            pass_time(&db).await;
            recover(&db).await.expect("released");
            assert_eq!(sold(&db, 1).await, (1, 1));
            Ticket::insert(&db, &ticket(1)).await.expect("the place");
        });
        late.await.expect("stored");
        settle(&db).await;
        recover(&db).await.expect("recovered");
        assert_eq!(sold(&db, 1).await, (3, 3));
        db.drop().await.expect("dropped");
    }
}

/// The program ends at each point of an insert: the place is the ticket's, or free again.
#[tokio::test(flavor = "multi_thread")]
async fn a_writer_that_ends_loses_no_place() {
    let _points = POINTS.lock().await;
    let points = [
        "before_i1",
        "after_i1",
        "after_fused",
        "after_c1",
        "after_c2",
        "after_c3",
    ];
    for topology in [Topology::Standalone, Topology::ReplicaSet(1)] {
        let db = hall(topology, "places_ends").await;
        for (n, at) in (1..).zip(points) {
            open(&db, n, 2).await;
            Ticket::insert(&db, &ticket(n)).await.expect("stored");
            settle(&db).await;
            fail::cfg(point(at), "return(error)").expect("an action");
            let _ = Ticket::insert(&db, &ticket(n)).await;
            settle(&db).await;
            fail::remove(point(at));
            let (number, stored) = sold(&db, n).await;
            assert!(number <= 2 && stored <= 2, "{at}: {number}, {stored}");
            pass_time(&db).await;
            recover(&db).await.expect("recovered");
            let (number, stored) = sold(&db, n).await;
            assert_eq!(number, stored, "{at}");
            assert_eq!(stored, if at == "before_i1" { 1 } else { 2 }, "{at}");
        }
        db.drop().await.expect("dropped");
    }
}

/// Another program counts the ticket of a late writer before the writer looks for its reservation.
#[tokio::test(flavor = "multi_thread")]
async fn a_late_writer_whose_ticket_is_counted_keeps_its_place() {
    let _points = POINTS.lock().await;
    for topology in [Topology::Standalone, Topology::ReplicaSet(1)] {
        let db = hall(topology, "places_counted").await;
        open(&db, 1, 2).await;
        for n in 1..=2 {
            let late = while_it_stands(&db, "after_i1", async || {
                recover(&db).await.expect("counted");
                assert_eq!(sold(&db, 1).await, (n, n));
            });
            late.await.expect("the place");
            settle(&db).await;
            assert_eq!(sold(&db, 1).await, (n, n));
        }
        db.drop().await.expect("dropped");
    }
}
