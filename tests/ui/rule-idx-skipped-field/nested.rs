// Nor are those of embedded documents.

use mongo_model::{Id, MongoEmbed, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoEmbed)]
pub struct Address {
    pub city: String,
    #[serde(skip)]
    pub cache: String,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "people", index(keys(address.cache)))]
pub struct Person {
    #[serde(rename = "_id")]
    pub id: Id<Person>,
    pub address: Address,
}

fn main() {}
