// Options stand in parentheses.

use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model{collection = "posts"}]
pub struct Braces {
    #[serde(rename = "_id")]
    pub id: Id<Braces>,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model[collection = "posts"]]
pub struct Brackets {
    #[serde(rename = "_id")]
    pub id: Id<Brackets>,
}

fn main() {}
