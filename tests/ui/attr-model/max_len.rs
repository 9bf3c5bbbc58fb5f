// A length stands on strings and binary, where they are stored.

use mongo_model::{Id, MongoEmbed, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoEmbed)]
pub struct Title(#[model(max_len = 100)] String);

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "posts")]
pub struct Post {
    #[serde(rename = "_id")]
    pub id: Id<Post>,
    #[model(max_len = 0)]
    pub title: String,
    #[model(max_len = "long")]
    pub body: String,
    #[model(writes_per_read = "often")]
    pub views: i64,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "votes")]
pub struct Vote {
    #[serde(rename = "_id")]
    pub id: Id<Vote>,
    #[model(max_len = 10)]
    pub stars: i32,
}

fn main() {}
