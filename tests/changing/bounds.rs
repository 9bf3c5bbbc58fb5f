//! A full array stays full: the write itself keeps the bound.

use bson::doc;
use mongo_model::{Error, MongoModel, Outcome, Result};
use serde::{Deserialize, Serialize};
use tokio::task::JoinSet;

use crate::changing::{CHANGED, Home, Thing, array, line, strings, thing};
use crate::common::{alone, on_both};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "boxes")]
struct Box {
    #[serde(rename = "_id")]
    id: i32,
    #[embed(max = 200)]
    items: Vec<i64>,
    #[embed(max = 150)]
    set: Vec<i64>,
}

#[track_caller]
fn assert_full(result: Result<Outcome>, expected: &str, bound: u64) {
    let Err(Error::Full { field, max }) = &result else {
        panic!("{result:?}");
    };
    assert_eq!((field.as_str(), *max), (expected, bound));
}

#[tokio::test]
async fn pushes_stop_exactly_at_the_bound() {
    on_both("bound", async |bench| {
        let db = &bench.db;
        Thing::insert(db, &thing(1)).await.expect("stored");
        let pushed = Thing::update(db, 1)
            .push_all(|t| t.tags, ["a", "b", "c"])
            .await;
        assert_eq!(pushed.expect("fits"), CHANGED);
        bench.forget();
        assert_full(
            Thing::update(db, 1)
                .push_all(|t| t.tags, ["d", "e", "f"])
                .await,
            "Thing.tags",
            5,
        );
        assert_eq!(bench.sent(), ["update", "find"], "one look at why");
        assert_eq!(
            array(&bench.stored("things", 1).await, "tags").len(),
            3,
            "all or nothing"
        );
        let pushed = Thing::update(db, 1).push_all(|t| t.tags, ["d", "e"]).await;
        assert_eq!(pushed.expect("fits exactly"), CHANGED);
        assert_full(
            Thing::update(db, 1)
                .push(|t| t.tags, "f")
                .inc(|t| t.count, 1)
                .await,
            "Thing.tags",
            5,
        );
        let found = Thing::get(db, 1).await.expect("read").expect("there");
        assert_eq!(found.tags, strings(&["a", "b", "c", "d", "e"]));
        assert_eq!(
            found.count, 10,
            "the rest of a refused update is not applied"
        );
        Thing::update(db, 1)
            .pop_last(|t| t.tags)
            .await
            .expect("popped");
        let pushed = Thing::update(db, 1).push(|t| t.tags, "g").await;
        assert_eq!(pushed.expect("room again"), CHANGED);
    })
    .await;
}

#[tokio::test]
async fn a_bound_inside_a_document_is_kept() {
    alone("inside", async |bench| {
        let db = &bench.db;
        let home = Home {
            city: "Rome".to_owned(),
            rooms: strings(&["a", "b"]),
        };
        let stored = Thing {
            home: Some(home),
            ..thing(1)
        };
        Thing::insert(db, &stored).await.expect("stored");
        assert_full(
            Thing::update(db, 1).push(|t| t.home.rooms, "c").await,
            "Thing.home.r",
            2,
        );
        let set = Thing {
            lines: vec![line("x", 1); 3],
            ..thing(2)
        };
        Thing::insert(db, &set).await.expect("stored");
        assert_full(
            Thing::update(db, 2).push(|t| t.lines, line("y", 1)).await,
            "Thing.lines",
            3,
        );
    })
    .await;
}

#[tokio::test]
async fn twenty_writers_stop_exactly_at_the_bound() {
    on_both("writers", async |bench| {
        let empty = Box {
            id: 1,
            items: vec![],
            set: vec![],
        };
        Box::insert(&bench.db, &empty).await.expect("stored");
        let mut writers = JoinSet::new();
        for writer in 0..20_i64 {
            let db = bench.db.clone();
            writers.spawn(async move {
                let mut pushed = 0;
                for n in 0..15 {
                    match Box::update(&db, 1)
                        .push(|b| b.items, writer * 100 + n)
                        .await
                    {
                        Ok(done) if done == CHANGED => pushed += 1,
                        Err(Error::Full { max: 200, .. }) => {}
                        other => panic!("{other:?}"),
                    }
                }
                pushed
            });
        }
        let pushed: i32 = writers.join_all().await.into_iter().sum();
        assert_eq!(pushed, 200);
        let mut items = Box::get(&bench.db, 1)
            .await
            .expect("read")
            .expect("there")
            .items;
        items.sort_unstable();
        items.dedup();
        assert_eq!(items.len(), 200, "each that was pushed is there once");
    })
    .await;
}

#[tokio::test]
async fn twenty_writers_of_a_set_add_each_value_once() {
    on_both("set_writers", async |bench| {
        let empty = Box {
            id: 1,
            items: vec![],
            set: vec![],
        };
        Box::insert(&bench.db, &empty).await.expect("stored");
        let mut writers = JoinSet::new();
        for writer in 0..20_i64 {
            let db = bench.db.clone();
            writers.spawn(async move {
                let mut full = 0;
                for n in 0..10 {
                    // Neighbours want five of the same values, so that 105 are wanted in all.
                    match Box::update(&db, 1)
                        .add_to_set(|b| b.set, writer * 5 + n)
                        .await
                    {
                        Ok(Outcome { matched: 1, .. }) => {}
                        Err(Error::Full { .. }) => full += 1,
                        other => panic!("{other:?}"),
                    }
                }
                full
            });
        }
        assert_eq!(writers.join_all().await.into_iter().sum::<i32>(), 0);
        let mut set = Box::get(&bench.db, 1)
            .await
            .expect("read")
            .expect("there")
            .set;
        set.sort_unstable();
        assert_eq!(set, (0..105).collect::<Vec<i64>>());
    })
    .await;
}

#[tokio::test]
async fn an_array_that_another_program_overfilled_can_shrink_but_not_grow() {
    alone("overfull", async |bench| {
        let db = &bench.db;
        bench
            .seed("things", [doc! { "_id": 1, "tags": vec!["x"; 9] }])
            .await;
        assert_full(
            Thing::update(db, 1).push(|t| t.tags, "y").await,
            "Thing.tags",
            5,
        );
        Thing::update(db, 1)
            .pop_first(|t| t.tags)
            .await
            .expect("popped");
        assert_eq!(array(&bench.stored("things", 1).await, "tags").len(), 8);
    })
    .await;
}
