// Indexes across tenants without a reason, without `unique`, and on a model that has no tenants.

use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "users", tenant = org, index(keys(name), across_tenants = "a list"))]
pub struct User {
    #[serde(rename = "_id")]
    pub id: Id<User>,
    pub org: i64,
    pub name: String,
    #[index(unique, across_tenants = "")]
    pub email: String,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "plans")]
pub struct Plan {
    #[serde(rename = "_id")]
    pub id: Id<Plan>,
    #[index(unique, across_tenants = "every plan has a name of its own")]
    pub name: String,
}

fn main() {}
