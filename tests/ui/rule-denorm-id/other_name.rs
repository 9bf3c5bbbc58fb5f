// An `_id` of another Rust name, which only the source knows.

use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "countries")]
pub struct Country {
    #[serde(rename = "_id")]
    pub code: String,
    pub name: String,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "cities")]
pub struct City {
    #[serde(rename = "_id")]
    pub id: Id<City>,
    #[parent(Country)]
    #[denorm(from = Country, fields(code, name))]
    pub country: CountryRef,
    #[parent(Country)]
    pub second: String,
    #[denorm(from = Country, field = code, via = second)]
    pub second_code: String,
}

fn main() {}
