// Exactly 200 documents; more with a reason; and scalars, which are no documents.

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
    #[embed(max = 200)]
    pub lines: Vec<Line>,
    #[embed(max = 201)]
    #[model(allow(embed_too_many, reason = "one per country"))]
    pub countries: Vec<Line>,
    #[embed(max = 500)]
    #[model(allow(embed_too_many, reason = "written once, always read together"))]
    pub pages: Vec<Line>,
    #[embed(max = 1000)]
    pub readings: Vec<f64>,
}

pub fn main() {}
