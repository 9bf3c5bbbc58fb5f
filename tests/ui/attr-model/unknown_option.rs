// A misspelt option is unknown; `collection` is not also reported as missing.

use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(colection = "posts")]
pub struct Post {
    #[serde(rename = "_id")]
    pub id: Id<Post>,
}

fn main() {}
