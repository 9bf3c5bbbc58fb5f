// A bound that the library derives itself.

use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "events")]
pub struct Event {
    #[serde(rename = "_id")]
    pub id: Id<Event>,
    #[count(Ticket, max = tickets)]
    pub sold: i64,
    #[count(Ticket)]
    pub tickets: i64,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "tickets")]
pub struct Ticket {
    #[serde(rename = "_id")]
    pub id: Id<Ticket>,
    #[parent(Event)]
    pub event: Id<Event>,
    pub paid: bool,
}

fn main() {}
