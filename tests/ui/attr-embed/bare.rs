// An array states its bound, and a scalar is no document.

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
    #[embed]
    pub address: Address,
    #[embed]
    pub other: Option<Address>,
    #[embed]
    pub name: String,
    #[embed]
    pub tags: Vec<String>,
}

fn main() {}
