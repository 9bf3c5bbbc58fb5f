// An alias does not hide it.

use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

pub type Moment = std::time::SystemTime;

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "events")]
pub struct Event {
    #[serde(rename = "_id")]
    pub id: Id<Event>,
    pub at: Moment,
    pub maybe: Option<Moment>,
}

fn main() {}
