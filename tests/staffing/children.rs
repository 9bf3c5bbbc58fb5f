//! Derived data of a parent whose children have variants, and the references between them.

use bson::doc;
use mongo_model::{MongoEmbed, MongoModel, recover, verify};
use serde::{Deserialize, Serialize};

use crate::common::{Bench, alone, on_both};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "crews")]
pub struct Crew {
    #[serde(rename = "_id")]
    pub id: i32,
    pub name: String,
    #[count(Worker)]
    pub size: i64,
    #[recent(Worker, max = 2, sort = -since, fields(name))]
    pub newest: Vec<NewestWorker>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[serde(tag = "kind")]
#[model(collection = "workers", common(name, crew, since))]
pub enum Worker {
    Smith(Smith),
    Cook(Cook),
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoEmbed)]
pub struct Smith {
    #[serde(rename = "_id")]
    pub id: i32,
    pub name: String,
    #[parent(Crew)]
    pub crew: i32,
    pub since: i64,
    /// Other kinds have none.
    #[parent(Worker)]
    pub master: Option<i32>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoEmbed)]
pub struct Cook {
    #[serde(rename = "_id")]
    pub id: i32,
    pub name: String,
    #[parent(Crew)]
    pub crew: i32,
    pub since: i64,
    pub stars: i32,
}

fn smith(id: i32, crew: i32, master: Option<i32>) -> Worker {
    Worker::Smith(Smith {
        id,
        name: format!("smith {id}"),
        crew,
        since: i64::from(id),
        master,
    })
}

fn cook(id: i32, crew: i32) -> Worker {
    Worker::Cook(Cook {
        id,
        name: format!("cook {id}"),
        crew,
        since: i64::from(id),
        stars: 1,
    })
}

async fn start(bench: &Bench) {
    bench.index(&[Crew::meta(), Worker::meta()]).await;
    let crew = |id| Crew {
        id,
        name: format!("crew {id}"),
        size: 0,
        newest: Vec::new(),
    };
    Crew::insert_many(&bench.db, &[crew(1), crew(2)])
        .await
        .expect("stored");
    bench.forget();
}

/// The number of a crew's workers, and the names of the newest.
async fn kept(bench: &Bench, id: i32) -> (i64, Vec<String>) {
    recover(&bench.db).await.expect("recovered");
    let crew = Crew::get(&bench.db, id)
        .await
        .expect("read")
        .expect("there");
    let report = verify(&bench.db).only::<Crew>().only::<Worker>().await;
    let report = report.expect("verified");
    assert!(report.is_clean(), "{report:?}");
    bench.forget();
    let names = crew.newest.into_iter().map(|worker| worker.name);
    (crew.size, names.collect())
}

#[tokio::test]
async fn what_is_kept_of_children_follows_every_kind() {
    on_both("staff_kept", async |bench| {
        let db = &bench.db;
        start(bench).await;
        let first = [smith(1, 1, None), cook(2, 1), smith(3, 2, Some(1))];
        Worker::insert_many(db, &first).await.expect("stored");
        Worker::insert(db, &cook(4, 1)).await.expect("stored");
        assert_eq!(
            kept(bench, 1).await,
            (3, vec!["cook 4".to_owned(), "cook 2".to_owned()])
        );
        assert_eq!(kept(bench, 2).await, (1, vec!["smith 3".to_owned()]));
        // Moved, renamed, and become of another kind by a save.
        Worker::update(db, 4)
            .set(|w| w.crew, 2)
            .await
            .expect("moved");
        Worker::update(db, 2)
            .set(|w| w.name, "chef")
            .await
            .expect("renamed");
        assert_eq!(
            kept(bench, 1).await,
            (2, vec!["chef".to_owned(), "smith 1".to_owned()])
        );
        assert_eq!(
            kept(bench, 2).await,
            (2, vec!["cook 4".to_owned(), "smith 3".to_owned()])
        );
        smith(4, 1, Some(1)).save(db).await.expect("saved");
        assert_eq!(
            bench.stored("workers", 4).await.get_str("kind").ok(),
            Some("Smith")
        );
        assert!(!bench.stored("workers", 4).await.contains_key("stars"));
        assert_eq!(
            kept(bench, 1).await,
            (3, vec!["smith 4".to_owned(), "chef".to_owned()])
        );
        assert_eq!(kept(bench, 2).await, (1, vec!["smith 3".to_owned()]));
        // A change that is another variant's is none.
        let other = Worker::update(db, 2).set(|w| w.smith.master, Some(1)).await;
        assert!(other.is_err(), "{other:?}");
        Worker::delete(db, 2).await.expect("deleted");
        Worker::delete_many(db, |w| w.smith.master.eq(1))
            .await
            .expect("deleted");
        assert_eq!(kept(bench, 1).await, (1, vec!["smith 1".to_owned()]));
        assert_eq!(kept(bench, 2).await, (0, vec![]));
    })
    .await;
}

