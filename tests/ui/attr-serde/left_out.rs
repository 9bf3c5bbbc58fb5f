// A required field that may be left out of a stored document cannot be read again.

use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "posts")]
pub struct Post {
    #[serde(rename = "_id")]
    pub id: Id<Post>,
    #[serde(skip_serializing)]
    pub title: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[embed(max = 20)]
    pub tags: Vec<String>,
}

fn main() {}
