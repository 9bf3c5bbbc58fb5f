// The id under any Rust name, and `_id` itself.

use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "countries")]
pub struct Country {
    #[serde(rename = "_id")]
    pub code: String,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "posts")]
pub struct Post {
    pub _id: Id<Post>,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "pages")]
#[serde(rename_all = "camelCase")]
pub struct Page {
    #[serde(rename = "_id")]
    pub page_id: i64,
}

pub fn main() {}
