//! References with a sort field that never changes: one index serves reads in its order, fan-outs and deletes.

use bson::{DateTime, Document, doc};
use futures::TryStreamExt;
use mongo_model::{Id, MongoModel, plan_indexes, recover, sync_indexes};
use serde::{Deserialize, Serialize};

use crate::common::{Bench, alone, on_both};
use crate::settled::{everything, settled};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "sorted_hosts")]
struct Host {
    #[serde(rename = "_id")]
    id: i32,
    name: String,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "sorted_lines")]
struct Line {
    #[serde(rename = "_id")]
    id: Id<Line>,
    #[immutable]
    time: i64,
    #[parent(Host, sort = -time, on_delete = cascade)]
    host: i32,
    #[denorm(from = Host, field = name)]
    host_name: String,
}

/// Its time is the server's.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "sorted_events")]
struct Event {
    #[serde(rename = "_id")]
    id: Id<Event>,
    #[created]
    at: DateTime,
    #[parent(Host, sort = at, on_delete = unset)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    host: Option<i32>,
    #[denorm(from = Host, field = name)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    host_name: Option<String>,
}

/// The `_id` never changes either.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "sorted_newest")]
struct Newest {
    #[serde(rename = "_id")]
    id: Id<Newest>,
    #[parent(Host, sort = -id)]
    host: i32,
    #[denorm(from = Host, field = name)]
    host_name: String,
}

/// Users set its rank.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "sorted_ranked")]
struct Ranked {
    #[serde(rename = "_id")]
    id: Id<Ranked>,
    rank: i64,
    #[parent(Host, sort = rank)]
    host: i32,
    #[denorm(from = Host, field = name)]
    host_name: String,
}

/// No mark corrects its copies.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "sorted_loose")]
struct Loose {
    #[serde(rename = "_id")]
    id: Id<Loose>,
    #[immutable]
    time: i64,
    #[parent(Host, sort = -time, unchecked)]
    host: i32,
    #[denorm(from = Host, field = name, level = fire_and_forget)]
    host_name: String,
}

/// Its time never changes here, but another model of the collection may change it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "sorted_shared")]
struct Entry {
    #[serde(rename = "_id")]
    id: Id<Entry>,
    #[immutable]
    time: i64,
    #[parent(Host, sort = -time)]
    host: i32,
    #[denorm(from = Host, field = name)]
    host_name: String,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "sorted_shared", shares = Entry)]
struct Corrected {
    #[serde(rename = "_id")]
    id: Id<Corrected>,
    time: i64,
}

fn host(id: i32) -> Host {
    Host {
        id,
        name: "before".to_owned(),
    }
}

fn line(host: i32, time: i64) -> Line {
    Line {
        id: Id::new(),
        time,
        host,
        host_name: String::new(),
    }
}

/// Two hosts with this many lines each.
async fn start(bench: &Bench, lines: i64) {
    let models = [
        Host::meta(),
        Line::meta(),
        Event::meta(),
        Newest::meta(),
        Ranked::meta(),
        Loose::meta(),
        Entry::meta(),
        Corrected::meta(),
    ];
    bench.index(&models).await;
    let stored = Host::insert_many(&bench.db, &[host(1), host(2)]).await;
    stored.expect("stored");
    let all = (0..lines).flat_map(|n| [line(1, n * 10), line(2, n * 10)]);
    let all: Vec<Line> = all.collect();
    Line::insert_many(&bench.db, &all).await.expect("stored");
    recover(&bench.db).await.expect("recovered");
    bench.forget();
}

/// The names of a collection's indexes.
async fn indexes(bench: &Bench, collection: &str) -> Vec<String> {
    let mut names = bench
        .raw(collection)
        .list_index_names()
        .await
        .expect("listed");
    names.sort();
    bench.forget();
    names
}

/// The logged command of this name on a collection.
fn command(bench: &Bench, name: &str, collection: &str) -> Document {
    let sent = bench.take().into_iter().find(|sent| {
        let on = sent.command.get_str(name).ok();
        sent.name == name && on == Some(collection)
    });
    sent.expect("it was sent").command
}

