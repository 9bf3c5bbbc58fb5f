//! A write that stops between any two of its steps leaves no stale copy unflagged, and the recovery leaves no stale copy.
//!
//! Every write is stopped at every point that it passes, in four ways: its process ends, its future is dropped, it fails, and it
//! is sent once more afterwards. In one of them for each write and point, in turn; in all of them, at the second passing too, by
//! `cargo test -p mongo-model-soak --test faults -- --ignored`, which takes minutes.
#![cfg(unix)]

use std::collections::BTreeMap;
use std::os::unix::process::ExitStatusExt;
use std::process::Stdio;

use mongo_model::{Database, recover, settle, settle_in_calls};
use mongo_model_dev_server::monitor::CommandLog;
use mongo_model_dev_server::{DevServer, Environment, Topology};
use mongo_model_soak::family::Family;
use mongo_model_soak::parts::{ON_BOTH, side_by_side};
use mongo_model_soak::points;
use mongo_model_soak::ways::Ways;

/// The signal of an abort.
const ABORTED: i32 = 6;

/// How a write is stopped.
#[derive(Debug, Clone, Copy)]
enum Fault {
    /// Its process ends.
    Abort,
    /// Its process goes on.
    Within(points::Fault),
}

/// A server, and the log of its commands.
struct Bench {
    server: DevServer,
    db: Database,
    log: CommandLog,
    family: Family,
}

impl Bench {
    async fn new(topology: Topology, family: Family) -> Self {
        // A separate server: this test ends sessions without an owner.
        let environment = Environment {
            mongodb_uri: None,
            ..Environment::from_process()
        };
        let server = DevServer::start_in(environment, topology).await;
        let server = server.expect("a server");
        let log = CommandLog::new();
        let client = server.client_with(|options| log.attach(options)).await;
        let client = client.expect("a client");
        let db = client.database(&server.unique_db("faults"));
        family.index(&db).await.expect("indexes");
        Bench {
            server,
            db,
            log,
            family,
        }
    }

    /// The database with everything right; where `step` is a recovery, with some that is wrong and flagged.
    async fn prepared(&self, step: &str) -> &Database {
        let prepared = self.family.prepare(&self.db, step).await;
        prepared.expect("prepared");
        &self.db
    }
}

/// The points that a write passes, and how often.
async fn passed(bench: &Bench, step: &str) -> BTreeMap<&'static str, usize> {
    let db = bench.prepared(step).await;
    let passed = points::passed(bench.family.points(), bench.family.run(db, step)).await;
    let audit = bench.family.audit(db).await.expect("read");
    assert!(audit.lost().is_empty(), "{step}: {:#?}", audit.lost());
    right_again(bench, db, step).await;
    passed
}

/// Runs a write and stops it when it passes a point for the `nth` time.
async fn stopped(bench: &Bench, db: &Database, step: &str, name: &str, nth: usize, fault: Fault) {
    match fault {
        Fault::Abort => {
            let child = tokio::process::Command::new(env!("CARGO_BIN_EXE_soak"))
                .args(["step", bench.server.uri(), db.name()])
                .args([bench.family.name(), step, &points::point(name)])
                .arg(points::action(nth, "abort"))
                .stdin(Stdio::null())
                .status();
            let status = child.await.expect("the program runs");
            assert_eq!(status.signal(), Some(ABORTED), "{status}");
            // An open transaction of a dead program is ended by the server, but only after a minute.
            let end = bson::doc! { "killAllSessions": [] };
            let admin = db.client().database("admin");
            admin.run_command(end).await.expect("ended");
        }
        Fault::Within(fault) => {
            let write = async || bench.family.run(db, step).await;
            // A repeated insert may fail, because the document is stored by now; every other write can be repeated.
            match points::stopped(name, nth, fault, write).await {
                None | Some(Ok(())) => {}
                Some(Err(error)) => assert!(step.starts_with("insert"), "{error}"),
            }
        }
    }
}

/// A recovery makes every copy right and takes every flag off; another one changes nothing.
async fn right_again(bench: &Bench, db: &Database, what: &str) {
    let first = recover(db).await.expect("recovered");
    assert!(first.stuck.is_empty(), "{what}: {first:?}");
    let audit = bench.family.audit(db).await.expect("read");
    let stale: Vec<_> = audit.stale.iter().map(|stale| &stale.what).collect();
    assert!(
        stale.is_empty() && audit.dangling.is_empty(),
        "{what}: {stale:#?}"
    );
    assert!(audit.copies > 0);
    assert_eq!(
        bench.family.flagged(db).await.expect("counted"),
        0,
        "{what}"
    );
    drop(bench.log.take());
    assert!(recover(db).await.expect("recovered").is_idle(), "{what}");
    let sent = bench.log.take();
    assert!(
        !sent.is_empty() && sent.iter().all(|sent| sent.name == "find"),
        "{what}: {sent:#?}"
    );
}

