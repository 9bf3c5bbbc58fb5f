// A collection has one text index.

use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "posts")]
pub struct Post {
    #[serde(rename = "_id")]
    pub id: Id<Post>,
    #[index(text)]
    pub title: String,
    #[index(text)]
    pub body: String,
}

fn main() {}
