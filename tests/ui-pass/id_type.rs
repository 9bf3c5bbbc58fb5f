// Strings, numbers, uuids, and documents of several parts.

use mongo_model::{Id, MongoEmbed, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(PartialEq, Eq, Clone, Serialize, Deserialize, MongoEmbed)]
pub struct Key {
    pub country: String,
    pub number: i64,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "a")]
pub struct A {
    #[serde(rename = "_id")]
    pub id: String,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "b")]
pub struct B {
    #[serde(rename = "_id")]
    pub id: i32,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "c")]
pub struct C {
    #[serde(rename = "_id")]
    pub id: bson::Uuid,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "d")]
pub struct D {
    #[serde(rename = "_id")]
    pub id: Key,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "e")]
pub struct E {
    #[serde(rename = "_id")]
    pub id: Id<E, bson::Uuid>,
}

pub fn main() {}
