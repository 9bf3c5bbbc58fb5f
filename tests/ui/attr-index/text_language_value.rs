// Languages are strings.

use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "posts")]
pub struct Post {
    #[serde(rename = "_id")]
    pub id: Id<Post>,
    #[index(text, default_language = german)]
    pub title: String,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "pages")]
pub struct Page {
    #[serde(rename = "_id")]
    pub id: Id<Page>,
    #[index(text, language_override)]
    pub title: String,
}

fn main() {}
