// The second override of one rule holds nothing back.

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
    #[model(allow(embed_too_many, reason = "read together"))]
    #[model(allow(embed_too_many, reason = "read together"))]
    pub lines: Vec<Line>,
}

fn main() {}
