// Names that no query reaches.

use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "posts")]
pub struct Post {
    #[serde(rename = "_id")]
    pub id: Id<Post>,
    #[serde(rename = "")]
    pub empty: String,
    #[serde(rename = "a.b")]
    pub dotted: String,
    #[serde(rename = "$set")]
    pub dollar: String,
    #[serde(rename = "a\0b")]
    pub nul: String,
}

fn main() {}
