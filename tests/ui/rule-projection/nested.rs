// A nested field is a projection of what the field holds, in the same wrapping.

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

#[derive(Deserialize)]
pub struct Plain {
    pub city: String,
}

#[derive(Deserialize, MongoProjection)]
#[projection(of = Person)]
pub struct Where {
    #[projection(nested)]
    pub address: City,
    #[projection(nested)]
    pub others: Vec<Plain>,
}

fn main() {}
