// A place is GeoJSON or a pair of numbers.

use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "shops", index(keys(geo(c), a)))]
pub struct Shop {
    #[serde(rename = "_id")]
    pub id: Id<Shop>,
    #[index(geo)]
    pub a: String,
    #[index(geo)]
    pub b: Option<f64>,
    pub c: bson::DateTime,
}

fn main() {}
