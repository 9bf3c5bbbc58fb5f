// A reason is a string.

use mongo_model::{Id, MongoEmbed, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoEmbed)]
pub struct Line {
    pub text: String,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "posts")]
pub struct Post {
    #[serde(rename = "_id")]
    pub id: Id<Post>,
    #[embed(max = 500)]
    #[model(allow(embed_too_many, reason = because))]
    pub word: Vec<Line>,
    #[embed(max = 500)]
    #[model(allow(embed_too_many, reason))]
    pub bare: Vec<Line>,
}

fn main() {}
