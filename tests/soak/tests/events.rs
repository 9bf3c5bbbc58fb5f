//! A write with an event, of a model with a history, that stops between any two of its steps, or a delete of a document whose events are not delivered: the log has the
//! event and the entry of each change that stands, once and in the order of the changes.

use std::collections::BTreeMap;
use std::panic::AssertUnwindSafe;

use bson::{Document, doc};
use futures::FutureExt;
use mongo_model::{
    Database, Error, Id, MongoEmbed, MongoModel, Result, recover, settle, settle_in_calls,
    sync_indexes,
};
use mongo_model_dev_server::{DevServer, Topology};
use mongo_model_soak::leases::pass_time;
use mongo_model_soak::parts::{ON_BOTH, side_by_side};
use mongo_model_soak::points::{FAULTS, failing_at, passed, stopped, with_rest};
use mongo_model_soak::ways::Ways;
use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "event_hosts")]
struct Host {
    #[serde(rename = "_id")]
    id: Id<Host, i64>,
    #[count(Ticket)]
    number: i64,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "event_tickets", events(Step, readers(one)), history)]
struct Ticket {
    #[serde(rename = "_id")]
    id: Id<Ticket, i64>,
    #[parent(Host, on_delete = cascade)]
    host: Id<Host, i64>,
    /// The number of its events.
    #[index]
    steps: i64,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoEmbed)]
struct Step {
    step: i64,
}

const POINTS: [&str; 12] = [
    "before_w1",
    "after_w1",
    "before_i1",
    "after_i1",
    "before_d1",
    "after_d1",
    "after_d2",
    "before_d3",
    "events_after_write",
    "events_after_read",
    "events_after_log",
    "events_after_clear",
];

const STEPS: [&str; 13] = [
    "insert",
    "insert_many",
    "update",
    "update_many",
    "save",
    "upsert",
    "move",
    "delete",
    "last",
    "last_of_many",
    "delete_many",
    "cascade",
    "recover",
];

fn ticket(id: i64) -> Ticket {
    Ticket {
        id: Id::from_raw(id),
        host: Id::from_raw(1),
        steps: 1,
    }
}

async fn emit(db: &Database, id: i64) -> Result<()> {
    let id = Id::<Ticket, i64>::from_raw(id);
    let Some(now) = Ticket::get(db, id).await? else {
        return Ok(());
    };
    let step = now.steps + 1;
    let update = Ticket::update(db, id).set(|t| t.steps, step);
    update.emit(Step { step }).await.map(drop)
}

/// Two hosts, and tickets of the first, of which two have an event that is not delivered.
async fn prepare(db: &Database) -> Result<()> {
    for collection in [
        "event_hosts",
        "event_tickets",
        "_dn.events.event_tickets",
        "_dn.history.event_tickets",
    ] {
        db.collection::<Document>(collection)
            .delete_many(doc! {})
            .await?;
    }
    let host = |id| Host {
        id: Id::from_raw(id),
        number: 0,
    };
    Host::insert_many(db, &[host(1), host(2)]).await?;
    for id in 1..=3 {
        Ticket::insert(db, &ticket(id))
            .emit(Step { step: 1 })
            .await?;
    }
    settle(db).await;
    failing_at(db, "events_after_read", async {
        emit(db, 2).await?;
        emit(db, 3).await
    })
    .await;
    Ok(())
}

