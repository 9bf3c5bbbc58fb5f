// An override that holds nothing back, on a field and on the model.

use mongo_model::{Id, MongoEmbed, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoEmbed)]
pub struct Line {
    pub text: String,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "posts", allow(refs_too_many, reason = "left from before"))]
pub struct Post {
    #[serde(rename = "_id")]
    pub id: Id<Post>,
    #[embed(max = 20)]
    #[model(allow(embed_too_many, reason = "left from before"))]
    pub lines: Vec<Line>,
}

fn main() {}
