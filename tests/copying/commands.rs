//! The commands of each operation, to the byte, and the plan that the server runs them with (PROTOCOL 10).

use bson::{Bson, Document, doc};
use mongo_model::{Id, MongoModel, recover};
use serde::{Deserialize, Serialize};

use crate::common::{Bench, on_both};
use crate::settled::settled;

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "cmd_hosts")]
struct Host {
    #[serde(rename = "_id")]
    id: Id<Host>,
    ipaddr: String,
    rack: i64,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "cmd_logs")]
struct Log {
    #[serde(rename = "_id")]
    id: Id<Log>,
    #[parent(Host)]
    host: Id<Host>,
    #[denorm(from = Host, field = ipaddr)]
    ipaddr: String,
    level: i64,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "cmd_racks")]
struct Rack {
    #[serde(rename = "_id")]
    id: Id<Rack>,
    #[refs(Host, max = 5)]
    #[denorm(from = Host, field = ipaddr)]
    hosts: Vec<RackHost>,
}

/// It takes part in nothing.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "cmd_plain")]
struct Plain {
    #[serde(rename = "_id")]
    id: Id<Plain>,
    name: String,
}

fn host() -> Host {
    Host {
        id: Id::new(),
        ipaddr: "10.0.0.1".to_owned(),
        rack: 1,
    }
}

fn log(host: &Host) -> Log {
    Log {
        id: Id::new(),
        host: host.id,
        ipaddr: host.ipaddr.clone(),
        level: 1,
    }
}

async fn start(bench: &Bench) -> Host {
    bench
        .index(&[Host::meta(), Log::meta(), Rack::meta(), Plain::meta()])
        .await;
    let host = host();
    Host::insert(&bench.db, &host).await.expect("stored");
    bench.forget();
    host
}

/// The commands since the log was cleared, without the fields of the connection and the place of the call.
fn sent(bench: &Bench) -> Vec<Document> {
    let own = ["lsid", "txnNumber", "comment"];
    let strip = |command: Document| {
        let fields = command.into_iter();
        fields
            .filter(|(key, _)| !key.starts_with('$') && !own.contains(&key.as_str()))
            .collect()
    };
    let all = bench.take();
    all.into_iter().map(|sent| strip(sent.command)).collect()
}

fn durable() -> Document {
    doc! { "w": "majority", "j": true }
}

/// Strings are compared byte by byte, whatever collation a collection has.
fn binary() -> Document {
    doc! { "locale": "simple" }
}

/// The update that takes edges off a source.
fn unflagged(host: &Host, r: i64, edges: &[&str]) -> Document {
    let left =
        doc! { "$setDifference": [{ "$ifNull": ["$_dn.p", []] }, { "$literal": edges.to_vec() }] };
    doc! {
        "update": "cmd_hosts",
        "updates": [{
            "q": { "_id": { "$eq": *host.id.as_raw() }, "_dn.r": r },
            "u": [
                { "$set": { "_dn.p": { "$let": {
                    "vars": { "left": left },
                    "in": { "$cond": [{ "$eq": ["$$left", []] }, "$$REMOVE", "$$left"] },
                } } } },
                { "$set": {
                    "_dn.b": { "$cond": [{ "$isArray": "$_dn.p" }, "$_dn.b", "$$REMOVE"] },
                    "_dn.g": { "$cond": [{ "$isArray": "$_dn.p" }, "$_dn.g", "$$REMOVE"] },
                } },
            ],
            "multi": false,
            "collation": binary(),
        }],
        "ordered": false,
        "writeConcern": durable(),
    }
}

// A changed source: one findAndModify, one update per collection of copies, one that says that it is done.
#[tokio::test]
async fn a_changed_source() {
    on_both("cmd_source", async |bench| {
        let db = &bench.db;
        let host = start(bench).await;
        let id = *host.id.as_raw();
        let changed = Host::update(db, host.id).set(|h| h.ipaddr, "$x").await;
        assert_eq!(changed.expect("changed").pending, []);
        let sent = sent(bench);
        assert_eq!(sent.len(), 4, "{sent:#?}");
        let w1 = &sent[0];
        assert_eq!(w1.get_str("findAndModify").ok(), Some("cmd_hosts"));
        assert_eq!(w1.get_document("writeConcern").ok(), Some(&durable()));
        assert_eq!(
            w1.get_document("query").ok(),
            Some(&doc! { "_id": id, "_dn.del": { "$exists": false } })
        );
        assert_eq!(
            w1.get_document("fields").ok(),
            Some(&doc! { "_id": 1, "_dn": 1, "ipaddr": 1 })
        );
        assert_eq!(
            sent[1],
            doc! {
                "update": "cmd_logs",
                "updates": [{
                    "q": { "host": { "$eq": id }, "_r_host": { "$not": { "$gte": 2_i64 } } },
                    "u": { "$set": { "ipaddr": "$x", "_r_host": 2 } },
                    "multi": true,
                    "hint": { "host": 1, "_id": 1 },
                    "collation": binary(),
                }],
                "ordered": false,
                "writeConcern": durable(),
            }
        );
        assert_eq!(
            sent[2],
            doc! {
                "update": "cmd_racks",
                "updates": [{
                    "q": { "hosts.id": { "$eq": id } },
                    "u": { "$set": { "hosts.$[a].ipaddr": "$x", "hosts.$[a]._r": 2 } },
                    "arrayFilters": [{ "a.id": { "$eq": id }, "a._r": { "$not": { "$gte": 2_i64 } } }],
                    "multi": true,
                    "hint": { "hosts.id": 1, "_id": 1 },
                    "collation": binary(),
                }],
                "ordered": false,
                "writeConcern": durable(),
            }
        );
        assert_eq!(sent[3], unflagged(&host, 2, &["cmd_logs.host", "cmd_racks.hosts"]));
        settled(bench).await;
    })
    .await;
}