async fn run(db: &Database, step: &str) -> Result<()> {
    let id = Id::<Ticket, i64>::from_raw;
    match step {
        "insert" => drop(
            Ticket::insert(db, &ticket(9))
                .emit(Step { step: 1 })
                .await?,
        ),
        "insert_many" => {
            let many = Ticket::insert_many(db, &[ticket(8), ticket(9)]);
            drop(many.emit(|ticket| Step { step: ticket.steps }).await?);
        }
        "update" => emit(db, 2).await?,
        "update_many" => {
            let many = Ticket::update_many(db, |t| t.steps.eq(1)).set(|t| t.steps, 2);
            drop(many.emit(Step { step: 2 }).await?);
        }
        "save" => {
            let now = Ticket::get(db, id(1)).await?.filter(|now| now.steps == 1);
            if let Some(now) = now {
                let next = Ticket { steps: 2, ..now };
                drop(next.save(db).emit(Step { step: 2 }).await?);
            }
        }
        "upsert" => {
            let upsert = Ticket::upsert(db, &ticket(9)).max(|t| t.steps, 1);
            if Ticket::get(db, id(9)).await?.is_none() {
                drop(upsert.emit(Step { step: 1 }).await?);
            }
        }
        "move" => {
            // A caller that makes the call again does not mean another event.
            let moved = Ticket::update(db, id(1)).only_if(|t| t.steps.eq(1));
            let moved = moved.set(|t| t.host, Id::from_raw(2)).set(|t| t.steps, 2);
            drop(moved.emit(Step { step: 2 }).await?);
        }
        "delete" => drop(Ticket::delete(db, id(2)).await?),
        // The event of the delete follows those of the document.
        "last" => drop(Ticket::delete(db, id(2)).emit(Step { step: 3 }).await?),
        "last_of_many" => {
            let gone = Ticket::delete_many(db, |t| t.id.gt(id(1)));
            drop(gone.emit(Step { step: 3 }).await?);
        }
        "delete_many" => drop(Ticket::delete_many(db, |t| t.id.gt(id(1))).await?),
        "cascade" => drop(Host::delete(db, Id::from_raw(1)).await?),
        "recover" => drop(recover(db).await?),
        other => panic!("no such step: {other}"),
    }
    Ok(())
}

/// Checks the log: each ticket that is there has its events, and one that was deleted had all of its own.
async fn right(db: &Database, at: &str) {
    pass_time(db, &["event_hosts"]).await;
    recover(db).await.expect("recovered");
    assert!(recover(db).await.expect("recovered").is_idle(), "{at}");
    for id in [1, 2, 3, 8, 9] {
        let id = Id::<Ticket, i64>::from_raw(id);
        let events = Ticket::events(db).of(id, None).await.expect("read");
        let first = events.first().map_or(0, |event| event.number);
        for (n, event) in (0_i64..).zip(&events) {
            assert_eq!(
                (event.number, event.value.step),
                (first + n, n + 1),
                "{at}: {events:?}"
            );
        }
        let stored = Ticket::get(db, id).await.expect("read");
        history_leads_back(db, stored.as_ref(), id, at).await;
        // A deleted ticket had at least the events that it began with.
        let least = match *id.as_raw() {
            1 => 1,
            8 | 9 => 0,
            2 if at.starts_with("last") => 3,
            3 if at.starts_with("last_of_many") => 3,
            _ => 2,
        };
        let wanted = stored.map_or(least..=3, |ticket| ticket.steps..=ticket.steps);
        assert!(wanted.contains(&(events.len() as i64)), "{at}: {events:?}");
    }
}

/// Checks the history: the entries follow each other, from the insert to the state that is stored, or to the delete.
async fn history_leads_back(db: &Database, stored: Option<&Ticket>, id: Id<Ticket, i64>, at: &str) {
    let of = || Ticket::history(db, id);
    let entries = of().entries(None).await.expect("read");
    let Some((first, last)) = entries.first().zip(entries.last()) else {
        assert!(stored.is_none(), "{at}: {id}");
        return;
    };
    assert!(first.is_insert(), "{at}: {entries:?}");
    assert_eq!(last.is_delete(), stored.is_none(), "{at}: {entries:?}");
    for pair in entries.windows(2) {
        assert_eq!(pair[1].revision, pair[0].revision + 1, "{at}: {entries:?}");
    }
    let mut steps = Vec::new();
    for entry in &entries {
        let then = of().at(entry.revision).await;
        let then = then.unwrap_or_else(|error| panic!("{at}: {error}"));
        steps.extend(then.map(|ticket| ticket.steps));
    }
    let changes = entries.iter().filter(|entry| !entry.is_delete());
    let wanted: Vec<i64> = (1..).take(changes.count()).collect();
    assert_eq!(steps, wanted, "{at}");
}

