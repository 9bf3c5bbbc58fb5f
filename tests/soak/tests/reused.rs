//! Nothing is killed, and nothing is used only once: tasks insert, move, save and delete documents under a few ids, beside each
//! other. What is wrong when they stop is flagged, and the recovery makes it right. A failure shows the operations on what is wrong.
//!
//! A longer run: `REUSED_SECONDS=60 cargo test -p mongo-model-soak --test reused`.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use mongo_model::{Database, Sweeper, recover};
use mongo_model_dev_server::{DevServer, Topology};
use mongo_model_soak::client::Mode;
use mongo_model_soak::family::Family;
use mongo_model_soak::random::Random;
use mongo_model_soak::reused::client::{log_operations, logged, step};

/// How many tasks write at once.
const TASKS: u64 = 24;
/// How many rounds of recovery may be needed before nothing is left.
const ROUNDS: usize = 20;
/// How many operations of a failure are shown.
const SHOWN: usize = 60;

/// Steps that come late, so that others come between.
const APART: [&str; 12] = [
    "after_i1",
    "after_i2",
    "after_w1",
    "before_w2",
    "after_d1",
    "mid_d2",
    "after_d2",
    "before_d3",
    "after_d3",
    "after_c1",
    "after_c2",
    "after_fused",
];

fn seconds() -> Duration {
    let seconds = std::env::var("REUSED_SECONDS").ok();
    Duration::from_secs(seconds.and_then(|text| text.parse().ok()).unwrap_or(12))
}

/// The operations on the documents that a finding names.
fn history(findings: &[String]) -> String {
    let mut lines = String::new();
    for finding in findings.iter().take(3) {
        lines.push_str(finding);
        lines.push('\n');
        let words: Vec<&str> = finding.split(' ').take(5).collect();
        let singular = |many: &str| match many.strip_suffix("ies") {
            Some(stem) => format!("{stem}y"),
            None => many.trim_end_matches('s').to_owned(),
        };
        let mut names = BTreeSet::new();
        if let [many, n, ..] = words.as_slice() {
            names.insert(format!(" {} {n}", singular(many)));
        }
        if let [_, _, "of", many, n] = words.as_slice() {
            names.insert(format!(" {} {n}", singular(many)));
        }
        let every: BTreeSet<String> = names
            .iter()
            .filter_map(|name| name.split(' ').nth(1))
            .map(|name| format!("every {name}"))
            .collect();
        let names: Vec<&str> = names.iter().chain(&every).map(String::as_str).collect();
        let all = logged(&names);
        for line in &all[all.len().saturating_sub(SHOWN)..] {
            lines.push_str("  ");
            lines.push_str(line);
            lines.push('\n');
        }
    }
    lines
}

async fn write(db: Database, seed: u64, until: Instant, drops: bool) -> u64 {
    let mut random = Random::new(seed);
    let mut done = 0;
    while Instant::now() < until {
        let patience = Duration::from_millis(match drops && random.below(4) == 0 {
            true => u64::from(random.below(30)),
            false => 60_000,
        });
        let operation = step(&db, Mode::Model, &mut random);
        match tokio::time::timeout(patience, operation).await {
            Ok(Ok(())) => done += 1,
            Ok(Err(error)) => assert!(Family::Reused.expects(&error), "{error:?}"),
            Err(_) => {}
        }
    }
    done
}

async fn race(topology: Topology, drops: bool) {
    let server = DevServer::shared(topology).await.expect("a server");
    let client = server.client().await.expect("a client");
    let db = client.database(&server.unique_db("reused"));
    Family::Reused.index(&db).await.expect("indexes");
    Family::Reused.seed(&db).await.expect("seeded");
    log_operations();
    for point in APART {
        fail::cfg(format!("mongo_model::{point}"), "10%sleep(25)").expect("an action");
    }
    let until = Instant::now() + seconds();
    let first = u64::from(std::process::id()) * 1_000;
    let writers: Vec<_> = (0..TASKS)
        .map(|n| tokio::spawn(write(db.clone(), first + n, until, drops)))
        .collect();
    let mut sweeper = Sweeper::new(&db).every(Duration::from_millis(100));
    let sweeping = tokio::spawn(async move { sweeper.run().await });
    let mut done = 0;
    for writer in writers {
        done += writer.await.expect("no panic");
    }
    sweeping.abort();
    // Its last command may still run.
    let _ = sweeping.await;
    for point in APART {
        fail::remove(format!("mongo_model::{point}"));
    }
    tokio::time::sleep(Duration::from_millis(300)).await;
    let at_stop = Family::Reused.audit(&db).await.expect("read");
    let lost: Vec<String> = at_stop.lost().into_iter().map(str::to_owned).collect();
    for _ in 0..ROUNDS {
        if recover(&db).await.expect("recovered").is_idle() {
            break;
        }
    }
    let after = Family::Reused.audit(&db).await.expect("read");
    let stale: Vec<String> = after.stale.into_iter().map(|stale| stale.what).collect();
    println!(
        "{topology:?}, {done} writes, {} copies, {} stale at the stop, {} of them not flagged, {} after recovery, {} dangling",
        at_stop.copies,
        at_stop.stale.len(),
        lost.len(),
        stale.len(),
        after.dangling.len()
    );
    if std::env::var("REUSED_LOG").is_ok() {
        logged(&[""]).iter().for_each(|line| println!("{line}"));
    }
    assert!(done > 0);
    assert!(lost.is_empty(), "not flagged:\n{}", history(&lost));
    assert!(stale.is_empty(), "after recovery:\n{}", history(&stale));
    assert_eq!(Family::Reused.flagged(&db).await.expect("counted"), 0);
    db.drop().await.expect("dropped");
}

/// One at a time: the points are the process's, and so is the log.
#[tokio::test(flavor = "multi_thread", worker_threads = 40)]
async fn what_comes_back_is_right() {
    mongo_model::settle_in_calls(true);
    race(Topology::Standalone, false).await;
    race(Topology::Standalone, true).await;
    race(Topology::ReplicaSet(1), false).await;
}
