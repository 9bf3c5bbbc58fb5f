// A field is compared with another of the same type, at the top of the document; no index serves it.

use mongo_model::{Database, Id, MongoEmbed, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "halls")]
pub struct Hall {
    #[serde(rename = "_id")]
    pub id: Id<Hall>,
    pub name: String,
    pub sold: i64,
    pub capacity: i64,
    #[embed(max = 9)]
    pub rows: Vec<i64>,
    #[embed(max = 9)]
    pub exits: Vec<i64>,
    pub stage: Stage,
}

#[derive(Serialize, Deserialize, MongoEmbed)]
pub struct Stage {
    pub seats: i64,
}

pub async fn look(db: &Database) {
    let _ = Hall::scan(db, |h| h.sold.lt_field(h.name)).await;
    let _ = Hall::scan(db, |h| h.rows.eq_field(h.exits)).await;
    let _ = Hall::scan(db, |h| h.stage.seats.lt_field(h.capacity)).await;
    let _ = Hall::find(db, |h| h.sold.lt_field(h.capacity)).await;
}

fn main() {}
