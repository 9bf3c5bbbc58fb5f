//! A child that comes back to a parent with a bound, while its delete still has to reach its own children.

use bson::oid::ObjectId;
use bson::{DateTime, doc};
use mongo_model::{Error, Id, MongoModel};
use serde::{Deserialize, Serialize};

use crate::common::{Bench, on_both};
use crate::keeping::settled::settled;

#[derive(Debug, Clone, Serialize, Deserialize, MongoModel)]
#[model(collection = "returned_rows")]
pub(crate) struct Row {
    #[serde(rename = "_id")]
    id: Id<Row, i64>,
    places: i64,
    #[count(Chair, max = places)]
    chairs: i64,
    #[refs(Chair, inverse = row, max = 2)]
    order: Vec<Id<Chair, i64>>,
}

#[derive(Debug, Clone, Serialize, Deserialize, MongoModel)]
#[model(collection = "returned_chairs", soft_delete)]
pub(crate) struct Chair {
    #[serde(rename = "_id")]
    id: Id<Chair, i64>,
    #[parent(Row, inverse = order)]
    row: Id<Row, i64>,
    #[deleted]
    #[serde(skip_serializing_if = "Option::is_none")]
    deleted: Option<DateTime>,
}

#[derive(Debug, Clone, Serialize, Deserialize, MongoModel)]
#[model(collection = "returned_cushions", soft_delete)]
pub(crate) struct Cushion {
    #[serde(rename = "_id")]
    id: Id<Cushion, i64>,
    #[parent(Chair, on_delete = cascade)]
    chair: Id<Chair, i64>,
    #[deleted]
    #[serde(skip_serializing_if = "Option::is_none")]
    deleted: Option<DateTime>,
}

fn key<M>(n: i64) -> Id<M, i64> {
    Id::from_raw(n)
}

fn chair(n: i64) -> Chair {
    Chair {
        id: key(n),
        row: key(1),
        deleted: None,
    }
}

/// A chair that is marked as deleted, and whose cushions are not marked yet.
async fn half_deleted(bench: &Bench, places: i64) {
    let models = [Row::meta(), Chair::meta(), Cushion::meta()];
    bench.index(&models).await;
    let row = Row {
        id: key(1),
        places,
        chairs: 0,
        order: Vec::new(),
    };
    Row::insert(&bench.db, &row).await.expect("stored");
    Chair::insert(&bench.db, &chair(1)).await.expect("stored");
    Chair::delete(&bench.db, key(1)).await.expect("deleted");
    settled(bench).await;
    let flag = doc! { "_dn.p": ["~mark"], "_dn.m": ObjectId::new() };
    let chairs = bench.raw("returned_chairs");
    let flagged = chairs.update_one(doc! { "_id": 1_i64 }, doc! { "$set": flag });
    assert_eq!(flagged.await.expect("flagged").modified_count, 1);
    bench.forget();
}

#[tokio::test]
async fn a_restore_that_finishes_a_delete_first_takes_a_place_then() {
    on_both("returned_again", async |bench| {
        half_deleted(bench, 1).await;
        Chair::insert(&bench.db, &chair(2)).await.expect("stored");
        returns_to_a_free_place(bench, "Row.chairs", 1).await;
    })
    .await;
    on_both("returned_in_order", async |bench| {
        half_deleted(bench, 9).await;
        let others = Chair::insert_many(&bench.db, [&chair(2), &chair(3)]);
        others.await.expect("stored");
        returns_to_a_free_place(bench, "Row.order", 2).await;
    })
    .await;
}

async fn returns_to_a_free_place(bench: &Bench, full: &str, places: i64) {
    let db = &bench.db;
    let refused = Chair::restore(db, key(1)).await.expect_err("full");
    assert!(
        matches!(&refused, Error::Full { field, max } if field == full && *max == places as u64),
        "{refused}"
    );
    check(bench, places).await;
    Chair::delete(db, key(2)).await.expect("deleted");
    check(bench, places - 1).await;
    Chair::restore(db, key(1)).await.expect("restored");
    check(bench, places).await;
}

/// The row has this many chairs, and no place waits for another one.
async fn check(bench: &Bench, chairs: i64) {
    settled(bench).await;
    let row = Row::get(&bench.db, key(1)).required().await.expect("a row");
    let live = Chair::scan(&bench.db, |c| c.all()).count().await;
    let live = live.expect("counted") as i64;
    assert_eq!(
        (row.chairs, row.order.len() as i64, live),
        (chairs, chairs, chairs)
    );
    let stored = bench.stored("returned_rows", 1_i64).await;
    let own = stored.get_document("_dn").expect("own fields");
    let counts = own.get_document("k").expect("counts");
    assert!(
        !counts.contains_key("r") && !own.contains_key("v"),
        "{stored}"
    );
}
