//! Deletes in a transaction (PROTOCOL 15.A7).

use mongo_model::{
    Error, Id, MongoModel, Sweeper, Transaction, after_commit, recover, transaction,
};
use serde::{Deserialize, Serialize};

use crate::common::{Bench, in_set};
use crate::deleting::settled::{everything, settled};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "tx_hosts")]
struct Host {
    #[serde(rename = "_id")]
    id: Id<Host>,
    name: String,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "tx_disks")]
struct Disk {
    #[serde(rename = "_id")]
    id: Id<Disk>,
    #[parent(Host, on_delete = cascade)]
    host: Id<Host>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "tx_files")]
struct File {
    #[serde(rename = "_id")]
    id: Id<File>,
    #[parent(Disk, on_delete = cascade)]
    disk: Id<Disk>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "tx_racks")]
struct Rack {
    #[serde(rename = "_id")]
    id: Id<Rack>,
    #[refs(Host, max = 10, on_delete = pull)]
    #[denorm(from = Host, field = name)]
    hosts: Vec<RackHost>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "tx_leases")]
struct Lease {
    #[serde(rename = "_id")]
    id: Id<Lease>,
    #[parent(Host)]
    host: Id<Host>,
}

async fn start(bench: &Bench) -> Host {
    let db = &bench.db;
    bench
        .index(&[
            Host::meta(),
            Disk::meta(),
            File::meta(),
            Rack::meta(),
            Lease::meta(),
        ])
        .await;
    let host = Host {
        id: Id::new(),
        name: "h".to_owned(),
    };
    Host::insert(db, &host).await.expect("stored");
    let disks: Vec<Disk> = (0..3)
        .map(|_| Disk {
            id: Id::new(),
            host: host.id,
        })
        .collect();
    Disk::insert_many(db, &disks).await.expect("stored");
    let files: Vec<File> = (0..9)
        .map(|n| File {
            id: Id::new(),
            disk: disks[n % 3].id,
        })
        .collect();
    File::insert_many(db, &files).await.expect("stored");
    let rack = Rack {
        id: Id::new(),
        hosts: vec![RackHost {
            id: host.id,
            name: "h".to_owned(),
        }],
    };
    Rack::insert(db, &rack).await.expect("stored");
    bench.forget();
    host
}

async fn gone(bench: &Bench) {
    for collection in ["tx_hosts", "tx_disks", "tx_files"] {
        assert_eq!(bench.len(collection).await, 0, "{collection}");
    }
    let racks = Rack::scan(&bench.db, |r| r.all()).await.expect("read");
    assert!(racks[0].hosts.is_empty());
    settled(bench).await;
}

// Everything happens at the commit, and the tombstones go after it.
#[tokio::test]
async fn a_commit() {
    in_set("tx_commit", async |bench| {
        let db = &bench.db;
        let host = start(bench).await;
        let done = transaction(db, async |tx| {
            let done = Host::delete(db, host.id).within(tx).await?;
            assert_eq!(Rack::scan(db, |r| r.all()).within(tx).await?[0].hosts, []);
            Ok(done)
        })
        .await
        .expect("committed");
        assert_eq!((done.deleted, done.cascaded, done.changed), (1, 12, 1));
        assert_eq!(done.pending.len(), 1);
        gone(bench).await;
        // Nothing is left to do, however often it is called.
        after_commit(db, done.pending)
            .await
            .expect("finished before");
        gone(bench).await;
    })
    .await;
}

#[tokio::test]
async fn an_abort() {
    in_set("tx_abort", async |bench| {
        let db = &bench.db;
        let host = start(bench).await;
        let before = everything(bench).await;
        let mut tx = Transaction::begin(db).await.expect("begun");
        let done = Host::delete(db, host.id)
            .within(&mut tx)
            .await
            .expect("deleted");
        assert_eq!(everything(bench).await, before);
        tx.abort().await.expect("aborted");
        after_commit(db, done.pending).await.expect("nothing");
        assert_eq!(everything(bench).await, before);
        settled(bench).await;
    })
    .await;
}

// No program calls `after_commit`: a program that starts finds the delete, and so does a sweeper that has seen it twice.
#[tokio::test]
async fn a_forgotten_commit() {
    in_set("tx_forgotten", async |bench| {
        let db = &bench.db;
        for swept in [false, true] {
            let host = start(bench).await;
            let mut session = bench.transaction().await;
            let done = Host::delete(db, host.id)
                .driver_session(&mut session)
                .await
                .expect("deleted");
            session.commit_transaction().await.expect("committed");
            // The tombstones stand: the ids are not free, and no update meets them.
            assert_eq!(bench.len("tx_hosts").await, 1);
            assert_eq!(bench.len("tx_files").await, 0);
            if swept {
                let mut sweeper = Sweeper::new(db);
                assert!(sweeper.sweep().await.expect("looked").is_idle());
                assert_eq!(sweeper.sweep().await.expect("looked").deletes, 1);
            } else {
                assert_eq!(recover(db).await.expect("recovered").deletes, 1);
            }
            gone(bench).await;
            after_commit(db, done.pending).await.expect("nothing");
            settled(bench).await;
            bench
                .raw("tx_racks")
                .delete_many(bson::doc! {})
                .await
                .expect("gone");
        }
    })
    .await;
}

// A refusal inside leaves the transaction to the caller, and nothing done.
#[tokio::test]
async fn a_refusal_inside() {
    in_set("tx_refused", async |bench| {
        let db = &bench.db;
        let host = start(bench).await;
        let before = everything(bench).await;
        let refused = transaction(db, async |tx| {
            let lease = Lease {
                id: Id::new(),
                host: host.id,
            };
            Lease::insert(db, &lease).within(tx).await?;
            Host::delete(db, host.id).within(tx).await
        })
        .await;
        assert!(
            matches!(refused, Err(Error::Referenced { .. })),
            "{refused:?}"
        );
        assert_eq!(everything(bench).await, before);
        settled(bench).await;
    })
    .await;
}
