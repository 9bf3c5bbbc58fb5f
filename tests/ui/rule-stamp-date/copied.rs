// A copy of the time of the last write, and a list by it.

use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "parts")]
pub struct Part {
    #[serde(rename = "_id")]
    pub id: Id<Part>,
    #[updated]
    pub updated_at: bson::DateTime,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "stocks")]
pub struct Stock {
    #[serde(rename = "_id")]
    pub id: Id<Stock>,
    #[parent(Part)]
    pub part: Id<Part>,
    #[denorm(from = Part, field = updated_at)]
    pub part_updated_at: bson::DateTime,
    #[parent(Shelf)]
    pub shelf: Id<Shelf>,
    #[updated]
    pub updated_at: bson::DateTime,
    pub count: i64,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "shelves")]
pub struct Shelf {
    #[serde(rename = "_id")]
    pub id: Id<Shelf>,
    #[recent(Stock, max = 10, sort = updated_at, fields(count))]
    pub latest: Vec<ShelfStock>,
}

fn main() {}
