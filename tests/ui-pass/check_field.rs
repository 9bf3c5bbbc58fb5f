// The program writes these fields: the `_id`, an immutable one, one that is left out as an `Option`, and the source of a copy.

use mongo_model::{Id, MongoEmbed, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "authors")]
pub struct Author {
    #[serde(rename = "_id")]
    #[check(len = 3..=20)]
    pub id: String,
    #[check(not_empty)]
    pub name: String,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "posts")]
pub struct Post {
    #[serde(rename = "_id")]
    pub id: Id<Post>,
    #[parent(Author)]
    pub author: String,
    #[denorm(from = Author, field = name)]
    pub author_name: String,
    #[check(range = 1..)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stars: Option<i32>,
    #[immutable]
    #[check(len = 2)]
    pub country: String,
    pub email: Email,
}

#[derive(Serialize, Deserialize, MongoEmbed)]
pub struct Email {
    #[check(len = 3..)]
    pub address: String,
}

pub fn main() {}
