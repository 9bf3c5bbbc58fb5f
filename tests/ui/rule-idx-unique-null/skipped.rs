// A missing field is a value like others to a unique index.

use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "users")]
pub struct User {
    #[serde(rename = "_id")]
    pub id: Id<User>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[index(unique)]
    pub email: Option<String>,
}

fn main() {}
