// A reference is stored in another form than the `_id` that it refers to.

use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "users")]
pub struct User {
    #[serde(rename = "_id", with = "bson::serde_helpers::object_id::FromHexString")]
    pub id: String,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "tags")]
pub struct Tag {
    #[serde(rename = "_id")]
    pub id: Id<Tag, String>,
    #[index(unique)]
    pub word: String,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "posts")]
pub struct Post {
    #[serde(rename = "_id")]
    pub id: Id<Post>,
    #[parent(User)]
    pub plain: String,
    #[parent(User)]
    #[serde(with = "reversed")]
    pub other: String,
    #[refs(User)]
    #[serde(with = "all")]
    pub readers: Vec<String>,
    #[parent(Tag)]
    #[serde(with = "tag")]
    pub tag: Id<Tag, String>,
    #[parent(Tag, key = word)]
    #[serde(with = "bson::serde_helpers::object_id::FromHexString")]
    pub word: String,
}

macro_rules! plain {
    ($($name:ident: $ty:ty;)*) => {$(
        pub mod $name {
            use super::*;
            pub fn serialize<S: serde::Serializer>(ids: &$ty, to: S) -> Result<S::Ok, S::Error> {
                ids.serialize(to)
            }
            pub fn deserialize<'de, D: serde::Deserializer<'de>>(from: D) -> Result<$ty, D::Error> {
                Deserialize::deserialize(from)
            }
        }
    )*};
}

plain! {
    reversed: String;
    all: Vec<String>;
    tag: Id<Tag, String>;
}

fn main() {}
