// An `i64`, through an alias too, or an `i32`; under a stored name of its own, and inside `#[model(..)]`.

use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "a")]
pub struct A {
    #[serde(rename = "_id")]
    pub id: Id<A>,
    #[version]
    pub version: Number,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "b")]
pub struct B {
    #[serde(rename = "_id")]
    pub id: Id<B>,
    #[model(version)]
    #[serde(rename = "rev", default)]
    pub version: i32,
    pub hits: i64,
}

pub type Number = i64;

pub fn calls(db: &mongo_model::Database, mut a: A) {
    let _ = a.save_if_unchanged(db);
    let _ = B::update_with(db, Id::new(), |b| b.version += 1);
    let _ = B::update(db, Id::new()).only_if(|b| b.version.eq(3)).inc(|b| b.hits, 1);
}

pub fn main() {}
