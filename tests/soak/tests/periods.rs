//! Numbers and extremes of periods: writes of children that stop at any point, and writers that meet in periods without a document. Wrong numbers have
//! flags, and the recovery corrects them.

use std::collections::BTreeMap;
use std::time::Duration;

use bson::{Bson, DateTime, Document, doc};
use futures::TryStreamExt;
use futures::future::join_all;
use mongo_model::{
    Database, Id, MongoModel, Period, Result, recover, settle, settle_in_calls, sync_indexes,
    verify,
};
use mongo_model_dev_server::{DevServer, Topology};
use mongo_model_soak::parts::{ON_BOTH, side_by_side};
use mongo_model_soak::points::{self, FAULTS, passed, stopped};
use mongo_model_soak::ways::Ways;
use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, Serialize, Deserialize, MongoModel)]
#[model(collection = "gates")]
struct Gate {
    #[serde(rename = "_id")]
    id: Id<Gate, i64>,
}

#[derive(Debug, Clone, Serialize, Deserialize, MongoModel)]
#[model(collection = "entries")]
struct Entry {
    #[serde(rename = "_id")]
    id: Id<Entry, i64>,
    #[parent(Gate, on_delete = cascade)]
    gate: Id<Gate, i64>,
    persons: i64,
    at: DateTime,
}

#[derive(Debug, Clone, Serialize, Deserialize, MongoModel)]
#[model(collection = "gate_days")]
struct GateDay {
    #[serde(rename = "_id")]
    #[period(per = day, zone = "Europe/Rome")]
    id: Period<Gate>,
    #[sum(Entry, field = persons, at = at)]
    #[serde(default)]
    persons: i64,
    #[count(Entry, at = at)]
    #[serde(default)]
    entries: i64,
    #[max(Entry, field = persons, at = at)]
    most: Option<i64>,
    #[min(Entry, field = persons, at = at)]
    fewest: Option<i64>,
}

fn key<M>(n: i64) -> Id<M, i64> {
    Id::from_raw(n)
}

/// Noon of a day of March 2026: on the 29th the clocks change.
fn noon(day: i64) -> DateTime {
    let first = DateTime::parse_rfc3339_str("2026-03-01T12:00:00Z").expect("a time");
    DateTime::from_millis(first.timestamp_millis() + (day - 1) * 86_400_000)
}

fn entry(n: i64, gate: i64, day: i64) -> Entry {
    Entry {
        id: key(n),
        gate: key(gate),
        persons: n + 1,
        at: noon(day),
    }
}

async fn open(topology: Topology, name: &str) -> Database {
    let server = DevServer::shared(topology).await.expect("a server");
    let client = server.client().await.expect("a client");
    let db = client.database(&server.unique_db(name));
    let models = [Gate::meta(), Entry::meta(), GateDay::meta()];
    sync_indexes(&db).models(&models).await.expect("indexes");
    db
}

/// The documents that the writes begin with.
async fn fill(db: &Database) {
    for name in ["gates", "entries", "gate_days"] {
        let all = db.collection::<Document>(name);
        all.delete_many(doc! {}).await.expect("emptied");
    }
    let gates = [1, 2].map(|n| Gate { id: key(n) });
    Gate::insert_many(db, &gates).await.expect("gates");
    let entries: Vec<Entry> = (0..6).map(|n| entry(n, 1 + n % 2, 28 + n % 2)).collect();
    Entry::insert_many(db, &entries).await.expect("entries");
    settle(db).await;
}

/// By gate and beginning of the day: how many persons, and entries; the most and the fewest persons of one entry.
type Days = BTreeMap<(i64, DateTime), (i64, i64, Option<i64>, Option<i64>)>;

async fn rows(db: &Database, collection: &str, pipeline: Vec<Document>) -> Days {
    let all = db.collection::<Document>(collection);
    let rows = all.aggregate(pipeline).await.expect("read");
    let rows: Vec<Document> = rows.try_collect().await.expect("read");
    let of = |row: &Document| {
        let id = row.get_document("_id").expect("an id");
        let start = *id.get_datetime("d").expect("a day");
        let number = |name: &str| match row.get(name) {
            Some(Bson::Int32(n)) => i64::from(*n),
            Some(Bson::Int64(n)) => *n,
            other => panic!("{other:?}"),
        };
        let key = (id.get_i64("p").expect("a gate"), start);
        let extreme = |name: &str| row.get_i64(name).ok();
        let (persons, entries) = (number("persons"), number("entries"));
        (key, (persons, entries, extreme("most"), extreme("fewest")))
    };
    let days = rows.iter().map(of);
    days.filter(|(_, numbers)| *numbers != (0, 0, None, None))
        .collect()
}

/// The days as they are stored, and those of the entries: a fresh grouping.
async fn days(db: &Database) -> (Days, Days) {
    let day = doc! { "$dateTrunc": { "date": "$at", "unit": "day", "timezone": "Europe/Rome" } };
    let group = doc! {
        "_id": { "p": "$gate", "d": day },
        "persons": { "$sum": "$persons" },
        "entries": { "$sum": 1 },
        "most": { "$max": "$persons" },
        "fewest": { "$min": "$persons" },
    };
    let want = rows(db, "entries", vec![doc! { "$group": group }]).await;
    let have = rows(db, "gate_days", Vec::new()).await;
    (have, want)
}

async fn check(db: &Database, what: &str) {
    let (have, want) = days(db).await;
    assert_eq!(have, want, "{what}");
}

/// Nothing is wrong without a flag.
async fn check_flagged(db: &Database, what: &str) {
    let found = verify(db).models(&[GateDay::meta()]).await.expect("looked");
    let wrong: u64 = found.references.iter().map(|edge| edge.defects()).sum();
    assert_eq!(wrong, 0, "{what}: {found}");
}

