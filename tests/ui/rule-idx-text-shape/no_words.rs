// Only strings have words.

use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "posts")]
pub struct Post {
    #[serde(rename = "_id")]
    pub id: Id<Post>,
    #[index(text)]
    pub year: i32,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "pages", index(keys(text(title), text(seen), text(years))))]
pub struct Page {
    #[serde(rename = "_id")]
    pub id: Id<Page>,
    pub title: String,
    pub seen: bson::DateTime,
    #[embed(max = 5)]
    pub years: Vec<i32>,
}

fn main() {}
