// Exactly 10 000.

use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "series")]
pub struct Series {
    #[serde(rename = "_id")]
    pub id: Id<Series>,
    #[embed(max = 10000)]
    pub readings: Vec<f64>,
}

pub fn main() {}
