// `uuid::Uuid` has two stored forms.

use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "events")]
pub struct Event {
    #[serde(rename = "_id")]
    pub id: Id<Event>,
    pub key: uuid::Uuid,
    pub maybe: Option<uuid::Uuid>,
}

fn main() {}
