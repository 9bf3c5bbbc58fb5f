// What a queue cannot be ordered by.

use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "a", queue(priority = urgncy))]
pub struct Misspelt {
    #[serde(rename = "_id")]
    pub id: Id<Misspelt>,
    pub urgency: i32,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "b", queue(order = due))]
pub struct Skipped {
    #[serde(rename = "_id")]
    pub id: Id<Skipped>,
    #[serde(skip)]
    pub due: i64,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "c", queue(priority = tags))]
pub struct Many {
    #[serde(rename = "_id")]
    pub id: Id<Many>,
    #[embed(max = 3)]
    pub tags: Vec<String>,
}

fn main() {}
