// A dollar sign inside, other languages, and spaces.

use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "posts")]
pub struct Post {
    #[serde(rename = "_id")]
    pub id: Id<Post>,
    #[serde(rename = "price$")]
    pub price: i64,
    #[serde(rename = "größe")]
    pub size: i64,
    #[serde(rename = "two words")]
    pub words: String,
}

pub fn main() {}
