// Children of a type without our derives.

use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "hosts")]
pub struct Host {
    #[serde(rename = "_id")]
    pub id: Id<Host>,
    #[count(Line)]
    pub messages: i64,
}

#[derive(Serialize, Deserialize)]
pub struct Line {
    pub host: Id<Host>,
}

fn main() {}
