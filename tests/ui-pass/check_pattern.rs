// Classes, groups, repetitions and anchors, in strings and in the elements of an array.

use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "products")]
pub struct Product {
    #[serde(rename = "_id")]
    pub id: Id<Product>,
    #[check(pattern = "^[A-Z]+$")]
    pub letters: String,
    #[check(pattern = "^[Aa][Bb][Cc]$")]
    pub any_case: String,
    #[check(pattern = r"^[^@\s]+@[^@\s]+\.[^@\s]+$")]
    pub email: Option<String>,
    #[check(each(pattern = r"^(?:\+|00)\d{6,14}$"))]
    #[embed(max = 5)]
    pub phones: Vec<String>,
}

pub fn main() {}
