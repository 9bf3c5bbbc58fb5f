//! Propagation in a user's transaction: nothing of it before the commit, all of it after.

use bson::doc;
use mongo_model::{Error, Id, MongoModel, Transaction, recover, transaction};
use serde::{Deserialize, Serialize};

use crate::common::{Bench, in_set};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "hosts")]
struct Host {
    #[serde(rename = "_id")]
    id: Id<Host>,
    ip: String,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "logmsg")]
struct LogMsg {
    #[serde(rename = "_id")]
    id: Id<LogMsg>,
    #[parent(Host)]
    host: Id<Host>,
    #[denorm(from = Host, field = ip)]
    ip: String,
}

fn host(ip: &str) -> Host {
    Host {
        id: Id::new(),
        ip: ip.to_owned(),
    }
}

fn message(host: &Host) -> LogMsg {
    LogMsg {
        id: Id::new(),
        host: host.id,
        ip: host.ip.clone(),
    }
}

async fn start(bench: &Bench) -> (Host, LogMsg) {
    bench.index(&[Host::meta(), LogMsg::meta()]).await;
    let host = host("10.0.0.1");
    Host::insert(&bench.db, &host).await.expect("stored");
    let message = message(&host);
    LogMsg::insert(&bench.db, &message).await.expect("stored");
    bench.forget();
    (host, message)
}

async fn ips(bench: &Bench) -> Vec<String> {
    let all = LogMsg::scan(&bench.db, |m| m.all()).await.expect("read");
    let mut ips: Vec<String> = all.into_iter().map(|message| message.ip).collect();
    ips.sort();
    ips
}

#[tokio::test]
async fn copies_follow_the_commit() {
    in_set("commit", async |bench| {
        let db = &bench.db;
        let (old, _) = start(bench).await;
        let new = host("10.0.0.2");
        let mine = message(&new);
        let ids = transaction(db, async |tx| {
            Host::update(db, old.id)
                .set(|h| h.ip, "10.0.0.9")
                .within(tx)
                .await?;
            // Source and copy of one transaction: no other session sees the source yet.
            Host::insert(db, &new).within(tx).await?;
            LogMsg::insert(db, &mine).within(tx).await?;
            assert_eq!(ips(bench).await, ["10.0.0.1"], "not committed");
            Ok((old.id, new.id))
        });
        assert_eq!(ids.await.expect("committed"), (old.id, new.id));
        assert_eq!(ips(bench).await, ["10.0.0.2", "10.0.0.9"]);
        assert!(recover(db).await.expect("recovered").is_idle());
    })
    .await;
}

#[tokio::test]
async fn an_abort_leaves_source_and_copies() {
    in_set("abort", async |bench| {
        let db = &bench.db;
        let (host, message) = start(bench).await;
        let failed: Result<(), Error> = transaction(db, async |tx| {
            Host::update(db, host.id)
                .set(|h| h.ip, "10.0.0.9")
                .within(tx)
                .await?;
            Host::update(db, Id::new())
                .set(|h| h.ip, "10.0.0.9")
                .within(tx)
                .await?;
            Ok(())
        })
        .await;
        assert!(matches!(failed, Err(Error::NotFound { .. })), "{failed:?}");
        assert_eq!(Host::get(db, host.id).await.expect("read"), Some(host));
        assert_eq!(
            LogMsg::get(db, message.id).await.expect("read"),
            Some(message)
        );
        assert!(recover(db).await.expect("recovered").is_idle());
    })
    .await;
}

/// An error of the program's own, which may have one of the library as its source.
#[derive(Debug)]
struct Failed(Option<Error>);

impl std::fmt::Display for Failed {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("failed")
    }
}

impl std::error::Error for Failed {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.0.as_ref().map(|error| error as _)
    }
}

impl From<Failed> for Error {
    fn from(error: Failed) -> Self {
        Error::aborted(error)
    }
}

#[tokio::test]
async fn an_error_of_the_caller_aborts() {
    in_set("own_error", async |bench| {
        let db = &bench.db;
        let (host, _) = start(bench).await;
        let update = || Host::update(db, host.id).set(|h| h.ip, "10.0.0.9");
        let failed = transaction(db, async |tx| {
            update().within(tx).await?;
            Err::<(), _>(Failed(None))?;
            Ok(())
        });
        let Err(Error::Aborted(own)) = failed.await else {
            panic!("not aborted");
        };
        assert!(own.is::<Failed>(), "{own}");
        assert_eq!(
            Host::get(db, host.id).await.expect("read"),
            Some(host.clone())
        );
        let wrapped = Error::aborted(Error::NoModels);
        assert!(matches!(wrapped, Error::NoModels), "{wrapped}");

        // A conflict inside an own error is tried again like one by itself.
        let mut attempts = 0;
        let done = transaction(db, async |tx| {
            attempts += 1;
            Host::get(db, host.id).within(tx).await?;
            if attempts == 1 {
                let other = doc! { "$set": { "ip": "10.0.0.5" } };
                let hosts = bench.raw(Host::meta().collection);
                let changed = hosts.update_one(doc! {}, other).await;
                assert_eq!(changed.expect("changed").matched_count, 1);
            }
            let changed = update().within(tx).await;
            changed.map_err(|error| Failed(Some(error)))?;
            Ok(())
        });
        done.await.expect("committed");
        assert_eq!(attempts, 2);
        assert_eq!(
            Host::get(db, host.id)
                .await
                .expect("read")
                .expect("stored")
                .ip,
            "10.0.0.9"
        );
    })
    .await;
}

#[tokio::test]
async fn two_transactions_that_meet_are_tried_again() {
    in_set("conflict", async |bench| {
        let (host, _) = start(bench).await;
        // A task of its own: the future may move between threads.
        let rename = |to: &'static str| {
            let (db, id) = (bench.db.clone(), host.id);
            tokio::spawn(async move {
                let mut conflicts = 0;
                loop {
                    let mut tx = Transaction::begin(&db).await?;
                    Host::get(&db, id).within(&mut tx).await?;
                    match Host::update(&db, id)
                        .set(|h| h.ip, to)
                        .within(&mut tx)
                        .await
                    {
                        Ok(done) => assert_eq!(done.pending.len(), 1),
                        // The other one was first; its label says that trying again may help.
                        Err(Error::Driver(error))
                            if error.contains_label("TransientTransactionError") =>
                        {
                            conflicts += 1;
                            continue;
                        }
                        Err(error) => return Err(error),
                    }
                    assert_eq!(tx.commit(&db).await?, []);
                    return Ok(conflicts);
                }
            })
        };
        let (first, second) = (rename("a"), rename("b"));
        first.await.expect("no panic").expect("committed");
        second.await.expect("no panic").expect("committed");
        let now = Host::get(&bench.db, host.id)
            .await
            .expect("read")
            .expect("stored");
        assert_eq!(ips(bench).await, [now.ip]);
        assert!(recover(&bench.db).await.expect("recovered").is_idle());
    })
    .await;
}
