// A collection has one text index: on the struct or on a field.

use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "posts", index(keys(text(title), text(body))))]
pub struct Post {
    #[serde(rename = "_id")]
    pub id: Id<Post>,
    pub title: String,
    pub body: String,
    #[index(text)]
    pub note: String,
}

fn main() {}
