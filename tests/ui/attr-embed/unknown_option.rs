// A misspelt option is unknown; `max` is not also reported as missing.

use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "posts")]
pub struct Post {
    #[serde(rename = "_id")]
    pub id: Id<Post>,
    #[embed(mx = 20)]
    pub tags: Vec<String>,
}

fn main() {}
