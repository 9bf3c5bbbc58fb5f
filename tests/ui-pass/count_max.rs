// A number, a field, and a field that may be absent.

use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "events")]
pub struct Event {
    #[serde(rename = "_id")]
    pub id: Id<Event>,
    pub seats: i64,
    #[count(Ticket, max = seats)]
    pub sold: i64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub places: Option<i32>,
    #[count(Guest, via = event, max = places)]
    pub guests: i64,
    #[count(Speaker, max = 12)]
    pub speakers: i64,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "tickets")]
pub struct Ticket {
    #[serde(rename = "_id")]
    pub id: Id<Ticket>,
    #[parent(Event)]
    pub event: Id<Event>,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "guests")]
pub struct Guest {
    #[serde(rename = "_id")]
    pub id: Id<Guest>,
    #[parent(Event)]
    pub event: Id<Event>,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "speakers")]
pub struct Speaker {
    #[serde(rename = "_id")]
    pub id: Id<Speaker>,
    #[parent(Event)]
    pub event: Id<Event>,
}

pub fn main() {}
