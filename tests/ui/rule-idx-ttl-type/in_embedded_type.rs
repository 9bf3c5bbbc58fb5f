// A field of an embedded document, with its index there.

use mongo_model::{Id, MongoEmbed, MongoModel};
use serde::{Deserialize, Serialize};

pub type Zone = String;

#[derive(Serialize, Deserialize, MongoEmbed)]
pub struct Times {
    #[index(expire_after = "30d")]
    pub zone: Zone,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "sessions")]
pub struct Session {
    #[serde(rename = "_id")]
    pub id: Id<Session>,
    pub times: Times,
}

fn main() {}
