// The uuid of BSON, a helper that stores one, and one for a reason.

use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "events")]
pub struct Event {
    #[serde(rename = "_id")]
    pub id: Id<Event>,
    pub key: bson::Uuid,
    #[serde(with = "bson::serde_helpers::uuid_1::AsBinary")]
    pub converted: uuid::Uuid,
    #[model(allow(uuid_generic, reason = "never queried"))]
    pub trace: uuid::Uuid,
}

pub fn main() {}
