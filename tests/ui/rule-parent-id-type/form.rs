// A reference is stored in another form than the `_id` that it refers to.

use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "users")]
pub struct User {
    #[serde(rename = "_id", with = "bson::serde_helpers::uuid_1::AsBinary")]
    pub id: uuid::Uuid,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "tags")]
pub struct Tag {
    #[serde(rename = "_id")]
    pub id: String,
    #[index(unique)]
    pub word: String,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "posts")]
pub struct Post {
    #[serde(rename = "_id")]
    pub id: Id<Post>,
    #[parent(User)]
    #[model(allow(uuid_generic, reason = "another form than the user's"))]
    pub plain: uuid::Uuid,
    #[parent(User)]
    #[serde(with = "bson::serde_helpers::uuid_1::AsJavaLegacyBinary")]
    pub java: uuid::Uuid,
    #[refs(User)]
    #[serde(with = "uuids")]
    pub readers: Vec<uuid::Uuid>,
    #[parent(Tag)]
    #[serde(with = "bson::serde_helpers::object_id::FromHexString")]
    pub tag: String,
    #[parent(Tag, key = word)]
    #[serde(with = "bson::serde_helpers::object_id::FromHexString")]
    pub word: String,
}

pub mod uuids {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    pub fn serialize<S: Serializer>(ids: &[uuid::Uuid], to: S) -> Result<S::Ok, S::Error> {
        ids.serialize(to)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<uuid::Uuid>, D::Error> {
        Vec::deserialize(from)
    }
}

fn main() {}
