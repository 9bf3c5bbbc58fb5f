// Languages that text search does not know.

use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "posts")]
pub struct Post {
    #[serde(rename = "_id")]
    pub id: Id<Post>,
    #[index(text, default_language = "germn")]
    pub title: String,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "pages", index(keys(text(title)), default_language = "klingon"))]
pub struct Page {
    #[serde(rename = "_id")]
    pub id: Id<Page>,
    pub title: String,
}

fn main() {}
