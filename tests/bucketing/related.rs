//! Buckets that take part in what the library keeps: copies of their parent, what the parent keeps of them, and what others copy.

use bson::doc;
use mongo_model::{BucketId, Id, MongoEmbed, MongoModel, recover};
use serde::{Deserialize, Serialize};

use crate::common::on_both;

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "sensors")]
pub struct Sensor {
    #[serde(rename = "_id")]
    pub id: Id<Sensor>,
    pub place: String,
    #[count(Readings)]
    pub pages: i64,
    #[recent(Readings, max = 2, sort = opened, fields(opened))]
    pub last_pages: Vec<RecentReadings>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoEmbed)]
pub struct Reading {
    pub id: i64,
    #[parent(Unit)]
    pub unit: Option<Id<Unit>>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "units")]
pub struct Unit {
    #[serde(rename = "_id")]
    pub id: Id<Unit>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "readings", bucket(readings))]
pub struct Readings {
    #[serde(rename = "_id")]
    pub id: BucketId<Sensor>,
    #[parent(Sensor, on_delete = cascade)]
    pub sensor: Id<Sensor>,
    #[denorm(from = Sensor, field = place)]
    pub place: String,
    pub count: i64,
    #[embed(max = 4)]
    pub readings: Vec<Reading>,
    pub opened: i64,
}

/// Copies the number of a bucket's items.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "watches")]
pub struct Watch {
    #[serde(rename = "_id")]
    pub id: Id<Watch>,
    #[parent(Readings)]
    pub page: BucketId<Sensor>,
    #[denorm(from = Readings, field = count)]
    pub items: i64,
}

fn reading(id: i64) -> Reading {
    Reading { id, unit: None }
}

#[tokio::test]
async fn what_the_library_keeps_is_kept() {
    on_both("bucket_related", async |bench| {
        let db = &bench.db;
        bench
            .index(&[
                Sensor::meta(),
                Readings::meta(),
                Unit::meta(),
                Watch::meta(),
            ])
            .await;
        let sensor = Sensor {
            id: Id::new(),
            place: "roof".to_owned(),
            pages: 0,
            last_pages: Vec::new(),
        };
        Sensor::insert(db, &sensor).await.expect("stored");
        // Opened with the copy of its parent, and counted and listed by it.
        Readings::push(db, sensor.id, reading(0))
            .await
            .expect("stored");
        let first = Readings::page(db, sensor.id, 0)
            .await
            .expect("read")
            .expect("opened");
        assert_eq!((first.place.as_str(), first.count), ("roof", 1));
        Readings::push_many(db, sensor.id, (1..11).map(reading))
            .await
            .expect("stored");
        let kept = Sensor::get(db, sensor.id)
            .await
            .expect("read")
            .expect("there");
        assert_eq!((kept.pages, kept.last_pages.len()), (3, 2));
        // Copies follow; the number of items that it took is not copied.
        Sensor::update(db, sensor.id)
            .set(|s| s.place, "cellar")
            .await
            .expect("changed");
        let pages = Readings::by_sensor(db, sensor.id).await.expect("read");
        assert!(pages.iter().all(|page| page.place == "cellar"));
        for (n, taken) in [(0, 4), (1, 4), (2, 3)] {
            let id = doc! { "h": sensor.id.as_raw(), "s": i64::from(n) };
            let stored = bench.stored("readings", id).await;
            let marks = stored.get_document("_dn").expect("marks");
            assert_eq!(marks.get_i64("n").ok(), Some(taken), "{stored}");
        }
        // Others copy the number, and it follows the items.
        let page = BucketId::new(sensor.id, 2);
        let watch = Watch {
            id: Id::new(),
            page,
            items: 0,
        };
        Watch::insert(db, &watch).await.expect("stored");
        let seen = async || {
            Watch::get(db, watch.id)
                .await
                .expect("read")
                .expect("there")
                .items
        };
        assert_eq!(seen().await, 3);
        Readings::push(db, sensor.id, reading(20))
            .await
            .expect("stored");
        assert_eq!(seen().await, 4);
        Readings::remove_item(db, sensor.id, &9)
            .await
            .expect("removed");
        assert_eq!(seen().await, 3);
        // A bucket that is full of takings rather than of items.
        let done = Readings::push(db, sensor.id, reading(21))
            .await
            .expect("stored");
        assert_eq!(done.sequence, 3);
        let left = recover(db).await.expect("looked");
        assert_eq!((left.sources, left.targets), (0, 0), "{left:?}");
        Watch::delete(db, watch.id).await.expect("deleted");
        let gone = Sensor::delete(db, sensor.id).await.expect("deleted");
        assert_eq!(gone.cascaded, 4);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn many_open_related_buckets_at_the_same_time() {
    on_both("bucket_related_race", async |bench| {
        bench
            .index(&[
                Sensor::meta(),
                Readings::meta(),
                Unit::meta(),
                Watch::meta(),
            ])
            .await;
        let sensor = Sensor {
            id: Id::new(),
            place: "roof".to_owned(),
            pages: 0,
            last_pages: Vec::new(),
        };
        Sensor::insert(&bench.db, &sensor).await.expect("stored");
        let tasks = (0..4).map(|task| {
            let db = bench.db.clone();
            tokio::spawn(async move {
                for n in 0..15 {
                    let done = Readings::push(&db, sensor.id, reading(task * 15 + n)).await;
                    assert!(done.expect("stored").added);
                }
            })
        });
        for task in tasks.collect::<Vec<_>>() {
            task.await.expect("done");
        }
        recover(&bench.db).await.expect("looked");
        let kept = Sensor::get(&bench.db, sensor.id)
            .await
            .expect("read")
            .expect("there");
        assert_eq!((kept.pages, kept.last_pages.len()), (15, 2));
        let pages = Readings::by_sensor(&bench.db, sensor.id)
            .await
            .expect("read");
        assert!(
            pages
                .iter()
                .all(|page| page.count == 4 && page.place == "roof")
        );
    })
    .await;
}
