// Indexes that say what every index says.

use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

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
