// What is read is a projection of the model.

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
#[projection(of = Address)]
pub struct City {
    pub city: String,
}

fn reads<P: mongo_model::Projected<Person>>() {}

fn main() {
    reads::<City>();
}
