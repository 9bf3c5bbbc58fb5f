//! The future of a call is moved several times before it is polled first, so calls on one document keep theirs small.

use std::future::IntoFuture;

use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

use crate::common;

#[derive(Debug, Clone, Serialize, Deserialize, MongoModel)]
#[model(collection = "future_gears")]
struct Gear {
    #[serde(rename = "_id")]
    id: Id<Gear>,
    name: String,
    #[volatile]
    qty: i64,
}

#[derive(Debug, Clone, Serialize, Deserialize, MongoModel)]
#[model(collection = "future_boxes")]
struct GearBox {
    #[serde(rename = "_id")]
    id: Id<GearBox>,
    #[refs(Gear, max = 20)]
    #[denorm(from = Gear, field = name)]
    gears: Vec<BoxGear>,
}

#[tokio::test]
async fn futures_of_calls_on_one_document_are_small() {
    common::alone("futures", async |bench| {
        // A comment would put each into another. No test of this program looks at comments.
        mongo_model::set_comments(false);
        let db = &bench.db;
        let gear = Gear {
            id: Id::new(),
            name: "a".to_owned(),
            qty: 1,
        };
        let sizes = [
            (
                "insert",
                size_of_val(&*Gear::insert(db, &gear).into_future()),
            ),
            ("get", size_of_val(&*Gear::get(db, gear.id).into_future())),
            (
                "update",
                size_of_val(&*Gear::update(db, gear.id).inc(|g| g.qty, 1).into_future()),
            ),
            (
                "delete",
                size_of_val(&*Gear::delete(db, gear.id).into_future()),
            ),
        ];
        println!("{sizes:?}");
        assert!(sizes.iter().all(|(_, size)| *size <= 16_384), "{sizes:?}");
    })
    .await;
}
