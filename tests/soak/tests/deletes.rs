//! A delete that stops between any two of its steps is finished, or undone where a reference might have refused it.

mod deletes_paused;

use std::collections::BTreeMap;
use std::sync::{Mutex, mpsc};

use bson::{Bson, Document, doc};
use futures::TryStreamExt;
use mongo_model::{
    Database, Error, MongoEmbed, MongoModel, recover, sync_indexes, transaction, verify,
};
use mongo_model_dev_server::{DevServer, Topology};
use mongo_model_soak::parts::{ON_BOTH, side_by_side};
use mongo_model_soak::points::{Fault, passed, point, stopped};
use serde::{Deserialize, Serialize};

/// Firms, their staff, which are deleted with them, and the desks and badges of the staff.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "del_firms")]
struct Firm {
    #[serde(rename = "_id")]
    id: i32,
    name: String,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "del_towns")]
struct Town {
    #[serde(rename = "_id")]
    id: i32,
    #[count(Staff)]
    staff: i64,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "del_staff")]
struct Staff {
    #[serde(rename = "_id")]
    id: i32,
    #[parent(Firm, on_delete = cascade)]
    firm: i32,
    #[denorm(from = Firm, field = name)]
    firm_name: String,
    #[parent(Town)]
    town: i32,
}

/// Goes with one of the staff, as an element or alone.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoEmbed)]
struct Seat {
    #[parent(Staff, on_delete = pull)]
    staff: i32,
    #[denorm(from = Staff, field = firm_name, via = staff)]
    firm_name: String,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoEmbed)]
struct Row {
    #[embed(max = 5)]
    seats: Vec<Seat>,
    #[serde(skip_serializing_if = "Option::is_none")]
    lamp: Option<Seat>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoEmbed)]
struct Hook {
    #[parent(Staff, on_delete = pull)]
    staff: i32,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "del_desks")]
struct Desk {
    #[serde(rename = "_id")]
    id: i32,
    #[refs(Staff, max = 10, on_delete = pull)]
    #[denorm(from = Staff, field = firm_name)]
    users: Vec<DeskUser>,
    #[parent(Staff, on_delete = unset)]
    owner: Option<i32>,
    #[embed(max = 5)]
    rows: Vec<Row>,
    #[embed(max = 5)]
    hooks: BTreeMap<String, Hook>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "del_badges")]
struct Badge {
    #[serde(rename = "_id")]
    id: i32,
    #[parent(Staff, on_delete = cascade, checked)]
    of: i32,
}

/// It refuses.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "del_bills")]
struct Bill {
    #[serde(rename = "_id")]
    id: i32,
    #[parent(Staff, checked)]
    of: i32,
}

const COLLECTIONS: [&str; 6] = [
    "del_firms",
    "del_towns",
    "del_staff",
    "del_desks",
    "del_badges",
    "del_bills",
];

const STEPS: [&str; 3] = ["a firm", "one of the staff", "many of the staff"];

/// Every point where a delete can stop.
const POINTS: [&str; 11] = [
    "before_d1",
    "mid_page",
    "after_page",
    "after_d1",
    "mid_d1",
    "after_freeze",
    "mid_d2",
    "after_d2",
    "before_d3",
    "after_d3",
    "mid_undo",
];

/// Two firms of three, each with a badge, a desk that two of them share, and a town.
async fn prepare(db: &Database) {
    for collection in COLLECTIONS {
        let all = db.collection::<Document>(collection);
        all.delete_many(doc! {}).await.expect("emptied");
    }
    let done = |done: mongo_model::Result<mongo_model::Outcome>| drop(done.expect("stored"));
    done(Town::insert(db, &Town { id: 1, staff: 0 }).await);
    for firm in 1..=2 {
        let name = format!("firm {firm}");
        done(
            Firm::insert(
                db,
                &Firm {
                    id: firm,
                    name: name.clone(),
                },
            )
            .await,
        );
        let staff: Vec<Staff> = (0..3)
            .map(|n| Staff {
                id: firm * 10 + n,
                firm,
                firm_name: name.clone(),
                town: 1,
            })
            .collect();
        done(Staff::insert_many(db, &staff).await);
        let badges: Vec<Badge> = staff
            .iter()
            .map(|one| Badge {
                id: one.id,
                of: one.id,
            })
            .collect();
        done(Badge::insert_many(db, &badges).await);
        let users = staff.iter().take(2);
        let users = users.map(|one| DeskUser {
            id: one.id,
            firm_name: name.clone(),
        });
        let seat = |n: i32| Seat {
            staff: firm * 10 + n,
            firm_name: name.clone(),
        };
        let desk = Desk {
            id: firm,
            users: users.collect(),
            owner: Some(firm * 10),
            rows: vec![
                Row {
                    seats: vec![seat(0), seat(2), seat(0)],
                    lamp: Some(seat(1)),
                },
                Row {
                    seats: vec![seat(1)],
                    lamp: Some(seat(0)),
                },
            ],
            hooks: (0..3)
                .map(|n| {
                    let staff = firm * 10 + n;
                    (format!("hook.{n}"), Hook { staff })
                })
                .collect(),
        };
        done(Desk::insert(db, &desk).await);
    }
    recover(db).await.expect("recovered");
}

