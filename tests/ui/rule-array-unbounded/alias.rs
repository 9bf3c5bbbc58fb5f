// An array of scalars without a bound: an alias does not hide it.

use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

pub type Tags = Vec<String>;

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "posts")]
pub struct Post {
    #[serde(rename = "_id")]
    pub id: Id<Post>,
    pub tags: Tags,
}

fn main() {}