// No copied field, or no change: one command.
#[tokio::test]
async fn changes_that_nobody_copies() {
    on_both("cmd_other", async |bench| {
        let db = &bench.db;
        let host = start(bench).await;
        let id = *host.id.as_raw();
        Host::update(db, host.id)
            .inc(|h| h.rack, 1)
            .await
            .expect("changed");
        let plain = doc! {
            "update": "cmd_hosts",
            "updates": [{
                // A change under a tombstone would be deleted with the document.
                "q": { "_id": id, "_dn.del": { "$exists": false } },
                "u": { "$inc": { "rack": 1_i64 } },
                "collation": binary(),
            }],
            "ordered": true,
        };
        assert_eq!(sent(bench), [plain]);
        let before = bench.stored("cmd_hosts", id).await;
        for _ in 0..2 {
            Host::update(db, host.id)
                .set(|h| h.ipaddr, "10.0.0.1")
                .await
                .expect("the same");
            assert_eq!(bench.sent(), ["findAndModify"]);
        }
        assert_eq!(bench.stored("cmd_hosts", id).await, before);

        // A field of its own beside copies.
        let log = log(&host);
        Log::insert(db, &log).await.expect("stored");
        bench.forget();
        Log::update(db, log.id)
            .set(|l| l.level, 2)
            .await
            .expect("changed");
        let plain = doc! {
            "update": "cmd_logs",
            "updates": [{ "q": { "_id": *log.id.as_raw() }, "u": { "$set": { "level": 2_i64 } }, "collation": binary() }],
            "ordered": true,
        };
        assert_eq!(sent(bench), [plain]);
    })
    .await;
}

// A new document with a reference is stored with a mark, its source is read, and the mark goes with the comparison; one
// without a reference is stored, and that is all.
#[tokio::test]
async fn new_documents() {
    on_both("cmd_insert", async |bench| {
        let db = &bench.db;
        let host = start(bench).await;
        let id = *host.id.as_raw();
        let with = log(&host);
        Log::insert(db, &with).await.expect("stored");
        let sent_with = sent(bench);
        assert_eq!(sent_with.len(), 3, "{sent_with:#?}");
        let stored = &sent_with[0].get_array("documents").expect("documents")[0];
        let stored = stored.as_document().expect("a document");
        let marks = stored.get_document("_dn").and_then(|dn| dn.get_array("u"));
        let mark = marks.expect("marks")[0].as_document().expect("a mark");
        let token = mark.get_object_id("t").expect("a token");
        let log_id = *with.id.as_raw();
        assert_eq!(
            sent_with[0],
            doc! {
                "insert": "cmd_logs",
                "documents": [{
                    "_id": log_id,
                    "host": id,
                    "ipaddr": "10.0.0.1",
                    "level": 1_i64,
                    "_dn": { "u": [{ "t": token }] },
                }],
                "ordered": true,
            },
            "the mark is lost with the document"
        );
        assert_eq!(
            sent_with[1],
            doc! {
                "findAndModify": "cmd_hosts",
                "query": { "_id": { "$eq": id } },
                "update": { "$unset": { "_dn.zz": 1 } },
                "fields": { "_id": 1, "_dn": 1, "ipaddr": 1 },
                "new": true,
                "collation": binary(),
                "writeConcern": durable(),
            }
        );
        let updates = sent_with[2].get_array("updates").expect("updates");
        assert_eq!(
            updates[0],
            Bson::Document(doc! {
                "q": {
                    "_id": { "$eq": log_id },
                    "_dn.u.t": { "$in": [token] },
                    "host": { "$eq": id },
                    "_r_host": { "$not": { "$gte": 1_i64 } },
                },
                "u": { "$set": { "ipaddr": "10.0.0.1", "_r_host": 1 } },
                "multi": false,
                "hint": { "_id": 1 },
                "collation": binary(),
            })
        );
        assert_eq!(updates.len(), 2);
        assert_eq!(sent_with[2].get_bool("ordered").ok(), Some(true));
        let now = bench.stored("cmd_logs", log_id).await;
        assert!(!now.contains_key("_dn"), "{now}");

        let without = Rack {
            id: Id::new(),
            hosts: Vec::new(),
        };
        Rack::insert(db, &without).await.expect("stored");
        assert_eq!(bench.sent(), ["insert"]);
        let now = bench.stored("cmd_racks", *without.id.as_raw()).await;
        assert!(!now.contains_key("_dn"), "{now}");
        settled(bench).await;
    })
    .await;
}

