// Versions that are none, and migrations that lead nowhere.

use bson::Document;
use mongo_model::MongoModel;
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "a", schema_version = 0)]
pub struct Zero {
    #[serde(rename = "_id")]
    pub id: i32,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "b", migrate = step)]
pub struct Alone {
    #[serde(rename = "_id")]
    pub id: i32,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "c", schema_version = 1, migrate = step)]
pub struct First {
    #[serde(rename = "_id")]
    pub id: i32,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "d", schema_version = "2")]
pub struct Text {
    #[serde(rename = "_id")]
    pub id: i32,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "e", schema_version = 2, migrate = step)]
pub struct Twice {
    #[serde(rename = "_id")]
    pub id: i32,
    pub schema_version: i32,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[serde(deny_unknown_fields)]
#[model(collection = "f", schema_version = 2, migrate = step)]
pub struct Strict {
    #[serde(rename = "_id")]
    pub id: i32,
}

fn step(old: Document, _version: i32) -> Document {
    old
}

fn main() {}
