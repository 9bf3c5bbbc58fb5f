// The server writes a BSON date.

use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "tickets")]
pub struct Ticket {
    #[serde(rename = "_id")]
    pub id: Id<Ticket>,
    #[created]
    pub created_at: String,
    #[updated]
    pub updated_at: i64,
}

fn main() {}
