// Times as dates, in an `Option`, through an alias, under a stored name of their own, copied where they never change, and in the order
// of a list.

use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "tickets")]
pub struct Ticket {
    #[serde(rename = "_id")]
    pub id: Id<Ticket>,
    #[created]
    pub created_at: Time,
    #[model(updated)]
    #[serde(rename = "changed")]
    pub updated_at: Option<bson::DateTime>,
    #[immutable]
    #[index(unique)]
    pub number: String,
    #[immutable]
    #[embed(max = 3)]
    pub origin: Vec<String>,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "notes")]
pub struct Note {
    #[serde(rename = "_id")]
    pub id: Id<Note>,
    #[parent(Ticket)]
    pub ticket: Id<Ticket>,
    #[denorm(from = Ticket, field = created_at)]
    pub opened: bson::DateTime,
    #[denorm(from = Ticket, field = number)]
    pub number: String,
    #[parent(Board)]
    pub board: Id<Board>,
    #[created]
    #[index(desc)]
    pub at: bson::DateTime,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "boards")]
pub struct Board {
    #[serde(rename = "_id")]
    pub id: Id<Board>,
    #[recent(Note, max = 10, sort = at, fields(at))]
    pub latest: Vec<BoardNote>,
}

pub type Time = bson::DateTime;

pub fn main() {}
