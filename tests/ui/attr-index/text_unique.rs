// A text index has one entry per word.

use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "posts")]
pub struct Post {
    #[serde(rename = "_id")]
    pub id: Id<Post>,
    #[index(text, unique)]
    pub title: String,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "pages", index(keys(author, text(title)), unique))]
pub struct Page {
    #[serde(rename = "_id")]
    pub id: Id<Page>,
    pub title: String,
    pub author: String,
}

fn main() {}
