// A time on a field that is something else, or that serde stores through functions of its own.

use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "hosts")]
pub struct Host {
    #[serde(rename = "_id")]
    pub id: Id<Host>,
    pub name: String,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "messages")]
pub struct Message {
    #[serde(rename = "_id")]
    pub id: Id<Message>,
    #[parent(Host)]
    #[created]
    pub host: Id<Host>,
    #[created]
    #[updated]
    pub at: bson::DateTime,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "visits")]
pub struct Visit {
    #[serde(rename = "_id")]
    pub id: Id<Visit>,
    #[updated]
    #[serde(with = "text")]
    pub at: bson::DateTime,
}

mod text {
    pub fn serialize<S: serde::Serializer>(at: &bson::DateTime, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&at.to_string())
    }
    pub fn deserialize<'de, D: serde::Deserializer<'de>>(_: D) -> Result<bson::DateTime, D::Error> {
        Ok(bson::DateTime::MIN)
    }
}

fn main() {}
