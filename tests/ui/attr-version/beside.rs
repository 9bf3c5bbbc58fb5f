// A version that is something else as well.

use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "hosts")]
pub struct Host {
    #[serde(rename = "_id")]
    #[version]
    pub id: i64,
    pub name: String,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "messages")]
pub struct Message {
    #[serde(rename = "_id")]
    pub id: Id<Message>,
    #[parent(Host)]
    #[version]
    pub host: i64,
}

fn main() {}
