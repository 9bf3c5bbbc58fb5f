// Fields that only the server, or the first store, sets.

use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "tickets")]
pub struct Ticket {
    #[serde(rename = "_id")]
    pub id: Id<Ticket>,
    #[created]
    pub created_at: bson::DateTime,
    #[updated]
    pub updated_at: bson::DateTime,
    #[immutable]
    pub number: String,
}

fn update(db: &mongo_model::Database, id: Id<Ticket>) {
    let _ = Ticket::update(db, id).set(|t| t.created_at, bson::DateTime::MIN);
    let _ = Ticket::update(db, id).current_date(|t| t.updated_at);
    let _ = Ticket::update(db, id).set(|t| t.number, "T1");
}

fn main() {}