#[tokio::test]
async fn what_stopped_half_way_is_counted_by_recover() {
    on_both("staff_half_way", async |bench| {
        let db = &bench.db;
        start(bench).await;
        Worker::insert(db, &smith(1, 1, None))
            .await
            .expect("stored");
        // As a program leaves it that stops behind its insert.
        let (kind, token) = ("Cook", bson::oid::ObjectId::new());
        let late = doc! {
            "_id": 2, "kind": kind, "name": "late", "crew": 1, "since": 2_i64, "stars": 1,
            "_dn": { "r": 2, "c": [{ "t": token, "to": { "crew": 1 } }] },
        };
        bench.seed("workers", [late]).await;
        assert_eq!(recover(db).await.expect("recovered").counted, 1);
        Crew::rebuild_newest(db, 1).await.expect("rebuilt");
        assert_eq!(kept(bench, 1).await.0, 2);
        assert_eq!(kept(bench, 1).await.1, ["late", "smith 1"]);
        // A recount corrects a count that another program overwrote.
        let garbage = doc! { "$set": { "size": 9_i64 } };
        let crews = bench.raw("crews");
        crews
            .update_one(doc! { "_id": 1 }, garbage)
            .await
            .expect("written");
        Crew::recount_size(db, 1).await.expect("counted");
        assert_eq!(kept(bench, 1).await.0, 2);
    })
    .await;
}

#[tokio::test]
async fn references_of_variants_lead_both_ways() {
    alone("staff_ways", async |bench| {
        let db = &bench.db;
        start(bench).await;
        let all = [
            smith(1, 1, None),
            cook(2, 1),
            smith(3, 2, Some(1)),
            smith(4, 1, Some(3)),
        ];
        for worker in &all {
            Worker::insert(db, worker).await.expect("stored");
        }
        bench.forget();
        // By a reference that all variants have: every variant is found.
        let mut found = Worker::by(db, |w| w.crew, 1).await.expect("found");
        let plan = bench.plan().await;
        assert_eq!(plan.indexes, [["crew", "_id"]], "{plan:?}");
        found.sort_by_key(|worker| *worker.id());
        assert_eq!(found, [smith(1, 1, None), cook(2, 1), smith(4, 1, Some(3))]);
        let few = Worker::by(db, |w| w.crew, 1).count().await;
        assert_eq!(few.expect("counted"), 3);
        // By a reference of one variant: only that variant is found, from the index of that reference.
        bench.forget();
        let found = Worker::by(db, |w| w.smith.master, 1).await.expect("found");
        assert_eq!(found, [smith(3, 2, Some(1))]);
        let plan = bench.plan().await;
        assert_eq!(plan.indexes, [["master", "_id"]], "{plan:?}");
        // From workers to their masters, and on from there.
        let workers = Worker::scan(db, |w| w.all()).sort(|w| w.id.asc()).await;
        let workers = workers.expect("read");
        bench.forget();
        let masters = Worker::load(db, &workers, |w| w.smith.master).await;
        let masters = masters.expect("loaded");
        assert_eq!(bench.sent(), ["find"]);
        let found: Vec<Option<&Worker>> = masters
            .iter()
            .map(|(_, master)| master.values().first())
            .collect();
        assert_eq!(found, [None, None, Some(&all[0]), Some(&all[2])]);
        let crews =
            Worker::find(db, |w| w.crew.eq(1)).join(|db, some| Worker::load(db, some, |w| w.crew));
        let crews = crews.await.expect("loaded");
        assert_eq!(bench.sent(), ["find", "find"]);
        assert_eq!(crews.len(), 3);
    })
    .await;
}
