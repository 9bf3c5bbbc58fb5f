// Beside text keys stands no array.

use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "posts", index(keys(years, text(title))))]
pub struct Post {
    #[serde(rename = "_id")]
    pub id: Id<Post>,
    pub title: String,
    #[embed(max = 5)]
    pub years: Vec<i32>,
}

fn main() {}
