// Personal fields whose values the history of the model would keep.

use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "customers", history)]
pub struct Customer {
    #[serde(rename = "_id")]
    pub id: Id<Customer>,
    #[personal(erased = "gone")]
    pub name: String,
    pub language: String,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "reviews", history(skip(stars), keep = "1y"))]
pub struct Review {
    #[serde(rename = "_id")]
    pub id: Id<Review>,
    #[parent(Customer)]
    pub by: Id<Customer>,
    #[personal(of = by, erased = "")]
    pub text: String,
    #[personal(of = by)]
    pub r#type: Option<String>,
    pub stars: i32,
}

fn main() {}
