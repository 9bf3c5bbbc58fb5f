// The README's compile error, word for word.
use mongo_model::{Id, MongoEmbed, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "posts")]
struct Post {
    #[serde(rename = "_id")]
    id: Id<Post>,
    comments: Vec<Comment>,
}

#[derive(Serialize, Deserialize, MongoEmbed)]
struct Comment {
    text: String,
}

fn main() {}
