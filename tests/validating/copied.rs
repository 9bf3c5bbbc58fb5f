//! Checked models whose fields others copy, and that hold copies: their writes take several steps, and begin none that breaks a rule.

use mongo_model::{Error, MongoModel, Result};
use serde::{Deserialize, Serialize};

use crate::common::{Bench, on_both};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "checked_makers", check(low <= level))]
struct Maker {
    #[serde(rename = "_id")]
    id: i32,
    #[check(len = 2..=8)]
    name: String,
    #[check(range = 0..=5)]
    level: i32,
    low: i32,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "checked_cars", check(doors <= seats))]
struct Car {
    #[serde(rename = "_id")]
    id: i32,
    #[parent(Maker)]
    maker: i32,
    #[denorm(from = Maker, field = name)]
    maker_name: String,
    #[denorm(from = Maker, field = level)]
    maker_level: i32,
    #[check(range = 2..=5)]
    doors: i32,
    seats: i32,
}

fn maker(id: i32) -> Maker {
    Maker {
        id,
        name: format!("maker {id}"),
        level: 3,
        low: 1,
    }
}

fn car(id: i32, doors: i32) -> Car {
    Car {
        id,
        maker: 1,
        maker_name: String::new(),
        maker_level: 0,
        doors,
        seats: 4,
    }
}

#[track_caller]
fn broken<T: std::fmt::Debug>(result: Result<T>) -> Vec<String> {
    match result.expect_err("a rule is broken") {
        Error::Invalid { violations, .. } => violations.iter().map(ToString::to_string).collect(),
        other => panic!("{other:?}"),
    }
}

/// The copies of the car, and its doors.
async fn state(bench: &Bench) -> (String, i32, i32) {
    let car = Car::get(&bench.db, 1).await.expect("read").expect("there");
    bench.forget();
    (car.maker_name, car.maker_level, car.doors)
}

#[tokio::test]
async fn a_source_is_checked_before_its_copies_follow() {
    on_both("checked_sources", async |bench| {
        let db = &bench.db;
        bench.index(&[Maker::meta(), Car::meta()]).await;
        Maker::insert_many(db, [&maker(1), &maker(2)])
            .await
            .expect("stored");
        Car::insert(db, &car(1, 3)).settled().await.expect("stored");
        let before = ("maker 1".to_owned(), 3, 3);
        assert_eq!(state(bench).await, before);
        let update = || Maker::update(db, 1);
        let name = ["name must have a length of 2 to 8"];
        assert_eq!(broken(update().set(|m| m.name, "x").await), name);
        assert_eq!(bench.sent(), Vec::<String>::new());
        let level = ["level must be 0 to 5"];
        assert_eq!(broken(update().inc(|m| m.level, 3).await), level);
        let both = update().inc(|m| m.level, 3).returning().await;
        assert_eq!(broken(both), level);
        assert_eq!(
            broken(update().inc(|m| m.level, -3).await),
            ["low must meet `low <= level`"]
        );
        assert_eq!(state(bench).await, before, "no copy has changed");
        update()
            .inc(|m| m.level, 2)
            .set(|m| m.name, "new")
            .settled()
            .await
            .expect("changed");
        assert_eq!(state(bench).await, ("new".to_owned(), 5, 3));
        let wrong = Maker {
            level: 6,
            ..maker(1)
        };
        assert_eq!(broken(wrong.save(db).await), level);
        assert_eq!(state(bench).await, ("new".to_owned(), 5, 3));
    })
    .await;
}

#[tokio::test]
async fn a_document_that_holds_copies_is_checked_itself() {
    on_both("checked_targets", async |bench| {
        let db = &bench.db;
        bench.index(&[Maker::meta(), Car::meta()]).await;
        Maker::insert_many(db, [&maker(1), &maker(2)])
            .await
            .expect("stored");
        bench.forget();
        let both = ["doors must be 2 to 5", "doors must meet `doors <= seats`"];
        assert_eq!(broken(Car::insert(db, &car(1, 6)).await), both);
        assert_eq!(broken(car(1, 6).save(db).await), both);
        assert_eq!(broken(Car::upsert(db, &car(1, 6)).await), both);
        assert_eq!(bench.sent(), Vec::<String>::new());
        // A value in the place of a copy breaks no rule: the library replaces it by that of the source.
        let stands_for_copy = Car {
            maker_name: "far too long".to_owned(),
            maker_level: 9,
            ..car(1, 3)
        };
        Car::insert(db, &stands_for_copy)
            .settled()
            .await
            .expect("stored");
        assert_eq!(state(bench).await, ("maker 1".to_owned(), 3, 3));
        // A new reference takes the copies along: the whole update is refused.
        let moved = |by| Car::update(db, 1).set(|c| c.maker, 2).inc(|c| c.doors, by);
        assert_eq!(broken(moved(3).await), both);
        assert_eq!(broken(moved(-2).await), both[..1]);
        assert_eq!(state(bench).await, ("maker 1".to_owned(), 3, 3));
        moved(1).settled().await.expect("changed");
        assert_eq!(state(bench).await, ("maker 2".to_owned(), 3, 4));
    })
    .await;
}
