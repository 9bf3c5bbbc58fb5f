// `shard_key` takes the fields of the key.

use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "a", shard_key)]
pub struct A {
    #[serde(rename = "_id")]
    pub id: Id<A>,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "b", shard_key = id)]
pub struct B {
    #[serde(rename = "_id")]
    pub id: Id<B>,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "c", shard_key())]
pub struct C {
    #[serde(rename = "_id")]
    pub id: Id<C>,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "d", shard_key(zoned(id)))]
pub struct D {
    #[serde(rename = "_id")]
    pub id: Id<D>,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "e", shard_key(-id))]
pub struct E {
    #[serde(rename = "_id")]
    pub id: Id<E>,
}

fn main() {}
