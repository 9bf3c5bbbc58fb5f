// Typed ids, bare ids of every type, sets, aliases, and documents that hold the id.

use std::collections::{BTreeSet, HashSet};

use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

use bson::oid::ObjectId;

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "parts")]
pub struct Part {
    #[serde(rename = "_id")]
    pub id: Id<Part>,
    pub name: String,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "hosts")]
pub struct Host {
    #[serde(rename = "_id")]
    pub id: ObjectId,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "countries")]
pub struct Country {
    #[serde(rename = "_id")]
    pub code: String,
}

pub type Parts = Vec<Id<Part>>;

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "products")]
pub struct Product {
    #[serde(rename = "_id")]
    pub id: Id<Product>,
    #[refs(Part)]
    pub parts: Vec<Id<Part>>,
    #[refs(Part)]
    pub set: HashSet<Id<Part>>,
    #[refs(Part)]
    pub alias: Parts,
    #[refs(Host)]
    pub hosts: Vec<ObjectId>,
    #[refs(Country)]
    pub countries: BTreeSet<String>,
}

pub fn main() {}
