//! Many workers, some of which die with a job in their hands.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use mongo_model::{Database, Error, MongoModel};
use mongo_model_dev_server::{DevServer, Topology};

use crate::common::on;
use crate::queueing::{Mail, mail};

const WORKERS: usize = 16;

/// The workers whose ack of a job succeeded, by the job's number.
type Done = Arc<Mutex<HashMap<i64, Vec<String>>>>;

/// Takes jobs until there are none, and dies with every `dies`-th of them, before or after its work: the next worker in its place
/// goes on. `abort` decides which: it ends a task in the middle of a call, as a kill ends a program.
async fn work(db: Database, name: String, done: Done, dies: usize) {
    for n in 1.. {
        let lease = Duration::from_millis(1_500);
        let Some(leased) = Mail::queue(&db).pop(&name, lease).await.expect("asked") else {
            if Mail::scan(&db, |m| m.all())
                .limit(1)
                .await
                .expect("read")
                .is_empty()
            {
                return;
            }
            tokio::task::yield_now().await;
            continue;
        };
        if n % dies == 0 {
            // The worker dies before or after the command is sent: the test cannot know which.
            let (db, dying) = (db.clone(), leased.clone());
            let (id, done, name) = (leased.job.id, Arc::clone(&done), name.clone());
            let ack = tokio::spawn(async move {
                if dying.ack(&db).await.is_ok() {
                    done.lock()
                        .expect("a list")
                        .entry(id)
                        .or_default()
                        .push(name);
                }
            });
            if n % (2 * dies) == 0 {
                tokio::task::yield_now().await;
            }
            ack.abort();
            // If the worker got the reply, the job is in the list; if the ack succeeded without that, the job is gone.
            ack.await.ok();
            continue;
        }
        match leased.ack(&db).await {
            Ok(_) => {
                let mut done = done.lock().expect("a list");
                done.entry(leased.job.id).or_default().push(name.clone());
            }
            Err(Error::LeaseLost { .. }) => {}
            Err(error) => panic!("{error}"),
        }
    }
}

async fn stress(topology: Topology, jobs: i64) {
    on(topology, "queue_stress", async |bench| {
        bench.index(&[Mail::meta()]).await;
        let all: Vec<Mail> = (0..jobs).map(|id| mail(id, (id % 3) as i32)).collect();
        Mail::queue(&bench.db)
            .push_many(&all)
            .await
            .expect("stored");
        let done = Done::default();
        let server = DevServer::shared(topology).await.expect("a server");
        let mut workers = Vec::new();
        for n in 0..WORKERS {
            // For the server, each is a separate program.
            let client = server.client().await.expect("a client");
            let db = client.database(bench.db.name());
            let done = Arc::clone(&done);
            workers.push(tokio::spawn(work(db, format!("worker {n}"), done, 50 + n)));
        }
        for worker in workers {
            worker.await.expect("ended");
        }
        let done = done.lock().expect("a list").clone();
        let twice: Vec<_> = done.iter().filter(|(_, who)| who.len() > 1).collect();
        assert!(twice.is_empty(), "{twice:?}");
        // None is lost: all are gone. A job without a successful ack was acknowledged by a worker that died in that call.
        assert_eq!(bench.len("mails").await, 0);
        let died = all.len() - done.len();
        assert!(
            died <= all.len() / 20,
            "{died} of {jobs} are gone without a word"
        );
        println!(
            "{jobs} jobs, {} acknowledged, {died} whose worker died before it was told",
            done.len()
        );
    })
    .await;
}

/// How many jobs: `QUEUE_JOBS`, else what takes seconds.
fn jobs(otherwise: i64) -> i64 {
    let said = std::env::var("QUEUE_JOBS").ok();
    said.and_then(|said| said.parse().ok()).unwrap_or(otherwise)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn sixteen_workers_do_every_job_once() {
    stress(Topology::Standalone, jobs(800)).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn sixteen_workers_do_every_job_once_in_a_set() {
    stress(Topology::ReplicaSet(1), jobs(800)).await;
}

/// The whole of it: `cargo test --release --test concurrent -- --ignored ten_thousand_jobs`.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
#[ignore = "minutes in a debug build"]
async fn ten_thousand_jobs() {
    stress(Topology::Standalone, jobs(10_000)).await;
}
