// Only fields of models are copied.

use mongo_model::{Id, MongoEmbed, MongoModel, MongoProjection};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoEmbed)]
pub struct Address {
    pub city: String,
    pub zip: String,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "people")]
pub struct Person {
    #[serde(rename = "_id")]
    pub id: Id<Person>,
    pub address: Option<Address>,
    #[embed(max = 3)]
    pub others: Vec<Address>,
}

#[derive(Deserialize, MongoProjection)]
#[projection(of = Address, fallback = Person)]
pub struct City {
    pub city: String,
}

fn main() {}
