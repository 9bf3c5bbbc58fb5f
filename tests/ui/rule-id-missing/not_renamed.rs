// A field `id` is stored as `id`, and the server invents an `_id`.

use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "posts")]
pub struct Post {
    pub id: Id<Post>,
    pub title: String,
}

fn main() {}
