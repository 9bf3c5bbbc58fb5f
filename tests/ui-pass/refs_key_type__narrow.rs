// Keys that are always data: a newtype, and a document that may hold a pattern inside, which a list compares as a whole.

use mongo_model::{Id, MongoEmbed, MongoModel, bson};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "tags")]
pub struct Tag {
    #[serde(rename = "_id")]
    pub id: Rule,
    #[index(unique)]
    pub code: Code,
}

#[derive(Clone, Serialize, Deserialize, MongoEmbed)]
pub struct Code(pub String);

#[derive(Clone, Serialize, Deserialize, MongoEmbed)]
pub struct Rule {
    pub applies_to: bson::Bson,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "notes")]
pub struct Note {
    #[serde(rename = "_id")]
    pub id: Id<Note>,
    #[parent(Tag, key = code)]
    pub code: Code,
    #[parent(Tag)]
    pub rule: Option<Rule>,
}

pub fn main() {}
