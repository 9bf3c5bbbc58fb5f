// An array that may be absent, an array of optional values, and one that is never pushed to.

use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "parts")]
pub struct Part {
    #[serde(rename = "_id")]
    pub id: Id<Part>,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "posts")]
pub struct Post {
    #[serde(rename = "_id")]
    pub id: Id<Post>,
    #[serde(default)]
    #[embed(max = 20)]
    pub tags: Vec<String>,
    #[embed(max = 20)]
    pub gaps: Vec<Option<String>>,
    #[embed(max = 20)]
    #[model(allow(embed_option_vec, reason = "imported, never pushed to"))]
    pub imported: Option<Vec<String>>,
    #[refs(Part)]
    #[model(allow(embed_option_vec, reason = "imported, never pushed to"))]
    pub parts: Option<Vec<Id<Part>>>,
}

pub fn main() {}
