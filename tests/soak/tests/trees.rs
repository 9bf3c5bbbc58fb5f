//! Moves in a tree whose program stops at any point, and inserts that stop beside them: the ancestors end right.

use std::sync::{Arc, Condvar};

use bson::{Document, doc};
use mongo_model::{Database, Error, MongoModel, recover, settle, sync_indexes, verify};
use mongo_model_dev_server::{DevServer, Topology};
use mongo_model_soak::points::{FAULTS, Fault, point, stopped};
use serde::{Deserialize, Serialize};
use tokio::sync::Mutex;

#[derive(Debug, Clone, Serialize, Deserialize, MongoModel)]
#[model(collection = "boxes")]
struct Box {
    #[serde(rename = "_id")]
    id: String,
    #[parent(Box, tree(depth = 12))]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    inside: Option<String>,
    #[ancestors]
    path: Vec<String>,
    #[count(Box)]
    #[serde(default)]
    boxes: i64,
}

/// Fault points are the process's.
static POINTS: Mutex<()> = Mutex::const_new(());

/// Where a move can stop, in order.
const OF_MOVES: [&str; 9] = [
    "after_t",
    "before_v",
    "after_v",
    "before_w1",
    "after_w1",
    "after_n",
    "mid_s",
    "after_s",
    "after_e",
];

fn small(id: &str, inside: Option<&str>) -> Box {
    Box {
        id: id.to_owned(),
        inside: inside.map(str::to_owned),
        path: Vec::new(),
        boxes: 0,
    }
}

/// `a` with `b` with `c` in it, and `d` with `e`.
async fn boxes(topology: Topology) -> Database {
    let server = DevServer::shared(topology).await.expect("a server");
    let client = server.client().await.expect("a client");
    let db = client.database(&server.unique_db("trees"));
    sync_indexes(&db)
        .models(&[Box::meta()])
        .await
        .expect("indexes");
    let all = [
        small("a", None),
        small("b", Some("a")),
        small("c", Some("b")),
        small("d", None),
        small("e", Some("d")),
    ];
    Box::insert_many(&db, &all).settled().await.expect("stored");
    db
}

async fn move_b(db: &Database, to: &str) -> mongo_model::Result<()> {
    let moved = Box::move_to(db, "b", Some(to.to_owned())).settled().await;
    moved.map(drop)
}

/// Finishes what is left, and compares all ancestors with the parents.
async fn assert_settled(db: &Database, what: &str) {
    settle(db).await;
    recover(db).await.expect("recovered");
    let again = recover(db).await.expect("recovered");
    assert!(again.is_idle(), "{what}: {again:?}");
    let found = verify(db).await.expect("verified");
    assert!(found.is_clean(), "{what}: {found}");
    let trees = db.collection::<Document>("_dn.trees");
    let moving = trees.count_documents(doc! { "moving": { "$exists": true } });
    assert_eq!(moving.await.expect("counted"), 0, "{what}");
}

async fn path(db: &Database, id: &str) -> Vec<String> {
    Box::get(db, id).await.expect("read").expect("stored").path
}

#[tokio::test(flavor = "multi_thread")]
async fn a_move_that_stops_anywhere_is_finished() {
    let _points = POINTS.lock().await;
    for topology in [Topology::Standalone, Topology::ReplicaSet(1)] {
        for (n, at) in OF_MOVES.into_iter().enumerate() {
            // Each of the two servers gets another fault.
            let fault = FAULTS[(n + usize::from(topology == Topology::Standalone)) % FAULTS.len()];
            let db = boxes(topology).await;
            let what = format!("{at} {fault:?}");
            let again = stopped(at, 0, fault, async || move_b(&db, "e").await).await;
            if let Some(again) = again {
                again.unwrap_or_else(|error| panic!("{what}: {error}"));
            }
            // Inserts below it, and moves of others, go on.
            let new = Box::insert(&db, &small("n", Some("c"))).await;
            new.unwrap_or_else(|error| panic!("{what}: {error}"));
            if fault == Fault::Drop {
                let other = Box::move_to(&db, "d", None).await;
                other.unwrap_or_else(|error| panic!("{what}: {error}"));
            }
            assert_settled(&db, &what).await;
            assert_eq!(path(&db, "c").await, ["d", "e", "b"], "{what}");
            assert_eq!(path(&db, "n").await, ["d", "e", "b", "c"], "{what}");
            db.drop().await.expect("dropped");
        }
    }
}

