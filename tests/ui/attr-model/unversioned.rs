// A document without a version is one of a version that there is, of a model that has versions.

use mongo_model::MongoModel;
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "a", schema_version = 2, unversioned = 3)]
pub struct Later {
    #[serde(rename = "_id")]
    pub id: i32,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "b", schema_version = 1, unversioned = 0)]
pub struct Zero {
    #[serde(rename = "_id")]
    pub id: i32,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "c", unversioned = 1)]
pub struct Alone {
    #[serde(rename = "_id")]
    pub id: i32,
}

fn main() {}
