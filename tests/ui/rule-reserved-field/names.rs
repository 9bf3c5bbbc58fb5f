// Names in which the library keeps the state of copies.

use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "posts")]
pub struct Post {
    #[serde(rename = "_id")]
    pub id: Id<Post>,
    pub _dn: i64,
    pub _r: i64,
    #[serde(rename = "_r_parts")]
    pub parts: i64,
}

fn main() {}
