// What `migrate` names gives a document.

use bson::Document;
use mongo_model::MongoModel;
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "a", schema_version = 2, migrate = number)]
pub struct Number {
    #[serde(rename = "_id")]
    pub id: i32,
}

fn number(_old: Document, version: i32) -> i32 {
    version
}

fn main() {}
