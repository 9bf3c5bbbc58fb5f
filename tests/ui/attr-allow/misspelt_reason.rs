// A misspelt `reason` is not also a missing one.

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
    #[model(allow(embed_too_many, raeson = "read together"))]
    pub lines: Vec<Line>,
}

fn main() {}
