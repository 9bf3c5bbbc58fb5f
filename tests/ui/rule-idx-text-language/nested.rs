// A field `language` inside the document that the text is in.

use mongo_model::{Id, MongoEmbed, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoEmbed)]
pub struct Comment {
    pub text: String,
    pub language: String,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "posts", index(keys(text(title), text(comment.text))))]
pub struct Post {
    #[serde(rename = "_id")]
    pub id: Id<Post>,
    pub title: String,
    pub comment: Comment,
}

fn main() {}
