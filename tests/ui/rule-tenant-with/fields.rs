// An array whose rest would be found without the tenant, and indexes that say what every index says.

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

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "users", tenant = org, index(keys(org, name)))]
pub struct User {
    #[serde(rename = "_id")]
    pub id: Id<User>,
    #[index]
    pub org: i64,
    pub name: String,
    #[index(unique, sparse)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub email: Option<String>,
}

fn main() {}
