// One index, declared in an embedded document and on the model.

use mongo_model::{Id, MongoEmbed, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoEmbed)]
pub struct Address {
    #[index]
    pub city: String,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "people", index(keys(address.city)))]
pub struct Person {
    #[serde(rename = "_id")]
    pub id: Id<Person>,
    pub address: Address,
}

fn main() {}
