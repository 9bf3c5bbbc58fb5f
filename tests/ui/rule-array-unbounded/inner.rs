// An array of arrays: the bound is that of the outer one.

use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "matrices")]
pub struct Matrix {
    #[serde(rename = "_id")]
    pub id: Id<Matrix>,
    #[embed(max = 20)]
    pub rows: Vec<Vec<f64>>,
}

fn main() {}
