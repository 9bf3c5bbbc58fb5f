//! A write that stops between any two of its steps leaves no stale copy unflagged, and the recovery leaves no stale copy.
//!
//! Every write is stopped at every point that it passes, in four ways: its process ends, its future is dropped, it fails, and it
//! is sent once more afterwards.
#![cfg(unix)]

use std::collections::BTreeMap;
use std::os::unix::process::ExitStatusExt;
use std::process::Stdio;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use mongo_model::{Database, recover};
use mongo_model_dev_server::monitor::CommandLog;
use mongo_model_dev_server::{DevServer, Environment, Topology};
use mongo_model_soak::family::Family;

/// The signal of an abort.
const ABORTED: i32 = 6;

fn point(name: &str) -> String {
    format!("mongo_model::{name}")
}

/// How a write is stopped.
#[derive(Debug, Clone, Copy)]
enum Fault {
    /// Its process ends.
    Abort,
    /// Its future is dropped.
    Drop,
    /// The call fails.
    Error,
    /// The call fails, and its caller makes it again.
    Again,
}

/// A server, and what is sent to it.
struct Bench {
    server: DevServer,
    db: Database,
    log: CommandLog,
    family: Family,
}

impl Bench {
    async fn new(topology: Topology, family: Family) -> Self {
        // Its own: sessions are ended here that nobody owns any more.
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
    let passed = Arc::new(Mutex::new(BTreeMap::new()));
    for name in bench.family.points() {
        let passed = Arc::clone(&passed);
        let count = move || *passed.lock().unwrap().entry(*name).or_default() += 1;
        fail::cfg_callback(point(name), count).expect("a point");
    }
    bench.family.run(db, step).await.expect("nothing stops it");
    let points = bench.family.points();
    points.iter().for_each(|name| fail::remove(point(name)));
    let audit = bench.family.audit(db).await.expect("read");
    assert!(audit.lost().is_empty(), "{step}: {:#?}", audit.lost());
    right_again(bench, db, step).await;
    Arc::into_inner(passed)
        .expect("no callback")
        .into_inner()
        .unwrap()
}

/// Runs a write and stops it when it passes a point for the `nth` time.
async fn stopped(bench: &Bench, db: &Database, step: &str, name: &str, nth: usize, fault: Fault) {
    let action = |what: &str| match nth {
        0 => format!("return({what})"),
        before => format!("{before}*off->return({what})"),
    };
    match fault {
        Fault::Abort => {
            let child = tokio::process::Command::new(env!("CARGO_BIN_EXE_soak"))
                .args(["step", bench.server.uri(), db.name()])
                .args([bench.family.name(), step, &point(name)])
                .arg(action("abort"))
                .stdin(Stdio::null())
                .status();
            let status = child.await.expect("the program runs");
            assert_eq!(status.signal(), Some(ABORTED), "{status}");
            // An open transaction of a dead program is ended by the server, but only after a minute.
            let end = bson::doc! { "killAllSessions": [] };
            let admin = db.client().database("admin");
            admin.run_command(end).await.expect("ended");
        }
        Fault::Drop => {
            fail::cfg(point(name), &action("hang")).expect("an action");
            let hangs = async {
                while mongo_model::__private::hanging() == 0 {
                    tokio::time::sleep(Duration::from_millis(1)).await;
                }
            };
            tokio::select! {
                done = bench.family.run(db, step) => panic!("it was not stopped: {done:?}"),
                () = hangs => {}
            }
            fail::remove(point(name));
            assert_eq!(mongo_model::__private::hanging(), 0);
        }
        Fault::Error | Fault::Again => {
            fail::cfg(point(name), &action("error")).expect("an action");
            // What has to follow a write that stands is pending rather than an error.
            let _ = bench.family.run(db, step).await;
            fail::remove(point(name));
            if matches!(fault, Fault::Again) {
                // What was inserted is there by now; everything else can be done twice.
                match bench.family.run(db, step).await {
                    Ok(()) => {}
                    Err(error) => assert!(step.starts_with("insert"), "{error}"),
                }
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
        Family::Copies => &[Fault::Abort, Fault::Drop, Fault::Error, Fault::Again],
        Family::Kept => &[Fault::Abort],
    }
}

/// Stops every write at every point in every way.
async fn every_fault(topology: Topology, family: Family) {
    let bench = Bench::new(topology, family).await;
    let mut met: BTreeMap<&str, usize> = BTreeMap::new();
    let mut stale = 0;
    let in_set = matches!(topology, Topology::ReplicaSet(_));
    let more = family.in_transaction().iter().filter(|_| in_set);
    for step in family.steps().iter().chain(more) {
        for (name, times) in passed(&bench, step).await {
            *met.entry(name).or_default() += 1;
            // A program that has just begun does not know a parent's epoch, and tells it in more commands than one.
            if family == Family::Kept && name.starts_with("after_fused") {
                continue;
            }
            for nth in 0..times.min(2) {
                for fault in faults(family) {
                    let what = format!("{step}, {name} passed {nth} times, {fault:?}");
                    let db = bench.prepared(step).await;
                    stopped(&bench, db, step, name, nth, *fault).await;
                    let audit = bench.family.audit(db).await.expect("read");
                    assert!(audit.lost().is_empty(), "{what}: {:#?}", audit.lost());
                    assert!(audit.foreign.is_empty(), "{what}: {:#?}", audit.foreign);
                    stale += usize::from(!audit.stale.is_empty());
                    right_again(&bench, db, &what).await;
                }
            }
        }
    }
    bench.db.drop().await.expect("dropped");
    // Where nothing is stale, no flag is needed.
    assert!(stale > 20, "{stale}");
    // A point that no write passes is not tested.
    let never: Vec<_> = family
        .points()
        .iter()
        .filter(|name| !met.contains_key(*name))
        .collect();
    assert!(never.is_empty(), "{never:?}");
}

/// The points are the process's, so there is one test.
#[tokio::test]
async fn nothing_is_lost_wherever_a_write_stops() {
    for family in [Family::Kept, Family::Copies] {
        every_fault(Topology::Standalone, family).await;
        every_fault(Topology::ReplicaSet(1), family).await;
    }
}
