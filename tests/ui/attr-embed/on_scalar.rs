// A bound on what holds one value.

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
    #[embed(max = 20)]
    pub name: String,
    #[embed(max = 20)]
    pub address: Address,
    #[embed(max = 20)]
    pub maybe: Option<Address>,
}

fn main() {}
