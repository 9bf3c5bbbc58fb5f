// An average in a type that cannot hold the sum and the number, and of a float.

use mongo_model::{Average, Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "products")]
pub struct Product {
    #[serde(rename = "_id")]
    pub id: Id<Product>,
    #[avg(Review, field = stars)]
    pub rating: f64,
    #[avg(Review, field = stars)]
    pub optional: Option<Average>,
    #[avg(Review, field = weight)]
    pub weight: Average,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "reviews")]
pub struct Review {
    #[serde(rename = "_id")]
    pub id: Id<Review>,
    #[parent(Product)]
    pub product: Id<Product>,
    pub stars: i32,
    pub weight: f64,
}

fn main() {}
