// The derives of serde are missing: rustc says so, for each of them.

use mongo_model::{Id, MongoModel};

#[derive(MongoModel)]
#[model(collection = "posts")]
pub struct Post {
    #[serde(rename = "_id")]
    pub id: Id<Post>,
    pub title: String,
}

fn main() {}
