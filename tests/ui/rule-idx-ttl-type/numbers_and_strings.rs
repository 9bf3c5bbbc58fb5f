// What is not stored as a date never expires.

use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "sessions")]
pub struct Session {
    #[serde(rename = "_id")]
    pub id: Id<Session>,
    #[index(expire_after = "30d")]
    pub a: String,
    #[index(expire_after = "30d")]
    pub b: i64,
    #[index(expire_after = "30d")]
    pub c: Option<bson::Timestamp>,
    #[index(expire_after = "30d")]
    #[embed(max = 3)]
    pub d: Vec<String>,
    #[index(expire_after = "30d")]
    pub e: bson::oid::ObjectId,
}

fn main() {}
