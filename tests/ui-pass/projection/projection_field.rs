// Fields in another order, private ones where they may be named, keywords.

use mongo_model::{Id, MongoModel, MongoProjection};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "products")]
pub struct Product {
    #[serde(rename = "_id")]
    pub id: Id<Product>,
    pub r#type: String,
    cost: i64,
}

#[derive(Deserialize, MongoProjection)]
#[projection(of = Product)]
struct Costs {
    cost: i64,
    r#type: String,
}

pub fn main() {
    let read = |costs: Costs| (costs.cost, costs.r#type);
    let _ = read;
}
