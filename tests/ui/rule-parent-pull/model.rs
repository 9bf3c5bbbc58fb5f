// `pull` has no element to remove around a field of the model itself.

use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "users")]
pub struct User {
    #[serde(rename = "_id")]
    pub id: Id<User>,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "tasks")]
pub struct Task {
    #[serde(rename = "_id")]
    pub id: Id<Task>,
    #[parent(User, on_delete = pull)]
    pub owner: Id<User>,
    #[parent(User, on_delete = pull)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reviewer: Option<Id<User>>,
}

fn main() {}
