// Through `Option`, `Vec` and `Box`.

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
    pub home: Address,
    pub work: Option<Box<Address>>,
    #[embed(max = 3)]
    pub others: Vec<Address>,
}

#[derive(Deserialize, MongoProjection)]
#[projection(of = Address)]
pub struct City {
    pub city: String,
}

#[derive(Deserialize, MongoProjection)]
#[projection(of = Person)]
pub struct Where {
    #[projection(nested)]
    pub home: City,
    #[projection(nested)]
    pub work: Option<Box<City>>,
    #[projection(nested)]
    pub others: Vec<City>,
}

pub fn main() {}
