// The `_id` of a variant has functions of its own.

use mongo_model::{MongoEmbed, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoEmbed)]
pub struct Hourly {
    #[serde(rename = "_id", with = "bson::serde_helpers::object_id::FromHexString")]
    pub id: String,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "employees")]
#[serde(tag = "kind")]
pub enum Employee {
    Hourly(Hourly),
}

fn main() {}
