// A key that can be a regular expression, behind an alias and in an entry with copies too.

use mongo_model::{Id, MongoEmbed, MongoModel, bson};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "tags")]
pub struct Tag {
    #[serde(rename = "_id")]
    pub id: Id<Tag>,
    #[index(unique)]
    pub any: bson::Bson,
    #[index(unique)]
    pub code: Code,
    pub name: String,
}

#[derive(Clone, Serialize, Deserialize, MongoEmbed)]
pub struct Code(pub bson::Regex);

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "notes")]
pub struct Note {
    #[serde(rename = "_id")]
    pub id: Id<Note>,
    #[parent(Tag, key = any)]
    pub tag: bson::Bson,
    #[parent(Tag, key = code)]
    #[denorm(from = Tag, field = name)]
    pub code: TagRef,
}

fn main() {}
