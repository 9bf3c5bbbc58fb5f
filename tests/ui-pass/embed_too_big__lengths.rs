// The same bounds a little lower.

use bson::Binary;
use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "posts")]
pub struct Post {
    #[serde(rename = "_id")]
    pub id: Id<Post>,
    #[model(max_len = 20_000)]
    #[embed(max = 100)]
    pub paragraphs: Vec<String>,
    #[model(max_len = 8_000_000)]
    pub picture: Binary,
}

pub fn main() {
    const { assert!(matches!(Post::MAX_BSON_SIZE, Some(16_000_947))) };
}
