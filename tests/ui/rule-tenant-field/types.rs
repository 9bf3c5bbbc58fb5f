// A collation may take two strings for equal, and a document without a tenant would belong to nobody.

use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "a", tenant = org)]
pub struct Named {
    #[serde(rename = "_id")]
    pub id: Id<Named>,
    pub org: String,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "b", tenant = org)]
pub struct Absent {
    #[serde(rename = "_id")]
    pub id: Id<Absent>,
    pub org: Option<Id<Absent>>,
}

fn main() {}
