//! A write that stops between any two of its steps leaves what parents keep of their children right or flagged, and the recovery
//! makes it right: lists of the last children, and their number.
//!
//! Each write is stopped at each point in one way, in turn; in all of them, at later passings too, by
//! `cargo test -p mongo-model-soak --test kept -- --ignored`, which takes minutes.

use std::collections::BTreeMap;

use bson::oid::ObjectId;
use bson::{Bson, Document, doc};
use futures::TryStreamExt;
use mongo_model::{
    Database, Id, MongoModel, Result, finishing, recover, settle, settle_in_calls, sync_indexes,
};
use mongo_model_dev_server::{DevServer, Topology};
use mongo_model_soak::parts::{ON_BOTH, side_by_side};
use mongo_model_soak::points::{
    self, FAULTS, Fault, failing_at, passed, point, stopped, with_rest,
};
use mongo_model_soak::ways::Ways;
use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "keep_hosts")]
struct Host {
    #[serde(rename = "_id")]
    id: Id<Host, i64>,
    ipaddr: String,
    #[recent(Log, max = 3, sort = time, fields(time, text))]
    logs: Vec<RecentLog>,
    #[count(Log)]
    number: i64,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "keep_logs")]
struct Log {
    #[serde(rename = "_id")]
    id: Id<Log, i64>,
    #[parent(Host, on_delete = cascade)]
    host: Option<Id<Host, i64>>,
    #[denorm(from = Host, field = ipaddr)]
    ipaddr: Option<String>,
    time: i64,
    text: String,
}

fn log(id: i64, host: i64) -> Log {
    Log {
        id: Id::from_raw(id),
        host: Some(Id::from_raw(host)),
        ipaddr: None,
        time: id,
        text: format!("log {id}"),
    }
}

const STEPS: [&str; 17] = [
    "insert",
    "insert_many",
    "insert_host",
    "insert_host_alone",
    "insert_hosts",
    "save_host",
    "move",
    "move_many",
    "unlink",
    "retime",
    "edit_many",
    "save",
    "delete",
    "delete_many",
    "rebuild",
    "recount",
    "recover",
];

fn host(id: i64) -> Host {
    Host {
        id: Id::from_raw(id),
        ipaddr: format!("10.0.0.{id}"),
        logs: Vec::new(),
        number: 0,
    }
}

/// Two hosts, the first with more logs than it lists; and logs of one that comes later, of which one is flagged.
async fn prepare(db: &Database, step: &str) -> Result<()> {
    for collection in ["keep_hosts", "keep_logs"] {
        db.collection::<Document>(collection)
            .delete_many(doc! {})
            .await?;
    }
    Host::insert_many(db, &[host(1), host(2)]).await?;
    let logs: Vec<Log> = (10..16).map(|id| log(id, 1)).chain([log(20, 2)]).collect();
    Log::insert_many(db, &logs).await?;
    // Work of the inserts that runs later would finish what is left pending below.
    settle(db).await;
    let raw = db.collection::<Document>("keep_logs");
    let early =
        (40..45_i64).map(|id| doc! { "_id": id, "host": 7_i64, "time": id, "text": "early" });
    raw.insert_many(early).await?;
    let flag = doc! { "t": ObjectId::new(), "f": {}, "to": { "host": 7_i64 } };
    let flagged = doc! { "$set": { "_dn": { "c": [flag] } } };
    raw.update_one(doc! { "_id": 40_i64 }, flagged).await?;
    match step {
        "rebuild" | "recount" => {
            let hosts = db.collection::<Document>("keep_hosts");
            let garbage = match step {
                "rebuild" => doc! { "$set": { "logs": [] } },
                _ => doc! { "$set": { "number": 99_i64 } },
            };
            hosts.update_one(doc! { "_id": 1_i64 }, garbage).await?;
        }
        "recover" => {
            for (n, name) in ["after_w1", "after_c1", "recent_after_pull"]
                .into_iter()
                .enumerate()
            {
                let id = Id::<Log, i64>::from_raw(15 - i64::try_from(n).expect("small"));
                let moved = Log::update(db, id).set(|l| l.host, Id::from_raw(2));
                failing_at(db, name, moved).await;
            }
        }
        _ => {}
    }
    Ok(())
}