// A model that takes part in nothing pays for nothing.
#[tokio::test]
async fn a_model_without_copies() {
    on_both("cmd_plain", async |bench| {
        let db = &bench.db;
        start(bench).await;
        let plain = Plain {
            id: Id::new(),
            name: "a".to_owned(),
        };
        let id = *plain.id.as_raw();
        Plain::insert(db, &plain).await.expect("stored");
        Plain::update(db, plain.id)
            .set(|p| p.name, "b")
            .await
            .expect("changed");
        plain.save(db).await.expect("saved");
        Plain::delete(db, plain.id).await.expect("deleted");
        assert_eq!(
            sent(bench),
            [
                doc! {
                    "insert": "cmd_plain",
                    "documents": [{ "_id": id, "name": "a" }],
                    "ordered": true,
                },
                doc! {
                    "update": "cmd_plain",
                    "updates": [{ "q": { "_id": id }, "u": { "$set": { "name": "b" } }, "collation": binary() }],
                    "ordered": true,
                },
                doc! {
                    "update": "cmd_plain",
                    "updates": [{ "q": { "_id": id }, "u": { "_id": id, "name": "a" }, "upsert": true, "collation": binary() }],
                    "ordered": true,
                },
                doc! {
                    "delete": "cmd_plain",
                    "deletes": [{ "q": { "_id": id }, "limit": 1, "collation": binary() }],
                    "ordered": true,
                },
            ]
        );
    })
    .await;
}

// The fan-out scans the index of the reference and the `_id`, also where other documents are in the majority.
#[tokio::test]
async fn the_fan_out_uses_its_index() {
    on_both("cmd_explain", async |bench| {
        let db = &bench.db;
        let host = start(bench).await;
        let row = |n: i32| doc! { "_id": n, "host": bson::oid::ObjectId::new(), "level": n };
        bench.seed("cmd_logs", (0..500).map(row)).await;
        let row = |n: i32| doc! { "_id": n, "hosts": [{ "id": bson::oid::ObjectId::new() }] };
        bench.seed("cmd_racks", (0..500).map(row)).await;
        Log::insert(db, &log(&host)).await.expect("stored");
        bench.forget();
        Host::update(db, host.id)
            .set(|h| h.ipaddr, "10.0.0.2")
            .await
            .expect("changed");
        let sent = sent(bench);
        for (mut command, keys) in sent[1..3].iter().cloned().zip([
            ["host".to_owned(), "_id".to_owned()],
            ["hosts.id".to_owned(), "_id".to_owned()],
        ]) {
            command.remove("writeConcern");
            let plan = bench.explain(command).await;
            assert!(plan.has("IXSCAN") && !plan.has("COLLSCAN"), "{plan:#?}");
            assert_eq!(plan.indexes, [keys]);
            assert!(plan.keys <= 2, "{plan:#?}");
        }
    })
    .await;
}

// A look at the flags reads nothing where there are none, however much is stored.
#[tokio::test]
async fn looking_for_flags_reads_nothing() {
    on_both("cmd_sweep", async |bench| {
        let db = &bench.db;
        let host = start(bench).await;
        let logs: Vec<Log> = (0..50).map(|_| log(&host)).collect();
        Log::insert_many(db, &logs).await.expect("stored");
        bench.forget();
        assert!(recover(db).await.expect("recovered").is_idle());
        let ours = ["cmd_hosts", "cmd_logs", "cmd_racks"];
        let looks: Vec<Document> = sent(bench)
            .into_iter()
            .filter(|command| {
                command
                    .get_str("find")
                    .is_ok_and(|find| ours.contains(&find))
            })
            .collect();
        // Two finds on the sources (for deletes, for changes), one on every other collection.
        assert_eq!(looks.len(), 4, "{looks:#?}");
        for look in looks {
            let flag = if look.get_str("find").ok() == Some("cmd_hosts") {
                "_dn.p"
            } else {
                "_dn.u.t"
            };
            let plan = bench.explain(look).await;
            plan.assert_served_by(flag);
            assert_eq!((plan.keys, plan.documents), (0, 0), "{plan:#?}");
        }
    })
    .await;
}
