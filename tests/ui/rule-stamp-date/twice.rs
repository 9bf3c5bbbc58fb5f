// Two times of creation.

use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "tickets")]
pub struct Ticket {
    #[serde(rename = "_id")]
    pub id: Id<Ticket>,
    #[created]
    pub created_at: bson::DateTime,
    #[created]
    pub born_at: bson::DateTime,
}

fn main() {}
