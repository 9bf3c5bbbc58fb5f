// What never changes cannot change often.

use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "tickets")]
pub struct Ticket {
    #[serde(rename = "_id")]
    pub id: Id<Ticket>,
    #[immutable]
    #[volatile]
    pub number: String,
    #[immutable]
    #[created]
    pub at: bson::DateTime,
}

fn main() {}
