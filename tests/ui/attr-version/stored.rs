// A version that is stored in a form of its own, or not at all.

use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "a")]
pub struct A {
    #[serde(rename = "_id")]
    pub id: Id<A>,
    #[version]
    #[serde(with = "text")]
    pub version: i64,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "b")]
pub struct B {
    #[serde(rename = "_id")]
    pub id: Id<B>,
    #[version]
    #[serde(default, skip_serializing_if = "zero")]
    pub version: i64,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "c")]
pub struct C {
    #[serde(rename = "_id")]
    pub id: Id<C>,
    #[version]
    #[serde(skip)]
    pub version: i64,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "d")]
#[serde(deny_unknown_fields)]
pub struct D {
    #[serde(rename = "_id")]
    pub id: Id<D>,
    #[version]
    pub version: i64,
}

fn zero(version: &i64) -> bool {
    *version == 0
}

mod text {
    use serde::{Deserialize, Deserializer, Serializer};

    pub fn serialize<S: Serializer>(version: &i64, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&version.to_string())
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<i64, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}

fn main() {}
