//! A call that the server cannot serve is refused before it does anything.

use mongo_model::{
    Database, Deployment, Error, Feature, Lock, Transaction, capabilities, transaction,
};
use mongo_model_dev_server::monitor::CommandLog;
use mongo_model_dev_server::{DevServer, Topology};
use std::time::Duration;

/// A handle, and a log of all of its commands: `hello` is one of them.
async fn logged(topology: Topology) -> (Database, CommandLog) {
    let server = DevServer::shared(topology).await.expect("a server");
    let log = CommandLog::with_noise();
    let client = server.client_with(|options| log.attach(options)).await;
    let db = client
        .expect("a client")
        .database(&server.unique_db("capable"));
    (db, log)
}

fn sent(log: &CommandLog) -> Vec<String> {
    log.take().into_iter().map(|sent| sent.name).collect()
}

#[tokio::test]
async fn a_standalone_server() {
    let (db, log) = logged(Topology::Standalone).await;
    let server = capabilities(&db).await.expect("an answer");
    assert_eq!(server.deployment, Deployment::Standalone);
    assert!(server.supports(Feature::RecentLists) && !server.supports(Feature::ChangeStreams));
    assert_eq!(sent(&log), ["hello", "buildInfo"]);
    let version = server.version.expect("three numbers").to_string();
    assert!(
        server
            .to_string()
            .ends_with(version.rsplit_once('.').expect("a patch").0)
    );
    // A refusal is never from memory.
    let begun = Transaction::begin(&db).await;
    let error = begun.expect_err("no transactions");
    assert!(
        matches!(error, Error::Unsupported { feature: Feature::Transactions, server: s } if s.wire_version == server.wire_version)
    );
    let shown = error.to_string();
    let expected = "a transaction needs a replica set; this is a standalone server of MongoDB ";
    assert!(shown.starts_with(expected), "{shown}");
    assert_eq!(sent(&log), ["hello"]);
    let mut called = false;
    let worked = transaction(&db, async |_| {
        called = true;
        Ok(())
    });
    let error = worked.await.expect_err("no transactions");
    assert!(
        matches!(error, Error::Unsupported { .. }) && !called,
        "{error}"
    );
    assert_eq!(sent(&log), ["hello"]);
    // The handle is known to have locks.
    let lease = Duration::from_secs(10);
    let held = Lock::new("a").try_acquire(&db, lease).await.expect("asked");
    held.expect("free").release(&db).await.expect("released");
    assert_eq!(sent(&log), ["findAndModify", "findAndModify"]);
    db.drop().await.expect("dropped");
}

async fn begin_and_abort(db: &Database) {
    let tx = Transaction::begin(db).await.expect("begun");
    tx.abort().await.expect("aborted");
}

#[tokio::test]
async fn a_replica_set() {
    // The library remembers a handle by its address: one that lies where another lay, which is gone, does not ask. It is kept, so that the
    // next one lies elsewhere.
    let mut kept = Vec::new();
    let (db, log) = loop {
        let (db, log) = logged(Topology::ReplicaSet(1)).await;
        begin_and_abort(&db).await;
        let first = sent(&log);
        if first == ["hello"] {
            break (db, log);
        }
        assert!(first.is_empty() && kept.len() < 100, "{first:?}");
        kept.push(db);
    };
    for _ in 0..2 {
        begin_and_abort(&db.clone()).await;
        assert!(sent(&log).is_empty(), "once for a handle and its clones");
    }
    let server = capabilities(&db.clone()).await.expect("an answer");
    assert_eq!(server.deployment, Deployment::ReplicaSet);
    assert!(server.supports(Feature::PreImages));
}
