// Each document says which tenant it belongs to.

use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "customers", tenant = org)]
pub struct Customer {
    #[serde(rename = "_id")]
    pub id: Id<Customer>,
    #[serde(rename = "o")]
    pub org: Id<Org>,
    #[index(unique)]
    pub email: String,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "visits", tenant = shop)]
pub struct Visit {
    #[serde(rename = "_id")]
    pub id: Id<Visit>,
    pub shop: i64,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "orgs")]
pub struct Org {
    #[serde(rename = "_id")]
    pub id: Id<Org>,
}

pub fn main() {}