async fn run(db: &Database, step: &str) -> Result<()> {
    let last = Id::<Log, i64>::from_raw(15);
    let other = Id::<Host, i64>::from_raw(2);
    match step {
        "insert" => drop(Log::insert(db, &log(30, 1)).await?),
        "insert_many" => {
            let logs: Vec<Log> = (30..40).map(|id| log(id, id % 2 + 1)).collect();
            drop(Log::insert_many(db, &logs).await?);
        }
        "insert_host" => drop(Host::insert(db, &host(7)).await?),
        "insert_host_alone" => drop(Host::insert(db, &host(8)).await?),
        "insert_hosts" => drop(Host::insert_many(db, &[host(7), host(8)]).await?),
        "save_host" => drop(host(7).save(db).await?),
        "move" => drop(Log::update(db, last).set(|l| l.host, other).await?),
        "move_many" => {
            let some = [13, 14, 15].map(Id::<Log, i64>::from_raw);
            drop(
                Log::update_many(db, |l| l.id.is_in(some))
                    .set(|l| l.host, other)
                    .await?,
            );
        }
        "unlink" => drop(Log::update(db, last).set(|l| l.host, None).await?),
        "retime" => drop(Log::update(db, last).set(|l| l.time, 1).await?),
        "edit_many" => {
            let some = [11, 14, 15, 20].map(Id::<Log, i64>::from_raw);
            drop(
                Log::update_many(db, |l| l.id.is_in(some))
                    .set(|l| l.text, "new")
                    .await?,
            );
        }
        "save" => {
            let mut saved = log(14, 2);
            saved.time = 99;
            drop(saved.save(db).await?);
        }
        "delete" => drop(Log::delete(db, last).await?),
        "delete_many" => {
            let some = [10, 14, 15].map(Id::<Log, i64>::from_raw);
            drop(Log::delete_many(db, |l| l.id.is_in(some)).await?);
        }
        "rebuild" => Host::rebuild_logs(db, Id::from_raw(1)).await?,
        "recount" => Host::recount_number(db, Id::from_raw(1)).await?,
        "recover" => drop(recover(db).await?),
        other => panic!("no such step: {other}"),
    }
    Ok(())
}

async fn all(db: &Database, collection: &str) -> Vec<Document> {
    let collection = db.collection::<Document>(collection);
    let found = collection.find(doc! {}).sort(doc! { "_id": 1 });
    found
        .await
        .expect("read")
        .try_collect()
        .await
        .expect("read")
}

/// The hosts that disagree with their logs, after a recovery that leaves nothing pending.
async fn right(db: &Database, at: &str) {
    recover(db).await.expect("recovered");
    let (hosts, logs) = (all(db, "keep_hosts").await, all(db, "keep_logs").await);
    for document in hosts.iter().chain(&logs) {
        let dn = document.get_document("_dn").cloned().unwrap_or_default();
        let left = ["p", "u", "b", "o", "v", "c", "del"];
        assert!(
            !left.iter().any(|flag| dn.contains_key(flag)),
            "{at}: {document}"
        );
    }
    for host in &hosts {
        let id = host.get("_id").expect("an id");
        let mut own: Vec<&Document> = logs
            .iter()
            .filter(|log| log.get("host") == Some(id))
            .collect();
        own.sort_by_key(|log| {
            (
                log.get_i64("time").expect("a time"),
                log.get_i64("_id").expect("an id"),
            )
        });
        assert_eq!(
            host.get_i64("number").ok(),
            i64::try_from(own.len()).ok(),
            "{at}: {host}"
        );
        let last = own.iter().rev().take(3).rev();
        let want: Vec<Document> = last
            .map(|log| doc! { "id": log.get("_id"), "time": log.get("time"), "text": log.get("text") })
            .collect();
        let have = host
            .get_array("logs")
            .into_iter()
            .flatten()
            .filter_map(Bson::as_document);
        let have: Vec<Document> = have
            .map(|entry| {
                let mut entry = entry.clone();
                entry.remove("_r");
                entry
            })
            .collect();
        assert_eq!(have, want, "{at}");
    }
    assert!(recover(db).await.expect("recovered").is_idle(), "{at}");
}