/// An insert stops after each of its steps, and the move runs meanwhile.
#[tokio::test(flavor = "multi_thread")]
async fn an_insert_that_stops_beside_a_move_gets_the_right_ancestors() {
    let _points = POINTS.lock().await;
    for topology in [Topology::Standalone, Topology::ReplicaSet(1)] {
        for at in ["before_i1", "after_i1", "after_i2", "after_place"] {
            if topology != Topology::Standalone && at != "after_i1" {
                continue;
            }
            let db = boxes(topology).await;
            if at == "after_place" {
                move_b(&db, "d").await.expect("moved");
            }
            let insert = async || {
                let inserted = Box::insert(&db, &small("n", Some("c"))).settled().await;
                inserted.map(drop)
            };
            stopped(at, 0, Fault::Drop, insert).await;
            let below = Box::insert(&db, &small("m", Some("n"))).await;
            assert_eq!(
                matches!(below, Err(Error::Dangling { .. })),
                at == "before_i1",
                "{at}: {below:?}"
            );
            move_b(&db, "e").await.expect("moved");
            assert_settled(&db, at).await;
            assert_eq!(path(&db, "c").await, ["d", "e", "b"], "{at}");
            db.drop().await.expect("dropped");
        }
    }
}

/// Runs a move that stands at a point until `meanwhile` has run: its later commands are late.
async fn late(db: &Database, at: &str, meanwhile: impl AsyncFnOnce()) -> mongo_model::Result<()> {
    let gate = Arc::new((std::sync::Mutex::new(false), Condvar::new()));
    let (reached, arrived) = tokio::sync::oneshot::channel();
    let (held, reached) = (Arc::clone(&gate), std::sync::Mutex::new(Some(reached)));
    let stand = move || {
        let Some(first) = reached.lock().expect("no panic").take() else {
            return;
        };
        first.send(()).expect("awaited");
        // The other tasks of this thread go on.
        tokio::task::block_in_place(|| {
            let (open, opened) = &*held;
            let open = open.lock().expect("no panic");
            drop(opened.wait_while(open, |open| !*open).expect("no panic"));
        });
    };
    fail::cfg_callback(point(at), stand).expect("a point");
    let slow = tokio::spawn({
        let db = db.clone();
        async move { move_b(&db, "e").await }
    });
    arrived.await.expect("it stands");
    fail::remove(point(at));
    meanwhile().await;
    *gate.0.lock().expect("no panic") = true;
    gate.1.notify_all();
    slow.await.expect("no panic")
}

/// A move stands at each point while another program finishes it, and begins others.
#[tokio::test(flavor = "multi_thread")]
async fn moves_that_cross_make_no_ring_wherever_one_is_late() {
    let _points = POINTS.lock().await;
    let some = ["after_t", "mid_s"];
    let all = OF_MOVES.map(|at| (Topology::Standalone, at));
    for (topology, at) in all
        .into_iter()
        .chain(some.map(|at| (Topology::ReplicaSet(1), at)))
    {
        let db = boxes(topology).await;
        let slow = late(&db, at, async || {
            let new = Box::insert(&db, &small("n", Some("c"))).await;
            new.unwrap_or_else(|error| panic!("{at}: {error}"));
            let crossing = Box::move_to(&db, "d", Some("c".to_owned())).await;
            assert!(
                matches!(crossing, Err(Error::BelowItself { .. })),
                "{at}: {crossing:?}"
            );
            let away = Box::move_to(&db, "e", None).await;
            away.unwrap_or_else(|error| panic!("{at}: {error}"));
        });
        let slow = slow.await;
        slow.unwrap_or_else(|error| panic!("{at}: {error}"));
        assert_settled(&db, at).await;
        assert_eq!(path(&db, "n").await, ["e", "b", "c"], "{at}");
        db.drop().await.expect("dropped");
    }
}
