// The same type by another name, and the same `with`.

use mongo_model::{Id, MongoModel, MongoProjection};
use serde::{Deserialize, Serialize};

type Name = String;

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "hosts")]
pub struct Host {
    #[serde(rename = "_id")]
    pub id: Id<Host>,
    #[serde(with = "bson::serde_helpers::datetime::AsRfc3339String")]
    pub seen: bson::DateTime,
    pub name: Option<String>,
}

#[derive(Deserialize, MongoProjection)]
#[projection(of = Host)]
pub struct Seen {
    #[serde(deserialize_with = "bson::serde_helpers::datetime::AsRfc3339String::deserialize")]
    pub seen: bson::DateTime,
    #[serde(default)]
    pub name: Option<Name>,
}

pub fn main() {}