async fn run(db: &Database, step: &str) -> mongo_model::Result<()> {
    if step == "a firm in a transaction" {
        transaction(db, async |tx| Firm::delete(db, 1).within(tx).await).await?;
        return Ok(());
    }
    alone(db, step).await
}

async fn alone(db: &Database, step: &str) -> mongo_model::Result<()> {
    match step {
        "a firm" => drop(Firm::delete(db, 1).await?),
        "one of the staff" => drop(Staff::delete(db, 10).await?),
        "many of the staff" => drop(Staff::delete_many(db, |s| s.id.lt(12)).await?),
        other => panic!("{other}"),
    }
    Ok(())
}

/// Every document without what is allowed to differ: the revisions, and what counters remember for a while.
async fn everything(db: &Database) -> Vec<(String, Document)> {
    let mut out = Vec::new();
    for name in COLLECTIONS {
        let all = db.collection::<Document>(name);
        let found = all.find(doc! {}).sort(doc! { "_id": 1 }).await;
        let found: Vec<Document> = found.expect("read").try_collect().await.expect("read");
        for mut document in found {
            if let Ok(dn) = document.get_document_mut("_dn") {
                dn.remove("r");
                dn.remove("k");
                assert!(dn.is_empty(), "{name}: {document}");
            }
            document.remove("_dn");
            strip(&mut document);
            out.push((name.to_owned(), document));
        }
    }
    out
}

/// Removes the revisions of copies, at any depth.
fn strip(document: &mut Document) {
    let own: Vec<String> = document
        .keys()
        .filter(|key| key.starts_with("_r"))
        .cloned()
        .collect();
    own.iter().for_each(|key| drop(document.remove(key)));
    for (_, value) in document.iter_mut() {
        match value {
            Bson::Document(inner) => strip(inner),
            Bson::Array(elements) => {
                let inner = elements.iter_mut().filter_map(Bson::as_document_mut);
                inner.for_each(strip);
            }
            _ => {}
        }
    }
}

/// After a recovery everything is as before the delete or as after it, nothing is flagged, and nothing leads nowhere.
async fn whole(
    db: &Database,
    before: &[(String, Document)],
    after: &[(String, Document)],
    what: &str,
) -> bool {
    let first = recover(db).await.expect("recovered");
    assert!(first.stuck.is_empty(), "{what}: {first:?}");
    let second = recover(db).await.expect("recovered");
    assert_eq!(second.deletes, 0, "{what}: {second:?}");
    let now = everything(db).await;
    let done = now == after;
    assert!(done || now == before, "{what}: {now:#?}");
    let verified = verify(db).await.expect("looked");
    assert!(verified.is_clean(), "{what}: {verified}");
    done
}

async fn every_fault(db: &Database, met: &mut BTreeMap<&'static str, usize>, steps: &[&str]) {
    let (mut finished, mut undone) = (0, 0);
    for step in steps {
        prepare(db).await;
        let before = everything(db).await;
        let passed = passed(&POINTS, run(db, step)).await;
        recover(db).await.expect("recovered");
        let after = everything(db).await;
        assert_ne!(before, after);
        for (name, times) in passed {
            *met.entry(name).or_default() += times;
            for fault in [Fault::Error, Fault::Drop] {
                let what = format!("{step}, {name}, {fault:?}");
                prepare(db).await;
                // After D3 and in a transaction's commit the delete stands.
                stopped(name, 0, fault, async || run(db, step).await).await;
                match whole(db, &before, &after, &what).await {
                    true => finished += 1,
                    false => undone += 1,
                }
                // And again: an undone delete is done now, a finished one finds no document.
                match run(db, step).await {
                    Ok(()) | Err(Error::NotFound { .. }) => {}
                    Err(error) => panic!("{what}: {error}"),
                }
                assert!(whole(db, &before, &after, &what).await, "{what}");
            }
        }
    }
    assert!(
        finished > 4 && undone > 4,
        "{finished} finished, {undone} undone"
    );
}

