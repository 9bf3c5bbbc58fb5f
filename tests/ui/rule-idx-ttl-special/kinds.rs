// Only a plain index expires.

use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "sessions", index(keys(wildcard), expire_after = "30d"))]
pub struct Session {
    #[serde(rename = "_id")]
    pub id: Id<Session>,
    #[index(hashed, expire_after = "30d")]
    pub a: bson::DateTime,
    #[index(text, expire_after = "30d")]
    pub b: String,
    #[index(geo, expire_after = "30d")]
    pub c: [f64; 2],
}

fn main() {}
