// Copies in an array of arrays.

use mongo_model::{Id, MongoEmbed, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "parts")]
pub struct Part {
    #[serde(rename = "_id")]
    pub id: Id<Part>,
    pub name: String,
    #[volatile]
    pub qty: i64,
}

#[derive(Serialize, Deserialize, MongoEmbed)]
pub struct Slot {
    #[parent(Part)]
    pub part: Id<Part>,
    #[denorm(from = Part, field = name)]
    pub name: String,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "stores")]
pub struct Store {
    #[serde(rename = "_id")]
    pub id: Id<Store>,
    #[embed(max = 10)]
    pub grid: Vec<[Slot; 4]>,
}

fn main() {}
