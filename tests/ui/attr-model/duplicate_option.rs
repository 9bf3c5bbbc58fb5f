// `collection` twice in one attribute.

use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "posts", collection = "articles")]
pub struct Post {
    #[serde(rename = "_id")]
    pub id: Id<Post>,
}

fn main() {}
