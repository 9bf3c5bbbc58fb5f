// Dots inside, digits, dashes and other languages.

use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "blog.posts")]
pub struct Dot {
    #[serde(rename = "_id")]
    pub id: Id<Dot>,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "2024-posts")]
pub struct Digits {
    #[serde(rename = "_id")]
    pub id: Id<Digits>,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "systems")]
pub struct Systems {
    #[serde(rename = "_id")]
    pub id: Id<Systems>,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "einträge")]
pub struct German {
    #[serde(rename = "_id")]
    pub id: Id<German>,
}

pub fn main() {}
