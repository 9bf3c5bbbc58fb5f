// A model that is stored as another type.

use mongo_model::MongoModel;
use serde::{Deserialize, Serialize};

#[derive(Clone, Serialize, Deserialize)]
pub struct Stored {
    pub _id: i64,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[derive(Clone)]
#[model(collection = "posts")]
#[serde(into = "Stored")]
pub struct Post {
    #[serde(rename = "_id")]
    pub id: i64,
}

impl From<Post> for Stored {
    fn from(post: Post) -> Stored {
        Stored { _id: post.id }
    }
}

fn main() {}
