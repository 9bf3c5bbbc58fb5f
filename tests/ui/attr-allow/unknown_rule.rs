// No rule of that name: the nearest, or where they are listed.

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
    #[model(allow(embed_to_many, reason = "read together"))]
    pub near: Vec<Line>,
    #[embed(max = 20)]
    #[model(allow(everything, reason = "trust me"))]
    pub far: Vec<Line>,
}

fn main() {}
