//! Compare and swap by values.

use bson::doc;
use mongo_model::update::Swapped;
use mongo_model::{Error, MongoModel};
use serde::{Deserialize, Serialize};

use crate::common::{alone, on_both};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "seats")]
pub struct Seat {
    #[serde(rename = "_id")]
    pub id: i32,
    pub taken_by: Option<String>,
    pub free: i64,
    #[embed(max = 2)]
    pub waiting: Vec<String>,
}

fn seat() -> Seat {
    Seat {
        id: 1,
        taken_by: None,
        free: 5,
        waiting: Vec::new(),
    }
}

#[tokio::test]
async fn one_of_two_takes_the_seat() {
    on_both("values_seat", async |bench| {
        let db = &bench.db;
        Seat::insert(db, &seat()).await.expect("stored");
        bench.forget();
        let take = |who: &'static str| {
            Seat::update(db, 1)
                .only_if(|s| s.taken_by.is_none())
                .only_if(|s| s.free.gte(5))
                .set(|s| s.taken_by, who)
                .inc(|s| s.free, -1)
        };
        let first = take("ann").await.expect("sent");
        assert!(first.is_done());
        assert_eq!(first.done().map(|done| done.modified), Some(1));
        let sent = bench.only();
        let update = sent.get_array("updates").expect("updates")[0].as_document();
        assert_eq!(
            *update.expect("one").get_document("q").expect("a filter"),
            doc! { "$and": [{ "_id": 1 }, { "taken_by": { "$eq": null } }, { "free": { "$gte": 5_i64 } }] }
        );
        let Swapped::Not(current) = take("bob").await.expect("sent") else {
            panic!("taken twice");
        };
        assert_eq!(bench.sent(), ["update", "find"]);
        assert_eq!(current.taken_by.as_deref(), Some("ann"));
        assert_eq!(current.free, 4);

        let gone = Seat::update(db, 2)
            .only_if(|s| s.free.eq(4))
            .inc(|s| s.free, -1)
            .await;
        assert!(matches!(gone, Err(Error::NotFound { .. })));
    })
    .await;
}

#[tokio::test]
async fn many_take_what_there_is_and_no_more() {
    alone("values_many", async |bench| {
        let db = &bench.db;
        Seat::insert(db, &seat()).await.expect("stored");
        let workers = (0..16).map(|_| {
            let db = db.clone();
            tokio::spawn(async move {
                let took = Seat::update(&db, 1)
                    .only_if(|s| s.free.gt(0))
                    .inc(|s| s.free, -1);
                took.await.expect("sent").is_done()
            })
        });
        let mut took = 0;
        for worker in workers.collect::<Vec<_>>() {
            took += u32::from(worker.await.expect("ended"));
        }
        assert_eq!(took, 5);
        assert_eq!(bench.stored("seats", 1).await.get_i64("free").ok(), Some(0));
    })
    .await;
}

/// A condition and a bound: the result shows which of them failed.
#[tokio::test]
async fn full_is_not_the_same_as_not() {
    alone("values_full", async |bench| {
        let db = &bench.db;
        Seat::insert(db, &seat()).await.expect("stored");
        let wait = |free: i64, who: &'static str| {
            Seat::update(db, 1)
                .only_if(move |s| s.free.eq(free))
                .push(|s| s.waiting, who)
        };
        assert!(wait(5, "ann").await.expect("sent").is_done());
        assert!(!wait(4, "bob").await.expect("sent").is_done());
        assert!(wait(5, "bob").await.expect("sent").is_done());
        let full = wait(5, "cat").await;
        assert!(matches!(full, Err(Error::Full { max: 2, .. })), "{full:?}");
        // Full, and the condition fails: the condition is checked first.
        let not = wait(4, "cat")
            .await
            .expect("sent")
            .current()
            .expect("in the way");
        assert_eq!(not.waiting, ["ann", "bob"]);
    })
    .await;
}
