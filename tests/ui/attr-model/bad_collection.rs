// A collection is named by a string.

use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = posts)]
pub struct Word {
    #[serde(rename = "_id")]
    pub id: Id<Word>,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = 5)]
pub struct Number {
    #[serde(rename = "_id")]
    pub id: Id<Number>,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection("posts"))]
pub struct Parentheses {
    #[serde(rename = "_id")]
    pub id: Id<Parentheses>,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection)]
pub struct Bare {
    #[serde(rename = "_id")]
    pub id: Id<Bare>,
}

fn main() {}