/// How the writes of a family are stopped here. Those of what is kept and deleted are dropped and fail in the tests beside this.
fn faults(family: Family) -> &'static [Fault] {
    match family {
        Family::Copies => &[
            Fault::Abort,
            Fault::Within(points::Fault::Drop),
            Fault::Within(points::Fault::Error),
            Fault::Within(points::Fault::Again),
        ],
        Family::Kept | Family::Reused => &[Fault::Abort],
    }
}

/// Stops every write at every point.
async fn every_fault(topology: Topology, family: Family, mut ways: Ways) {
    let bench = Bench::new(topology, family).await;
    let mut met: BTreeMap<&str, usize> = BTreeMap::new();
    let mut stale = 0;
    let in_set = matches!(topology, Topology::ReplicaSet(_));
    let more = family.in_transaction().iter().filter(|_| in_set);
    for step in family.steps().iter().chain(more) {
        for (name, times) in passed(&bench, step).await {
            *met.entry(name).or_default() += 1;
            if is_stopped_elsewhere(family, name) {
                continue;
            }
            for (nth, fault) in ways.of(name, times.min(2), faults(family)) {
                let what = format!("{step}, {name} passed {nth} times, {fault:?}");
                let db = bench.prepared(step).await;
                stopped(&bench, db, step, name, nth, fault).await;
                let audit = bench.family.audit(db).await.expect("read");
                assert!(audit.lost().is_empty(), "{what}: {:#?}", audit.lost());
                assert!(audit.foreign.is_empty(), "{what}: {:#?}", audit.foreign);
                stale += usize::from(!audit.stale.is_empty());
                right_again(&bench, db, &what).await;
            }
        }
    }
    bench.db.drop().await.expect("dropped");
    // Where nothing is stale, no flag is needed.
    assert!(stale > 5, "{stale}");
    // A point that no write passes is not tested.
    let never: Vec<_> = family
        .points()
        .iter()
        .filter(|name| !met.contains_key(*name) && !is_stopped_elsewhere(family, name))
        .collect();
    assert!(never.is_empty(), "{never:?}");
}

/// True for a point where the test `kept` stops writes. Here, a message changes its host and a day of it, so its parents take more commands
/// than one.
fn is_stopped_elsewhere(family: Family, name: &str) -> bool {
    family == Family::Kept && name.starts_with("after_fused")
}

/// Stops what writes of copies do behind their answers at every point.
async fn every_fault_behind(topology: Topology) {
    settle_in_calls(false);
    let bench = Bench::new(topology, Family::Copies).await;
    let mut ways = Ways::in_turn(topology);
    let mut met = BTreeMap::new();
    for step in bench.family.steps() {
        let start = async || {
            let db = bench.prepared(step).await;
            settle(db).await;
            db
        };
        let run = async |db: &Database| points::with_rest(db, bench.family.run(db, step)).await;
        let db = start().await;
        let passed = points::passed(bench.family.points(), run(db)).await;
        right_again(&bench, db, step).await;
        for (name, times) in passed {
            *met.entry(name).or_insert(0) += times;
            let kinds = [points::Fault::Error, points::Fault::Again];
            for (nth, fault) in ways.of(name, times.min(2), &kinds) {
                let what = format!("{step}, {name} passed {nth} times, {fault:?}, behind");
                let db = start().await;
                let again = points::stopped(name, nth, fault, async || run(db).await).await;
                let fine = again.is_none_or(|done| done.is_ok() || step.starts_with("insert"));
                assert!(fine, "{what}");
                settle(db).await;
                let audit = bench.family.audit(db).await.expect("read");
                assert!(audit.lost().is_empty(), "{what}: {:#?}", audit.lost());
                right_again(&bench, db, &what).await;
            }
        }
    }
    bench.db.drop().await.expect("dropped");
    for name in ["after_w3", "after_i2", "after_i3"] {
        assert!(met.contains_key(name), "nothing passes {name}: {met:?}");
    }
}

#[tokio::test]
async fn nothing_is_lost_where_what_follows_an_answer_fails() {
    let test = "nothing_is_lost_where_what_follows_an_answer_fails";
    side_by_side(test, &ON_BOTH, every_fault_behind).await;
}

const PARTS: [(&str, (Topology, Family)); 4] = [
    ("kept alone", (Topology::Standalone, Family::Kept)),
    ("copies alone", (Topology::Standalone, Family::Copies)),
    ("kept in a set", (Topology::ReplicaSet(1), Family::Kept)),
    ("copies in a set", (Topology::ReplicaSet(1), Family::Copies)),
];

#[tokio::test]
async fn nothing_is_lost_wherever_a_write_stops() {
    let test = "nothing_is_lost_wherever_a_write_stops";
    side_by_side(test, &PARTS, async |(topology, family)| {
        every_fault(topology, family, Ways::in_turn(topology)).await;
    })
    .await;
}

#[tokio::test]
#[ignore = "minutes"]
async fn nothing_is_lost_in_whatever_way_a_write_stops() {
    let test = "nothing_is_lost_in_whatever_way_a_write_stops";
    side_by_side(test, &PARTS, async |(topology, family)| {
        every_fault(topology, family, Ways::all()).await;
    })
    .await;
}
