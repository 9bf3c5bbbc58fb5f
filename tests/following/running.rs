//! A follower that runs beside a test.

use std::time::Duration;

use bson::{Document, Timestamp, doc};
use mongo_model::follower::{Role, Status};
use mongo_model::{Database, Follower, repair, verify};
use tokio::task::JoinHandle;

use crate::common::Bench;
use crate::models;

/// A follower in a task, which ends with this.
pub(crate) struct Running {
    pub(crate) follower: Follower,
    task: JoinHandle<mongo_model::Error>,
}

impl Running {
    /// Creates the indexes, and starts to follow; the first look at everything is over.
    pub(crate) async fn begin(bench: &Bench) -> Running {
        bench.index(&models::all()).await;
        Running::start(Follower::new(&bench.db)).await
    }

    /// Starts a follower, and waits until it leads and has no gap.
    pub(crate) async fn start(follower: Follower) -> Running {
        let running = Running::standby(follower);
        let ready = |status: &Status| {
            status.role == Role::Leading && status.gaps.is_empty() && status.followed.is_some()
        };
        running.until(ready).await;
        running
    }

    /// Starts a follower.
    pub(crate) fn standby(follower: Follower) -> Running {
        let task = tokio::spawn({
            let follower = follower.clone();
            async move {
                match follower.run().await {
                    Err(error) => error,
                    Ok(never) => match never {},
                }
            }
        });
        Running { follower, task }
    }

    /// Waits for a status, and says what it was if that takes too long.
    pub(crate) async fn until(&self, condition: impl FnMut(&Status) -> bool) -> Status {
        let waiting = self.follower.wait_until(condition);
        match tokio::time::timeout(Duration::from_secs(60), waiting).await {
            Ok(status) => status,
            Err(_) => panic!("still {:#?}", self.follower.status()),
        }
    }

    /// Waits until everything that was written so far is followed.
    pub(crate) async fn caught_up(&self, db: &Database) -> Status {
        let now = now(db).await;
        self.until(|status| status.has_followed(now)).await
    }

    /// Ends it as if the program were killed between two steps.
    pub(crate) async fn kill(self) {
        self.task.abort();
        let _ = self.task.await;
    }
}

/// The time of the cluster after the last write.
pub(crate) async fn now(db: &Database) -> Timestamp {
    let written = db
        .collection::<Document>("f_clock")
        .update_one(doc! { "_id": 0 }, doc! { "$inc": { "n": 1 } })
        .upsert(true)
        .await;
    written.expect("a write");
    let reply = db.run_command(doc! { "ping": 1 }).await.expect("answered");
    reply.get_timestamp("operationTime").expect("a replica set")
}

/// Nothing is wrong, nothing is flagged, and a repair has nothing to do.
pub(crate) async fn right(bench: &Bench) {
    let found = verify(&bench.db).await.expect("looked");
    assert!(found.is_settled(), "{found}");
    let repaired = repair(&bench.db).await.expect("repaired");
    assert!(repaired.is_idle(), "{repaired}");
    bench.forget();
}
