// A type without derives.

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
    #[refs(Address)]
    pub addresses: Vec<Id<Address>>,
}

fn main() {}
