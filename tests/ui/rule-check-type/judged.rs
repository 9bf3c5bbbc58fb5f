// A function takes a reference to the value, and an optional field has a value to judge.

use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "rooms", check(with = is_open))]
pub struct Room {
    #[serde(rename = "_id")]
    pub id: Id<Room>,
    #[check(with = is_free)]
    pub size: Option<i64>,
}

fn is_free(_: &str) -> Result<(), &'static str> {
    Ok(())
}

fn is_open(_: &Room) -> bool {
    true
}

fn main() {}