/// A bill comes between the look at everything and the first tombstone: the second look finds it, and everything is undone, also
/// where that stops half way.
async fn refused_late(db: &Database, uri: &str) {
    for step in STEPS {
        for stopped in [false, true] {
            prepare(db).await;
            let before = everything(db).await;
            let (at, arrived) = mpsc::channel();
            let (go, went) = mpsc::channel::<()>();
            let went = Mutex::new(went);
            let waits = move || {
                at.send(()).expect("waited for");
                let _ = went.lock().expect("alone").recv();
            };
            fail::cfg_callback(point("before_d1"), waits).expect("a point");
            if stopped {
                fail::cfg(point("mid_undo"), "return(error)").expect("an action");
            }
            // As another program would: what waits at a point blocks its thread.
            let deleting = std::thread::spawn({
                let (uri, name) = (uri.to_owned(), db.name().to_owned());
                move || {
                    let runtime = tokio::runtime::Builder::new_current_thread()
                        .enable_all()
                        .build();
                    runtime.expect("a runtime").block_on(async {
                        let client = mongodb::Client::with_uri_str(uri).await.expect("a client");
                        alone(&client.database(&name), step).await
                    })
                }
            });
            tokio::task::spawn_blocking(move || arrived.recv())
                .await
                .expect("joined")
                .expect("there");
            let bill = doc! { "_id": 1, "of": 10 };
            let bills = db.collection::<Document>("del_bills");
            bills.insert_one(bill).await.expect("stored");
            go.send(()).expect("waits");
            let done = tokio::task::spawn_blocking(move || deleting.join());
            let done = done.await.expect("joined").expect("no panic");
            assert_eq!(
                matches!(done, Err(Error::Referenced { .. })),
                !stopped,
                "{step}: {done:?}"
            );
            assert!(done.is_err());
            fail::remove(point("before_d1"));
            fail::remove(point("mid_undo"));
            let mut expected = before.clone();
            expected.push(("del_bills".to_owned(), doc! { "_id": 1, "of": 10 }));
            if !stopped {
                // When the call has returned, nothing is left of it, and no flag.
                assert_eq!(everything(db).await, expected, "{step}");
            }
            assert!(whole(db, &before, &expected, step).await);
            let refused = run(db, step).await;
            assert!(
                matches!(refused, Err(Error::Referenced { .. })),
                "{refused:?}"
            );
        }
    }
}

async fn on(topology: Topology) {
    let server = DevServer::shared(topology).await.expect("a server");
    let client = server.client().await.expect("a client");
    let db = client.database(&server.unique_db("deletes"));
    let models = [
        Firm::meta(),
        Town::meta(),
        Staff::meta(),
        Desk::meta(),
        Badge::meta(),
        Bill::meta(),
        deletes_paused::Shelf::meta(),
        deletes_paused::Book::meta(),
    ];
    sync_indexes(&db).models(&models).await.expect("indexes");
    let mut met = BTreeMap::new();
    let in_set = matches!(topology, Topology::ReplicaSet(_));
    let inside: &[&str] = if in_set {
        &["a firm in a transaction"]
    } else {
        &[]
    };
    every_fault(&db, &mut met, &[&STEPS, inside].concat()).await;
    // A point that no delete passes is not tested.
    let never: Vec<_> = POINTS
        .iter()
        .filter(|name| **name != "mid_undo" && !met.contains_key(*name))
        .collect();
    assert!(never.is_empty(), "{never:?}");
    refused_late(&db, server.uri()).await;
    deletes_paused::ended_between_tombstones(&db, server.uri()).await;
    deletes_paused::ended_after_a_look(&db, server.uri()).await;
    deletes_paused::stopped_before_it_is_certain(&db).await;
    deletes_paused::crossing(&db, server.uri()).await;
    db.drop().await.expect("dropped");
}

#[tokio::test]
async fn no_delete_stays_half_way() {
    side_by_side("no_delete_stays_half_way", &ON_BOTH, on).await;
}