/// The later steps of writes that answer before their flags are removed.
async fn every_fault_behind(topology: Topology, mut ways: Ways) {
    settle_in_calls(false);
    let server = DevServer::shared(topology).await.expect("a server");
    let client = server.client().await.expect("a client");
    let db = client.database(&server.unique_db("keeping_behind"));
    sync_indexes(&db)
        .models(&[Host::meta(), Log::meta()])
        .await
        .expect("indexes");
    let mut seen = BTreeMap::new();
    for step in STEPS {
        let start = async || {
            prepare(&db, step).await.expect("prepared");
            settle(&db).await;
        };
        start().await;
        let points = passed(&points::kept(), with_rest(&db, run(&db, step))).await;
        right(&db, step).await;
        for (name, times) in points {
            *seen.entry(name).or_insert(0) += times;
            for (nth, fault) in ways.of(name, times.min(3), &[Fault::Error, Fault::Again]) {
                start().await;
                let again = stopped(name, nth, fault, async || {
                    with_rest(&db, run(&db, step)).await
                })
                .await;
                let once = step.starts_with("insert") || step == "delete";
                assert!(
                    again.is_none_or(|done| done.is_ok() || once),
                    "{step}, {name}"
                );
                if step == "recount" {
                    run(&db, step).await.expect("recounted");
                }
                settle(&db).await;
                let at = format!("{step} stopped at {name} ({nth}) by {fault:?}, behind");
                right(&db, &at).await;
            }
        }
    }
    for name in [
        "after_i1",
        "after_fused",
        "after_fused_clear",
        "after_w3",
        "after_d1",
        "after_d3",
    ] {
        assert!(seen.contains_key(name), "nothing passes {name}: {seen:?}");
    }
    db.drop().await.expect("dropped");
}

async fn every_fault(topology: Topology, mut ways: Ways) {
    let server = DevServer::shared(topology).await.expect("a server");
    let client = server.client().await.expect("a client");
    let db = client.database(&server.unique_db("keeping_faults"));
    sync_indexes(&db)
        .models(&[Host::meta(), Log::meta()])
        .await
        .expect("indexes");
    let mut seen = BTreeMap::new();
    for step in STEPS {
        prepare(&db, step).await.expect("prepared");
        let points = passed(&points::kept(), run(&db, step)).await;
        right(&db, step).await;
        for (name, times) in points {
            *seen.entry(name).or_insert(0) += times;
            for (nth, fault) in ways.of(name, times.min(3), &FAULTS) {
                prepare(&db, step).await.expect("prepared");
                let again = stopped(name, nth, fault, async || run(&db, step).await).await;
                // A repeated insert or delete may fail, because it is done by now; every other write can be repeated.
                let once = step.starts_with("insert") || step == "delete";
                assert!(
                    again.is_none_or(|done| done.is_ok() || once),
                    "{step}, {name}"
                );
                if step == "recount" {
                    // Another program's write is not flagged, so a failed recount has to be repeated by its caller.
                    run(&db, step).await.expect("recounted");
                }
                let at = format!("{step} stopped at {name} ({nth}) by {fault:?}");
                right(&db, &at).await;
            }
        }
    }
    for name in points::kept() {
        assert!(seen.contains_key(name), "nothing passes {name}: {seen:?}");
    }
    db.drop().await.expect("dropped");
}