const WRITES: [&str; 9] = [
    "insert",
    "insert_many",
    "amount",
    "move_day",
    "move_gate",
    "move_many",
    "save",
    "delete",
    "delete_gate",
];

async fn write(db: &Database, name: &str) -> Result<()> {
    let update = |n| Entry::update(db, key(n));
    match name {
        "insert" => drop(Entry::insert(db, &entry(10, 2, 30)).await?),
        "insert_many" => {
            let new = [entry(11, 1, 28), entry(12, 2, 30), entry(13, 1, 31)];
            drop(Entry::insert_many(db, &new).await?);
        }
        "amount" => drop(update(0).inc(|e| e.persons, 5).await?),
        "move_day" => drop(update(0).set(|e| e.at, noon(30)).await?),
        "move_gate" => {
            let moved = update(1).set(|e| e.gate, key(1));
            drop(moved.set(|e| e.at, noon(31)).set(|e| e.persons, 9).await?);
        }
        "move_many" => {
            let first = Entry::update_many(db, |e| e.gate.eq(key(1)));
            drop(first.set(|e| e.at, noon(29)).await?);
        }
        "save" => drop(entry(2, 2, 31).save(db).await?),
        "delete" => drop(Entry::delete(db, key(5)).await?),
        _ => drop(Gate::delete(db, key(2)).await?),
    }
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_write_that_stops_leaves_its_periods_right_or_flagged() {
    let test = "a_write_that_stops_leaves_its_periods_right_or_flagged";
    side_by_side(test, &ON_BOTH, async |topology| {
        let db = open(topology, "period_stops").await;
        let mut ways = Ways::in_turn(topology);
        let mut stops = 0;
        for name in WRITES {
            fill(&db).await;
            let points = passed(&points::kept(), write(&db, name)).await;
            check(&db, name).await;
            for (at, times) in points {
                for (nth, fault) in ways.of(at, times, &FAULTS) {
                    fill(&db).await;
                    stopped(at, nth, fault, async || write(&db, name).await).await;
                    let what = format!("{name} at {at}, {fault:?}");
                    check_flagged(&db, &what).await;
                    recover(&db).await.expect("recovered");
                    check(&db, &what).await;
                    check_flagged(&db, &what).await;
                    stops += 1;
                }
            }
        }
        assert!(stops > 30, "{stops}");
        db.drop().await.expect("dropped");
    })
    .await;
}

/// Rounds of writers in days without a document; some of their calls are dropped.
#[tokio::test(flavor = "multi_thread")]
async fn writers_that_meet_in_new_periods_count_once() {
    settle_in_calls(false);
    for topology in [Topology::Standalone, Topology::ReplicaSet(1)] {
        let db = open(topology, "period_races").await;
        fill(&db).await;
        for round in 0..12_i64 {
            let writers = (0..16_i64).map(|n| {
                let db = db.clone();
                async move {
                    let id = 100 + round * 16 + n;
                    let day = 40 + round * 2;
                    let writes = async {
                        let new = entry(id, 1 + n % 2, day + n % 2);
                        Entry::insert(&db, &new).await?;
                        let moved = Entry::update(&db, key(id)).set(|e| e.at, noon(day));
                        moved.await?;
                        if n % 4 == 0 {
                            Entry::delete(&db, key(id)).await?;
                        }
                        Ok::<(), mongo_model::Error>(())
                    };
                    let patience = match n % 3 {
                        0 => Duration::from_micros((id.unsigned_abs() * 397) % 12_000),
                        _ => Duration::from_secs(60),
                    };
                    let done = tokio::time::timeout(patience, writes).await;
                    done.map_or(Ok(()), |done| done).expect("written");
                }
            });
            join_all(writers).await;
            settle(&db).await;
            let what = format!("round {round}");
            check_flagged(&db, &what).await;
            recover(&db).await.expect("recovered");
            check(&db, &what).await;
        }
        db.drop().await.expect("dropped");
    }
}

/// Otherwise the others would show nothing: a move as most programs do it, without a look at the entries that stay.
#[tokio::test(flavor = "multi_thread")]
async fn an_extreme_that_is_kept_by_hand_is_wrong() {
    let db = open(Topology::Standalone, "period_by_hand").await;
    fill(&db).await;
    let raw = |name: &str| db.collection::<Document>(name);
    let entries = raw("entries");
    let to = doc! { "$set": { "at": noon(30) } };
    let before = entries.find_one_and_update(doc! { "_id": 4_i64 }, to).await;
    let before = before.expect("moved").expect("an entry");
    let start = |day: i64| DateTime::from_millis(noon(day).timestamp_millis() - 13 * 3_600_000);
    let day = |start: DateTime| doc! { "_id": { "p": 1_i64, "d": start } };
    let persons = before.get_i64("persons").expect("a number");
    let less = doc! { "$inc": { "persons": -persons, "entries": -1_i64 } };
    let days_of_gates = raw("gate_days");
    let left = days_of_gates.update_one(day(start(28)), less).await;
    assert_eq!(left.expect("changed").matched_count, 1);
    let more = doc! {
        "$inc": { "persons": persons, "entries": 1_i64 },
        "$max": { "most": persons },
        "$min": { "fewest": persons },
    };
    let summer = DateTime::from_millis(start(30).timestamp_millis() - 3_600_000);
    let entered = days_of_gates.update_one(day(summer), more).upsert(true);
    entered.await.expect("changed");
    let (mut have, want) = days(&db).await;
    assert_ne!(have, want);
    let former = have.get_mut(&(1, start(28))).expect("the former day");
    assert_eq!(former.2, Some(persons));
    former.2 = Some(3);
    assert_eq!(have, want, "nothing else is wrong");
    db.drop().await.expect("dropped");
}
