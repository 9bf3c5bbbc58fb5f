// `max` is what the attribute is for.

use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "posts")]
pub struct Post {
    #[serde(rename = "_id")]
    pub id: Id<Post>,
    #[embed(allow_large = "one per country")]
    pub tags: Vec<String>,
}

fn main() {}
