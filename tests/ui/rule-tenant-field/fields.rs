// What cannot say which tenant a document belongs to.

use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "orgs")]
pub struct Org {
    #[serde(rename = "_id")]
    pub id: Id<Org>,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "a", tenant = ogr)]
pub struct Misspelt {
    #[serde(rename = "_id")]
    pub id: Id<Misspelt>,
    pub org: Id<Org>,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "b", tenant = id)]
pub struct Itself {
    #[serde(rename = "_id")]
    pub id: Id<Itself>,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "c", tenant = org)]
pub struct Referring {
    #[serde(rename = "_id")]
    pub id: Id<Referring>,
    #[parent(Org)]
    pub org: Id<Org>,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "d", tenant = org)]
pub struct Sometimes {
    #[serde(rename = "_id")]
    pub id: Id<Sometimes>,
    #[serde(default, skip_serializing_if = "is_zero")]
    pub org: i64,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "e", tenant = org)]
pub struct Skipped {
    #[serde(rename = "_id")]
    pub id: Id<Skipped>,
    #[serde(skip)]
    pub org: i64,
}

fn is_zero(number: &i64) -> bool {
    *number == 0
}

fn main() {}
