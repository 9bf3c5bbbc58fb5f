// A type without derives, and a scalar.

use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

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
    #[parent(String)]
    pub name: String,
}

fn main() {}