async fn every_fault(topology: Topology, mut ways: Ways, behind: bool) {
    settle_in_calls(!behind);
    let server = DevServer::shared(topology).await.expect("a server");
    let client = server.client().await.expect("a client");
    let db = client.database(&server.unique_db("event_faults"));
    let synced = sync_indexes(&db).models(&[Host::meta(), Ticket::meta()]);
    synced.await.expect("indexes");
    let faults = if behind { &FAULTS[1..] } else { &FAULTS[..] };
    let mut seen = BTreeMap::new();
    for step in STEPS {
        prepare(&db).await.expect("prepared");
        let points = passed(&POINTS, with_rest(&db, run(&db, step))).await;
        right(&db, step).await;
        for (name, times) in points {
            *seen.entry(name).or_insert(0) += times;
            for (nth, fault) in ways.of(name, times.min(2), faults) {
                prepare(&db).await.expect("prepared");
                let again = stopped(name, nth, fault, async || {
                    with_rest(&db, run(&db, step)).await
                });
                // Work that is done by now is not done once more.
                let once = |error: &Error| {
                    matches!(error, Error::NotFound { .. } | Error::Duplicate { .. })
                };
                let again = again.await;
                let again = again.is_none_or(|done| done.as_ref().err().is_none_or(once));
                assert!(again, "{step}, {name}");
                settle(&db).await;
                right(
                    &db,
                    &format!("{step} stopped at {name} ({nth}) by {fault:?}"),
                )
                .await;
            }
        }
    }
    for name in POINTS {
        assert!(seen.contains_key(name), "nothing passes {name}: {seen:?}");
    }
    db.drop().await.expect("dropped");
}

#[tokio::test]
async fn an_event_that_stops_at_any_point_is_delivered() {
    let test = "an_event_that_stops_at_any_point_is_delivered";
    side_by_side(test, &ON_BOTH, async |topology| {
        every_fault(topology, Ways::in_turn(topology), false).await;
    })
    .await;
}

#[tokio::test]
async fn an_event_that_fails_behind_its_answer_is_delivered() {
    let test = "an_event_that_fails_behind_its_answer_is_delivered";
    side_by_side(test, &ON_BOTH, async |topology| {
        every_fault(topology, Ways::in_turn(topology), true).await;
    })
    .await;
}

#[tokio::test]
#[ignore = "minutes"]
async fn an_event_that_stops_at_any_point_in_any_way_is_delivered() {
    let test = "an_event_that_stops_at_any_point_in_any_way_is_delivered";
    side_by_side(test, &ON_BOTH, async |topology| {
        every_fault(topology, Ways::all(), false).await;
    })
    .await;
}

#[tokio::test]
async fn the_checks_find_what_an_outbox_by_hand_loses() {
    let server = DevServer::shared(Topology::Standalone)
        .await
        .expect("a server");
    let client = server.client().await.expect("a client");
    let db = client.database(&server.unique_db("event_naive"));
    let synced = sync_indexes(&db).models(&[Host::meta(), Ticket::meta()]);
    synced.await.expect("indexes");
    prepare(&db).await.expect("prepared");
    right(&db, "before").await;
    // By hand that is an update, and then an insert of the event. The program ends in between.
    let tickets = db.collection::<Document>("event_tickets");
    let changed = tickets.update_one(doc! { "_id": 1_i64 }, doc! { "$inc": { "steps": 1_i64 } });
    changed.await.expect("changed");
    let checked = AssertUnwindSafe(right(&db, "by hand")).catch_unwind().await;
    assert!(checked.is_err(), "an event was lost, and nothing said so");
    db.drop().await.expect("dropped");
}
