// The server refuses an array as `_id`.

use mongo_model::MongoModel;
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "a")]
pub struct Parts {
    #[serde(rename = "_id")]
    pub id: Vec<String>,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "b")]
pub struct Bytes {
    #[serde(rename = "_id")]
    pub id: Vec<u8>,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "c")]
pub struct Pair {
    #[serde(rename = "_id")]
    pub id: (String, i64),
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "d")]
pub struct Fixed {
    #[serde(rename = "_id")]
    pub id: [i64; 2],
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "e")]
pub struct Pattern {
    #[serde(rename = "_id")]
    pub id: bson::Regex,
}

fn main() {}