#[tokio::test]
async fn what_stops_at_any_point_is_made_right() {
    let test = "what_stops_at_any_point_is_made_right";
    side_by_side(test, &ON_BOTH, async |topology| {
        every_fault(topology, Ways::in_turn(topology)).await;
    })
    .await;
}

#[tokio::test]
async fn what_fails_behind_an_answer_is_made_right() {
    let test = "what_fails_behind_an_answer_is_made_right";
    side_by_side(test, &ON_BOTH, async |topology| {
        every_fault_behind(topology, Ways::in_turn(topology)).await;
    })
    .await;
}

/// Another program renames a host behind the library's back between the answer and the comparison of the copies, and the server takes no
/// copy of that name.
async fn refused_behind(topology: Topology) {
    settle_in_calls(false);
    let server = DevServer::shared(topology).await.expect("a server");
    let client = server.client().await.expect("a client");
    let db = client.database(&server.unique_db("keeping_refused"));
    let models = [Host::meta(), Log::meta()];
    sync_indexes(&db).models(&models).await.expect("indexes");
    prepare(&db, "insert_many").await.expect("prepared");
    settle(&db).await;
    recover(&db).await.expect("recovered");
    let validate = async |validator: Document| {
        let command = doc! { "collMod": "keep_logs", "validator": validator };
        db.run_command(command).await.expect("set");
    };
    validate(doc! { "ipaddr": { "$ne": "10.9.9.9" } }).await;
    let (uri, name) = (server.uri().to_owned(), db.name().to_owned());
    let rename = move || {
        let (uri, name) = (uri.clone(), name.clone());
        let renamed = std::thread::spawn(move || {
            let mut runtime = tokio::runtime::Builder::new_current_thread();
            let runtime = runtime.enable_all().build().expect("a runtime");
            runtime.block_on(async {
                let client = mongodb::Client::with_uri_str(uri).await.expect("a client");
                let hosts = client.database(&name).collection::<Document>("keep_hosts");
                let renamed = doc! { "$set": { "ipaddr": "10.9.9.9" } };
                hosts
                    .update_one(doc! { "_id": 1_i64 }, renamed)
                    .await
                    .expect("renamed");
            });
        });
        renamed.join().expect("renamed");
    };
    fail::cfg_callback(point("after_fused"), rename).expect("a point");
    let before = finishing(&db).failed;
    let done = Log::insert_many(&db, [&log(30, 1), &log(31, 2)]).await;
    assert_eq!(done.expect("stored").pending, []);
    let after = settle(&db).await;
    fail::remove(point("after_fused"));
    assert_eq!(after.failed, before + 1, "{after:?}");
    let reason = after.error.expect("a reason");
    assert!(reason.contains("(121)"), "{reason}");
    let marked = doc! { "_dn.u.t": { "$exists": true } };
    let logs = db.collection::<Document>("keep_logs");
    assert_eq!(logs.count_documents(marked).await.expect("counted"), 1);
    validate(doc! {}).await;
    right(&db, "refused").await;
    let corrected = logs.find_one(doc! { "_id": 30_i64 }).await.expect("read");
    let ipaddr = corrected
        .expect("there")
        .get_str("ipaddr")
        .map(str::to_owned);
    assert_eq!(ipaddr.expect("an address"), "10.9.9.9");
    db.drop().await.expect("dropped");
}

#[tokio::test]
async fn what_the_server_refuses_behind_an_answer_is_reported() {
    let test = "what_the_server_refuses_behind_an_answer_is_reported";
    side_by_side(test, &ON_BOTH, refused_behind).await;
}

#[tokio::test]
#[ignore = "minutes"]
async fn what_stops_at_any_point_in_any_way_is_made_right() {
    let test = "what_stops_at_any_point_in_any_way_is_made_right";
    side_by_side(test, &ON_BOTH, async |topology| {
        every_fault(topology, Ways::all()).await;
    })
    .await;
}
