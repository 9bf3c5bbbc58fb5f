//! How fast it is, and what an event costs, beside a follower that looks up every changed document.
//!
//! Run with `cargo test --release --test following -- --ignored --nocapture throughput`.

use std::time::{Duration, Instant};

use bson::{Document, doc};
use mongo_model::MongoModel;

use crate::common::{Bench, in_set};
use crate::copies::host;
use crate::models::{Host, Message};
use crate::running::{Running, right};

const HOSTS: i64 = 2_000;
const UPDATES: usize = 5_000;
const SECONDS: usize = 10;

/// The processor time that this process has used.
fn used() -> Duration {
    let stat = std::fs::read_to_string("/proc/self/stat").expect("Linux");
    let fields: Vec<&str> = stat
        .rsplit_once(')')
        .expect("a name")
        .1
        .split_whitespace()
        .collect();
    let ticks: u64 =
        fields[11].parse::<u64>().expect("ticks") + fields[12].parse::<u64>().expect("ticks");
    Duration::from_millis(ticks * 10)
}

/// Another program in the server: 5,000 updates of single documents, of which one in a hundred changes a copied field.
async fn second(bench: &Bench, n: usize) {
    let update = |i: usize| {
        let id = (i * 7 + n) as i64 % HOSTS;
        let set = match i % 100 {
            0 => doc! { "name": format!("name {n} {i}") },
            _ => doc! { "load": (n * UPDATES + i) as i64 },
        };
        doc! { "q": { "_id": id }, "u": { "$set": set } }
    };
    for start in (0..UPDATES).step_by(1_000) {
        let updates: Vec<Document> = (start..start + 1_000).map(update).collect();
        let command = doc! { "update": "f_hosts", "updates": updates, "ordered": false };
        bench.db.run_command(command).await.expect("updated");
    }
    bench.forget();
}

#[tokio::test]
#[ignore = "measures: run with --release"]
async fn throughput() {
    in_set("follow_fast", async |bench| {
        let running = Running::begin(bench).await;
        let hosts: Vec<Host> = (0..HOSTS).map(|n| host(n, "name")).collect();
        Host::insert_many(&bench.db, &hosts).await.expect("stored");
        let messages: Vec<Message> = (0..HOSTS * 2)
            .map(|n| Message {
                id: n,
                host: n % HOSTS,
                host_name: String::new(),
            })
            .collect();
        Message::insert_many(&bench.db, &messages)
            .await
            .expect("stored");
        mongo_model::recover(&bench.db).await.expect("recovered");
        running.caught_up(&bench.db).await;
        let mut lags = Vec::new();
        let begin = Instant::now();
        for n in 0..SECONDS {
            let start = Instant::now();
            second(bench, n).await;
            lags.push(running.follower.status().lag.unwrap_or_default());
            let rest = Duration::from_secs(1).saturating_sub(start.elapsed());
            tokio::time::sleep(rest).await;
        }
        let wrote = begin.elapsed();
        let status = running.caught_up(&bench.db).await;
        let behind = begin.elapsed() - wrote;
        eprintln!(
            "{} updates in {wrote:?}, lags {lags:?}, caught up after {behind:?}: {status}",
            SECONDS * UPDATES
        );
        right(bench).await;
        running.kill().await;
    })
    .await;
}

/// Updates of a field that nothing depends on: the time of this process with a follower, less that without one; then the same with a
/// stream that looks up each document.
#[tokio::test]
#[ignore = "measures: run with --release"]
async fn cost_of_irrelevant_events() {
    in_set("follow_cost", async |bench| {
        bench.index(&crate::models::all()).await;
        let hosts: Vec<Host> = (0..HOSTS).map(|n| host(n, "name")).collect();
        Host::insert_many(&bench.db, &hosts).await.expect("stored");
        let irrelevant = async |n: usize| {
            for start in (0..UPDATES).step_by(1_000) {
                let update = |i: usize| doc! { "q": { "_id": i as i64 % HOSTS }, "u": { "$set": { "load": (n * UPDATES + i) as i64 } } };
                let updates: Vec<Document> = (start..start + 1_000).map(update).collect();
                let command = doc! { "update": "f_hosts", "updates": updates, "ordered": false };
                bench.db.run_command(command).await.expect("updated");
            }
            bench.forget();
        };
        let before = used();
        for n in 0..SECONDS {
            irrelevant(n).await;
        }
        let alone = used() - before;
        let running = Running::start(mongo_model::Follower::new(&bench.db)).await;
        let before = used();
        for n in 0..SECONDS {
            irrelevant(SECONDS + n).await;
        }
        running.caught_up(&bench.db).await;
        let with = used() - before;
        running.kill().await;
        let naive = bench.db.watch().full_document(mongodb::options::FullDocumentType::UpdateLookup);
        let mut naive = naive.await.expect("a stream");
        let before = used();
        for n in 0..SECONDS {
            irrelevant(2 * SECONDS + n).await;
        }
        let mut seen = 0;
        while seen < SECONDS * UPDATES {
            seen += usize::from(naive.next_if_any().await.expect("an event").is_some());
        }
        let looked_up = used() - before;
        let each = |time: Duration| time.saturating_sub(alone).as_secs_f64() * 1e6 / (SECONDS * UPDATES) as f64;
        eprintln!(
            "writer alone {alone:?}; follower {:.1} us of this process for each event; with a look-up {:.1} us",
            each(with),
            each(looked_up)
        );
    })
    .await;
}
