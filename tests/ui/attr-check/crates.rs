// `check(garde)` and `check(validator)` call the crate's `Validate`, and a crate that is not known is a field that is not compared.

use mongo_model::{Id, MongoEmbed, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "orders", check(garde))]
pub struct Order {
    #[serde(rename = "_id")]
    pub id: Id<Order>,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "people", check(validator))]
pub struct Person {
    #[serde(rename = "_id")]
    pub id: Id<Person>,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "places", check(nutype))]
pub struct Place {
    #[serde(rename = "_id")]
    pub id: Id<Place>,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[serde(tag = "kind")]
#[model(collection = "things", check(garde))]
pub enum Thing {
    Small(Small),
}

#[derive(Serialize, Deserialize, MongoEmbed)]
pub struct Small {
    #[serde(rename = "_id")]
    pub id: Id<Thing>,
}

fn main() {}
