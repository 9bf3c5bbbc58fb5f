// Each target of a reference to one of several models is a model.

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
    Plain(#[parent(Plain)] Id<Plain>),
}

#[derive(Serialize, Deserialize)]
pub struct Plain {
    pub name: String,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "comments")]
pub struct Comment {
    #[serde(rename = "_id")]
    pub id: Id<Comment>,
    pub on: Subject,
}

fn main() {}