/// The names of their host in all lines, each once.
async fn names(bench: &Bench) -> Vec<String> {
    let found = bench
        .raw("sorted_lines")
        .distinct("host_name", doc! { "host": 1 })
        .await;
    let found = found.expect("read").into_iter();
    found
        .map(|name| name.as_str().expect("a name").to_owned())
        .collect()
}

#[tokio::test]
async fn a_fixed_sort_field_saves_an_index() {
    alone("sorted_indexes", async |bench| {
        start(bench, 1).await;
        let marks = "_dn.u.t_1_partial_c439b029";
        let expected: [(&str, &[&str]); 6] = [
            ("sorted_lines", &[marks, "_id_", "host_1_time_-1__id_-1"]),
            ("sorted_events", &[marks, "_id_", "host_1_at_1__id_1"]),
            ("sorted_newest", &[marks, "_id_", "host_1__id_-1"]),
            (
                "sorted_ranked",
                &[marks, "_id_", "host_1__id_1", "host_1_rank_1__id_1"],
            ),
            (
                "sorted_loose",
                &[marks, "_id_", "host_1__id_1", "host_1_time_-1__id_-1"],
            ),
            (
                "sorted_shared",
                &[marks, "_id_", "host_1__id_1", "host_1_time_-1__id_-1"],
            ),
        ];
        for (collection, names) in expected {
            assert_eq!(indexes(bench, collection).await, names, "{collection}");
        }
    })
    .await;
}

// One key per line of the host, none of the other host's, and no sort in memory.
#[tokio::test]
async fn a_fan_out_walks_it() {
    on_both("sorted_fan_out", async |bench| {
        start(bench, 200).await;
        let db = &bench.db;
        let renamed = Host::update(db, 1).set(|h| h.name, "after").await;
        assert_eq!(renamed.expect("renamed").pending, []);
        let update = command(bench, "update", "sorted_lines");
        let statement = update.get_array("updates").expect("statements")[0].clone();
        let hint = statement
            .as_document()
            .and_then(|one| one.get_document("hint").ok());
        assert_eq!(hint, Some(&doc! { "host": 1, "time": -1, "_id": -1 }));
        assert_eq!(names(bench).await, ["after"]);
        let plan = bench.explain(update).await;
        plan.assert_served_by("host");
        assert!(!plan.has("SORT"), "{plan:#?}");
        assert!((200..=201).contains(&plan.keys), "{plan:#?}");
        settled(bench).await;
    })
    .await;
}

// Half of the lines have been updated when the fan-out stops: it goes on with the others.
#[tokio::test]
async fn an_interrupted_fan_out_is_resumed() {
    on_both("sorted_resumed", async |bench| {
        start(bench, 200).await;
        let db = &bench.db;
        let hosts = bench.raw("sorted_hosts");
        let lines = bench.raw("sorted_lines");
        let before = bench.stored("sorted_hosts", 1).await;
        let dn = before.get_document("_dn").expect("a source");
        let r = dn.get_i64("r").or_else(|_| dn.get_i32("r").map(i64::from));
        let r = r.expect("a revision") + 1;
        let source = doc! {
            "$set": { "name": "after", "_dn.r": r, "_dn.g": 1, "_dn.p": ["sorted_lines.host"] },
        };
        hosts
            .update_one(doc! { "_id": 1 }, source)
            .await
            .expect("W1");
        let half = doc! { "host": 1, "time": { "$gte": 1_000 } };
        let copies = doc! { "$set": { "host_name": "after", "_r_host": r } };
        let done = lines.update_many(half, copies).await.expect("a part of W2");
        assert_eq!(done.modified_count, 100);
        // The lines that are stored now come before and after the place where it stopped.
        for time in [-5, 995, 1_005, 5_000] {
            Line::insert(db, &line(1, time))
                .settled()
                .await
                .expect("stored");
        }
        bench.forget();
        let recovered = recover(db).await.expect("recovered");
        assert_eq!(recovered.sources, 1);
        let update = command(bench, "update", "sorted_lines");
        let plan = bench.explain(update).await;
        plan.assert_served_by("host");
        assert_eq!(names(bench).await, ["after"]);
        let all = everything(bench).await;
        assert!(recover(db).await.expect("recovered").is_idle());
        assert_eq!(everything(bench).await, all);
        settled(bench).await;
    })
    .await;
}

