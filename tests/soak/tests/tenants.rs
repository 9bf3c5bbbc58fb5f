//! Two tenants with the same natural keys write beside each other, try the ids of each other, and stop half way. No document changes its
//! tenant, no copy, number or list crosses the wall, and a recovery of each tenant makes right what is its own.
//!
//! A longer run: `TENANTS_SECONDS=60 cargo test -p mongo-model-soak --test tenants`.

use std::time::{Duration, Instant};

use bson::Document;
use futures::TryStreamExt;
use mongo_model::{
    Database, Error, Id, MongoModel, Tenant, Tenants, recover, sync_indexes, verify,
};
use mongo_model_dev_server::{DevServer, Topology};
use mongo_model_soak::random::Random;
use serde::{Deserialize, Serialize};

/// Keeps what its guests add up to; they go with it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "homes", tenant = org)]
struct Home {
    #[serde(rename = "_id")]
    id: Id<Home, i64>,
    org: i64,
    #[index(unique)]
    key: i64,
    name: String,
    #[count(Guest)]
    guests: i64,
    #[sum(Guest, field = points)]
    points: i64,
    #[recent(Guest, max = 2, sort = -points, fields(points))]
    latest: Vec<RecentGuest>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "guests", tenant = org)]
struct Guest {
    #[serde(rename = "_id")]
    id: Id<Guest, i64>,
    org: i64,
    #[index(unique)]
    key: i64,
    #[parent(Home, on_delete = cascade)]
    home: Id<Home, i64>,
    #[denorm(from = Home, field = name)]
    home_name: String,
    points: i64,
}

/// How many tasks write at once, half of them for each tenant.
const TASKS: u64 = 24;
/// How many documents of a kind a tenant has.
const HOMES: u8 = 3;
const GUESTS: u8 = 8;
/// How many rounds of recovery may be needed before nothing is left.
const ROUNDS: usize = 20;

/// Steps at which a call stops for good, until it is dropped, or comes late, so that others come between.
const APART: [&str; 9] = [
    "after_i1",
    "after_i2",
    "after_w1",
    "before_w2",
    "after_d1",
    "mid_d2",
    "after_d2",
    "after_c1",
    "after_c2",
];

fn seconds() -> Duration {
    let seconds = std::env::var("TENANTS_SECONDS").ok();
    Duration::from_secs(seconds.and_then(|text| text.parse().ok()).unwrap_or(8))
}

/// The `_id` of a tenant's document: no other tenant ever stores it.
fn id<T>(org: i64, key: u8) -> Id<T, i64> {
    Id::from_raw(i64::from(key) * 2 + org)
}

fn home(org: i64, key: u8, time: u8) -> Home {
    Home {
        id: id(org, key),
        org,
        key: i64::from(key),
        name: format!("{org}: {time}"),
        guests: 0,
        points: 0,
        latest: Vec::new(),
    }
}

fn guest(org: i64, key: u8, home: Id<Home, i64>, points: u8) -> Guest {
    Guest {
        id: id(org, key),
        org,
        key: i64::from(key),
        home,
        home_name: "wrong".to_owned(),
        points: i64::from(points),
    }
}

/// One operation of a tenant; some of what it names are documents of the other one.
async fn step(db: &Tenant<i64>, org: i64, random: &mut Random) -> mongo_model::Result<()> {
    let (h, g, time) = (random.below(HOMES), random.below(GUESTS), random.below(40));
    let mut whose = || match random.below(5) {
        0 => 1 - org,
        _ => org,
    };
    let (home_id, guest_id) = (id(whose(), h), id(whose(), g));
    match random.below(12) {
        0..=2 => drop(Guest::insert(db, &guest(org, g, home_id, time)).await?),
        3 => drop(guest(org, g, home_id, time).save(db).await?),
        4 => drop(Guest::update(db, guest_id).set(|x| x.home, home_id).await?),
        5 => drop(Guest::update(db, guest_id).inc(|x| x.points, 3).await?),
        6 => drop(Guest::delete(db, guest_id).await?),
        7 => {
            let all = Guest::update_many(db, |x| x.home.eq(home_id));
            drop(all.set(|x| x.home, id(org, 0)).await?);
        }
        8 => {
            let name = format!("{org}: {time}");
            drop(Home::update(db, home_id).set(|x| x.name, name).await?);
        }
        9 => drop(Home::insert(db, &home(org, h, time)).await?),
        10 => {
            Home::delete(db, home_id).await?;
            Home::insert(db, &home(org, h, time)).await?;
        }
        _ => {
            let upsert = Guest::upsert(db, &guest(org, g, home_id, time)).on_key(|x| x.key);
            drop(upsert.inc(|x| x.points, 1).await?);
            let found = Guest::scan(db, |x| x.all()).await?;
            assert!(found.iter().all(|guest| guest.org == org), "{found:?}");
        }
    }
    Ok(())
}

