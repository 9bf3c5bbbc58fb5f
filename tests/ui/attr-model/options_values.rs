// Options of a model have the values that MongoDB knows.

use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(
    collection = "readings",
    options(read_preference = second, read_concern = "majority", write_concern = all, max_time = "1y", hint = "a")
)]
pub struct Reading {
    #[serde(rename = "_id")]
    pub id: Id<Reading>,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "others", options)]
pub struct Other {
    #[serde(rename = "_id")]
    pub id: Id<Other>,
    #[model(options(max_time = "5ms"))]
    pub value: i32,
}

fn main() {}
