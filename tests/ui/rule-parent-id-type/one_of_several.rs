// Each variant of a reference to one of several models holds the id of its own.

use mongo_model::{Id, MongoEmbed, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "posts")]
pub struct Post {
    #[serde(rename = "_id")]
    pub id: Id<Post>,
    pub title: String,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "photos")]
pub struct Photo {
    #[serde(rename = "_id")]
    pub id: i32,
}

#[derive(Serialize, Deserialize, MongoEmbed)]
#[serde(tag = "type", content = "id")]
pub enum Subject {
    Post(#[parent(Post)] Id<Post>),
    Photo(#[parent(Photo)] Id<Photo>),
}

fn main() {}
