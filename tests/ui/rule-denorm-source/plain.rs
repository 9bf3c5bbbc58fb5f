// A copy from a type without derives.

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
    #[denorm(from = Address, field = city)]
    pub address: AddressRef,
}

fn main() {}
