// Compared fields are those of a struct that the program writes, each under a name.

use bson::DateTime;
use mongo_model::{Id, MongoEmbed, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(
    collection = "events",
    check(start < ends),
    check(1 < 2),
    check(changed >= start),
    check(draft != seats)
)]
pub struct Event {
    #[serde(rename = "_id")]
    pub id: Id<Event>,
    pub start: DateTime,
    pub end: DateTime,
    #[updated]
    pub changed: DateTime,
    #[serde(skip)]
    pub draft: i32,
    pub seats: i32,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "things", check(size < weight, with = is_right))]
#[serde(tag = "kind")]
pub enum Thing {
    Small(Small),
}

fn is_right(_: &Thing) -> Result<(), &'static str> {
    Ok(())
}

#[derive(Serialize, Deserialize, MongoEmbed)]
pub struct Small {
    #[serde(rename = "_id")]
    pub id: Id<Thing>,
    pub size: i32,
    pub weight: i32,
}

fn main() {}
