// A field that is called `id` in the entry is the reference; a copied `id` that is no `_id` takes another name.

use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "countries")]
pub struct Country {
    #[serde(rename = "_id")]
    pub code: String,
    pub id: i64,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "cities")]
pub struct City {
    #[serde(rename = "_id")]
    pub id: Id<City>,
    #[parent(Country)]
    #[denorm(from = Country, field = id, into = number)]
    pub country: CountryRef,
}

pub fn main() {}