/// True if a call may return this error while others write, and about documents of another tenant.
fn is_expected(error: &Error) -> bool {
    matches!(
        error,
        Error::NotFound { .. }
            | Error::Duplicate { .. }
            | Error::Gone { .. }
            | Error::Dangling { .. }
            | Error::Unsettled { .. }
            | Error::Busy { .. }
            | Error::DeletedInPart { .. }
    )
}

/// Gives how many calls succeeded, were refused and were dropped.
async fn write(db: Database, org: i64, seed: u64, until: Instant) -> [u64; 3] {
    let (tenant, mut random) = (db.tenant(org), Random::new(seed));
    let mut ended = [0; 3];
    while Instant::now() < until {
        // A call that is dropped stops between two of its commands, as in a program that dies.
        let patience = Duration::from_millis(match random.below(4) {
            0 => u64::from(random.below(40)),
            _ => 500,
        });
        let operation = step(&tenant, org, &mut random);
        ended[match tokio::time::timeout(patience, operation).await {
            Ok(Ok(())) => 0,
            Ok(Err(error)) => {
                assert!(is_expected(&error), "{error:?}");
                1
            }
            Err(_) => 2,
        }] += 1;
    }
    ended
}

/// Nothing has changed its tenant, and no reference or copy leads through the wall.
async fn assert_apart(db: &Database) {
    for collection in ["homes", "guests"] {
        let raw = db.collection::<Document>(collection);
        let all = raw.find(Document::new());
        let all: Vec<Document> = all.await.expect("found").try_collect().await.expect("read");
        for one in all {
            let org = one.get_i64("org").expect("a tenant");
            assert_eq!(one.get_i64("_id").expect("an id") % 2, org, "{one}");
            let named = ["name", "home_name"].map(|field| one.get_str(field).ok());
            let foreign = format!("{}: ", 1 - org);
            let is_own = |name: &&str| !name.starts_with(&foreign);
            assert!(named.iter().flatten().all(is_own), "{one}");
            let home = one.get_i64("home").ok();
            assert!(home.is_none_or(|home| home % 2 == org), "{one}");
        }
    }
}

async fn race(topology: Topology) {
    let server = DevServer::shared(topology).await.expect("a server");
    let client = server.client().await.expect("a client");
    let db = client.database(&server.unique_db("tenants"));
    sync_indexes(&db).await.expect("indexes");
    for org in [0_i64, 1] {
        let all: Vec<Home> = (0..HOMES).map(|key| home(org, key, 0)).collect();
        Home::insert_many(&db.tenant(org), &all)
            .await
            .expect("stored");
    }
    for point in APART {
        fail::cfg(
            format!("mongo_model::{point}"),
            "8%return(hang)->10%sleep(25)",
        )
        .expect("an action");
    }
    let until = Instant::now() + seconds();
    let first = u64::from(std::process::id()) * 1_000;
    let writers: Vec<_> = (0..TASKS)
        .map(|n| tokio::spawn(write(db.clone(), i64::from(n % 2 == 0), first + n, until)))
        .collect();
    let mut ended = [0; 3];
    for writer in writers {
        for (all, n) in ended.iter_mut().zip(writer.await.expect("no panic")) {
            *all += n;
        }
    }
    for point in APART {
        fail::remove(format!("mongo_model::{point}"));
    }
    // The last command of a dropped call may still run.
    tokio::time::sleep(Duration::from_millis(300)).await;
    assert_apart(&db).await;
    let at_stop = verify(&db).await.expect("verified").flagged;
    for org in [0_i64, 1] {
        let tenant = db.tenant(org);
        for _ in 0..ROUNDS {
            if recover(&tenant).await.expect("recovered").is_idle() {
                break;
            }
        }
        let found = verify(&tenant).await.expect("verified");
        assert!(found.is_settled() && found.flagged == 0, "{found}");
    }
    assert_apart(&db).await;
    let found = verify(&db).await.expect("verified");
    let [done, refused, dropped] = ended;
    println!("{topology:?}: {done} done, {refused} refused, {dropped} dropped, {at_stop} flagged");
    assert!(found.is_settled() && found.flagged == 0, "{found}");
    assert!(done > 0);
    db.drop().await.expect("dropped");
}

/// One at a time: the points are the process's.
#[tokio::test(flavor = "multi_thread", worker_threads = 40)]
async fn two_tenants_stay_apart() {
    mongo_model::settle_in_calls(true);
    race(Topology::Standalone).await;
    race(Topology::ReplicaSet(1)).await;
}
