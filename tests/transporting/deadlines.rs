//! A call ends by its deadline, and says whether it may have written.

use std::time::{Duration, Instant};

use bson::doc;
use mongo_model::{Database, Deadline, Error, Id, MongoModel, Result, recover, verify};
use serde::{Deserialize, Serialize};

use super::dropped::Fragile;
use crate::common::number;

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "timed_makers")]
struct Maker {
    #[serde(rename = "_id")]
    id: Id<Maker>,
    name: String,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "timed_cars")]
struct Car {
    #[serde(rename = "_id")]
    id: Id<Car>,
    #[parent(Maker)]
    maker: Id<Maker>,
    #[denorm(from = Maker, field = name)]
    #[serde(default)]
    maker_name: String,
}

/// The time that the server waits before it runs a command, and deadlines before and after that.
const SLOW: Duration = Duration::from_secs(3);
const SOON: Duration = Duration::from_millis(300);
const LATE: Duration = Duration::from_secs(60);

async fn slow_down(set: &Fragile, times: i32, command: &str, by: Duration) {
    let wait = i64::try_from(by.as_millis()).expect("milliseconds");
    let data = doc! { "failCommands": [command], "blockConnection": true, "blockTimeMS": wait };
    set.fail(times, data).await;
}

/// The result of a call that ended at its deadline: whether it may have written.
#[track_caller]
fn exceeded<T: std::fmt::Debug>(done: Result<T>, began: Instant) -> bool {
    assert!(began.elapsed() < SLOW, "the call waited for the server");
    match done {
        Err(Error::DeadlineExceeded {
            limit,
            may_have_written,
        }) => {
            assert_eq!(limit, SOON);
            may_have_written
        }
        other => panic!("{other:?}"),
    }
}

async fn car(db: &Database) -> (Maker, Car) {
    let maker = Maker {
        id: Id::new(),
        name: "Lancia".to_owned(),
    };
    Maker::insert(db, &maker).await.expect("stored");
    let car = Car {
        id: Id::new(),
        maker: maker.id,
        maker_name: String::new(),
    };
    Car::insert(db, &car).settled().await.expect("stored");
    (maker, car)
}

#[tokio::test]
async fn reads_end_by_their_deadline() {
    let set = Fragile::new().await;
    let db = &set.db;
    let (maker, _) = car(db).await;
    drop(set.log.take());
    let found = Maker::get(db, maker.id)
        .deadline(LATE)
        .await
        .expect("in time");
    assert_eq!(found, Some(maker.clone()));
    let sent = set.log.take();
    let time = number(&sent[0].command["maxTimeMS"]);
    assert!((59_000..=60_000).contains(&time), "{time}");
    // The time of the call itself is shorter.
    let all = Maker::scan(db, |m| m.all()).max_time(Duration::from_millis(800));
    all.deadline(LATE).await.expect("in time");
    assert_eq!(number(&set.log.take()[0].command["maxTimeMS"]), 800);

    slow_down(&set, 1, "find", SLOW).await;
    let began = Instant::now();
    let found = Maker::get(db, maker.id).deadline(SOON).await;
    assert!(!exceeded(found, began));
    assert!(number(&set.log.take()[0].command["maxTimeMS"]) <= 300);

    // Several commands have one deadline, and inner calls end by the outer one.
    slow_down(&set, 9, "find", SOON / 2).await;
    let began = Instant::now();
    let twice = mongo_model::deadline(SOON, async {
        for _ in 0..9 {
            Maker::get(db, maker.id).deadline(LATE).await?;
        }
        Ok(())
    });
    assert!(!exceeded(twice.await, began));
    let sent = set.log.take();
    assert!((2..=3).contains(&sent.len()), "{sent:?}");
    slow_down(&set, 0, "find", SOON).await;
}

#[tokio::test]
async fn a_write_that_is_cut_off_is_finished_later() {
    let set = Fragile::new().await;
    let db = &set.db;
    let models = [Maker::meta(), Car::meta()];
    let indexed = mongo_model::sync_indexes(db).models(&models).await;
    indexed.expect("indexed");
    let (maker, car) = car(db).await;
    // Nothing was written yet.
    slow_down(&set, 1, "find", SLOW).await;
    let began = Instant::now();
    let nothing = mongo_model::deadline(SOON, async {
        Car::get(db, car.id).await?;
        Maker::update(db, maker.id).set(|m| m.name, "Fiat").await
    });
    assert!(!exceeded(nothing.await, began));

    // The document is changed, and its copies are not.
    slow_down(&set, 1, "update", SLOW).await;
    let began = Instant::now();
    let renamed = Maker::update(db, maker.id).set(|m| m.name, "Alfa Romeo");
    assert!(exceeded(renamed.deadline(SOON).await, began));
    slow_down(&set, 0, "update", SLOW).await;
    recover(db).await.expect("recovered");
    let found = verify(db).only::<Car>().await.expect("verified");
    assert!(found.is_settled(), "{found}");
    let found = Car::get(db, car.id).required().await.expect("found");
    let maker = Maker::get(db, maker.id).required().await.expect("found");
    assert_eq!(maker.name, "Alfa Romeo");
    assert_eq!(found.maker_name, maker.name);

    // In time, a write with a deadline is one without.
    let renamed = Maker::update(db, maker.id).set(|m| m.name, "Lancia");
    let renamed = renamed.deadline(LATE).await.expect("in time");
    assert_eq!(renamed.matched, 1);
    let inserted =
        Maker::insert(db, &maker).write_concern(mongodb::options::WriteConcern::majority());
    let error = inserted.deadline(LATE).await.expect_err("a duplicate");
    assert!(matches!(error, Error::Duplicate { .. }), "{error}");
}
