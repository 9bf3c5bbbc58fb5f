// An empty reason is none.

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
    #[model(allow(embed_too_many, reason = ""))]
    pub empty: Vec<Line>,
    #[embed(max = 500)]
    #[model(allow(embed_too_many, reason = "   "))]
    pub blank: Vec<Line>,
}

fn main() {}
