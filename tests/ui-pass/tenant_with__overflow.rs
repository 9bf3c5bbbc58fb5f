// An array that overflows into buckets of the same tenant.

use mongo_model::{BucketId, Id, MongoEmbed, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "tags", tenant = org)]
pub struct Tag {
    #[serde(rename = "_id")]
    pub id: Id<Tag>,
    pub org: i64,
    #[embed(max = 5, overflow = More)]
    pub pages: Vec<Page>,
    pub has_extras: bool,
}

#[derive(Clone, Serialize, Deserialize, MongoEmbed)]
pub struct Page {
    pub id: i64,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "more", bucket(pages), tenant = org)]
pub struct More {
    #[serde(rename = "_id")]
    pub id: BucketId<Tag>,
    pub org: i64,
    #[parent(Tag)]
    pub tag: Id<Tag>,
    pub count: i64,
    #[embed(max = 50)]
    pub pages: Vec<Page>,
}

pub fn main() {}
