// Names that only resemble them.

use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "posts")]
pub struct Post {
    #[serde(rename = "_id")]
    pub id: Id<Post>,
    pub _dns: String,
    pub dn: i64,
    pub r: i64,
    pub _rank: i64,
}

pub fn main() {}
