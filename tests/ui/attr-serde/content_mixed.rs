// Every variant of such a reference holds one id and nothing else.

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
    Photo(i32),
}

#[derive(Serialize, Deserialize, MongoEmbed)]
#[serde(tag = "type", content = "id")]
pub enum OrNothing {
    Post(#[parent(Post)] Id<Post>),
    Nothing,
}

#[derive(Serialize, Deserialize, MongoEmbed)]
#[serde(tag = "type", content = "id")]
pub enum Copies {
    Post(
        #[parent(Post)]
        #[denorm(from = Post, field = title)]
        PostRef,
    ),
}

fn main() {}
