// Rust's regular expressions and those of the server differ in these.

use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "products")]
pub struct Product {
    #[serde(rename = "_id")]
    pub id: Id<Product>,
    #[check(pattern = r"^\p{Lu}+$")]
    pub letters: String,
    #[check(pattern = "(?i)^abc$")]
    pub flags: String,
    #[check(pattern = r"(a|b)\1")]
    pub back: String,
    #[check(pattern = "a++")]
    pub possessive: String,
    #[check(pattern = "[a-z")]
    pub open: String,
    #[check(pattern = "a)")]
    pub wrong: String,
    #[check(pattern = 5)]
    pub number: String,
}

fn main() {}