// Lines with times before, among and after the others are stored while the fan-out walks: each has a mark of its own.
#[tokio::test]
async fn lines_that_are_stored_during_a_fan_out_are_right() {
    on_both("sorted_beside", async |bench| {
        start(bench, 5_000).await;
        let db = &bench.db;
        for name in ["one", "two", "three"] {
            let rename = async {
                let renamed = Host::update(db, 1).set(|h| h.name, name).await;
                assert_eq!(renamed.expect("renamed").pending, []);
            };
            let insert = async {
                for time in [-1, 60_000, 25_005, 49_999, 5, -2] {
                    let stored = Line::insert(db, &line(1, time)).settled().await;
                    assert_eq!(stored.expect("stored").pending, []);
                }
            };
            futures::join!(rename, insert);
            assert_eq!(names(bench).await, [name]);
        }
        mongo_model::settle(db).await;
        settled(bench).await;
    })
    .await;
}

#[tokio::test]
async fn deletes_walk_it() {
    on_both("sorted_deletes", async |bench| {
        start(bench, 100).await;
        let db = &bench.db;
        for n in 0..20 {
            let event = Event {
                id: Id::new(),
                at: DateTime::now(),
                host: Some(1 + n % 2),
                host_name: None,
            };
            Event::insert(db, &event).settled().await.expect("stored");
        }
        bench.forget();
        let done = Host::delete(db, 1).await.expect("deleted");
        assert_eq!((done.deleted, done.cascaded, done.changed), (1, 100, 10));
        let sent = bench.take();
        let hint = |name: &str, collection: &str, statements: &str| {
            let sent = sent.iter().find(|sent| {
                let on = sent.command.get_str(name).ok();
                sent.name == name && on == Some(collection)
            });
            let statements = sent.expect("sent").command.get_array(statements);
            let first = statements.expect("statements")[0]
                .as_document()
                .expect("one");
            first.get_document("hint").expect("a hint").clone()
        };
        assert_eq!(
            hint("delete", "sorted_lines", "deletes"),
            doc! { "host": 1, "time": -1, "_id": -1 }
        );
        assert_eq!(
            hint("update", "sorted_events", "updates"),
            doc! { "host": 1, "at": 1, "_id": 1 }
        );
        assert_eq!(bench.len("sorted_lines").await, 100);
        settled(bench).await;
    })
    .await;
}

// An index of an earlier version of the library stays until the user drops it. No command needs it.
#[tokio::test]
async fn the_index_that_is_no_longer_needed_is_reported() {
    alone("sorted_surplus", async |bench| {
        start(bench, 10).await;
        let db = &bench.db;
        let by_id = doc! { "createIndexes": "sorted_lines", "indexes": [
            { "key": { "host": 1, "_id": 1 }, "name": "host_1__id_1" },
        ] };
        db.run_command(by_id).await.expect("made");
        let models = [Line::meta()];
        let plan = plan_indexes(db).models(&models).await.expect("planned");
        assert!(
            plan.to_string().contains("  unknown   `host_1__id_1`"),
            "{plan}"
        );
        assert!(plan.collections[0].create.is_empty(), "{plan}");
        let report = sync_indexes(db).models(&models).await.expect("synced");
        assert!(report.to_string().contains("host_1__id_1"), "{report}");
        assert!(
            indexes(bench, "sorted_lines")
                .await
                .contains(&"host_1__id_1".to_owned())
        );
        let dropping = sync_indexes(db).models(&models).drop_unknown();
        dropping.await.expect("synced");
        assert!(
            !indexes(bench, "sorted_lines")
                .await
                .contains(&"host_1__id_1".to_owned())
        );
        Host::update(db, 1)
            .set(|h| h.name, "after")
            .await
            .expect("renamed");
        assert_eq!(names(bench).await, ["after"]);
        let stored = bench.raw("sorted_lines").find(doc! { "host": 2 }).await;
        let stored: Vec<Document> = stored.expect("read").try_collect().await.expect("read");
        assert_eq!(stored.len(), 10);
    })
    .await;
}
