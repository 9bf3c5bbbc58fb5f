// Text keys go with neither geo nor hashed keys, nor with a collation.

use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "posts", index(keys(text(title), geo(place))))]
pub struct Post {
    #[serde(rename = "_id")]
    pub id: Id<Post>,
    pub title: String,
    pub place: [f64; 2],
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "pages", index(keys(hashed(code), text(title))))]
pub struct Page {
    #[serde(rename = "_id")]
    pub id: Id<Page>,
    pub title: String,
    pub code: i32,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "notes")]
pub struct Note {
    #[serde(rename = "_id")]
    pub id: Id<Note>,
    #[index(text, collation(locale = "en", strength = 2))]
    pub title: String,
}

fn main() {}
