// A version that the server cannot add to.

use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "a")]
pub struct A {
    #[serde(rename = "_id")]
    pub id: Id<A>,
    #[version]
    pub version: u64,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "b")]
pub struct B {
    #[serde(rename = "_id")]
    pub id: Id<B>,
    #[version]
    pub version: Option<i64>,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "c")]
pub struct C {
    #[serde(rename = "_id")]
    pub id: Id<C>,
    #[version]
    pub version: Text,
}

pub type Text = String;

fn main() {}
