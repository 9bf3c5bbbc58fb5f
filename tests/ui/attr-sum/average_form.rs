// The attribute of an average without its field, and beside a sum.

use mongo_model::{Average, Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "products")]
pub struct Product {
    #[serde(rename = "_id")]
    pub id: Id<Product>,
    #[avg(Review)]
    pub rating: Average,
    #[sum(Review, field = stars)]
    #[avg(Review, field = stars)]
    pub both: Average,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "reviews")]
pub struct Review {
    #[serde(rename = "_id")]
    pub id: Id<Review>,
    #[parent(Product)]
    pub product: Id<Product>,
    pub stars: i32,
}

fn main() {}
