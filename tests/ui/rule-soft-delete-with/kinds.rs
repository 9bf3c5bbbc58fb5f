// A queue, and an index that is sparse.

use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "jobs", soft_delete, queue)]
pub struct Job {
    #[serde(rename = "_id")]
    pub id: Id<Job>,
    #[deleted]
    pub deleted_at: Option<bson::DateTime>,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "users", soft_delete)]
pub struct User {
    #[serde(rename = "_id")]
    pub id: Id<User>,
    #[index(unique, sparse)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub email: Option<String>,
    #[deleted]
    pub deleted_at: Option<bson::DateTime>,
}

fn main() {}
