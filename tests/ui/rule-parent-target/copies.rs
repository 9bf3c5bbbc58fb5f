// A parent that is no model, with a copy beside it: one error.

use mongo_model::{Id, MongoEmbed, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoEmbed)]
pub struct Address {
    pub city: String,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "people")]
pub struct Person {
    #[serde(rename = "_id")]
    pub id: Id<Person>,
    #[parent(Address)]
    pub address: Id<Address>,
    #[denorm(from = Address, field = city)]
    pub city: String,
}

fn main() {}
