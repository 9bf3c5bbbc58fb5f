// What is neither `key`, `key = value` nor `key(..)`.

use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model("posts")]
pub struct Literal {
    #[serde(rename = "_id")]
    pub id: Id<Literal>,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection: "posts")]
pub struct Colon {
    #[serde(rename = "_id")]
    pub id: Id<Colon>,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection =)]
pub struct NoValue {
    #[serde(rename = "_id")]
    pub id: Id<NoValue>,
}

fn main() {}
