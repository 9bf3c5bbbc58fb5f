// References that would see deleted documents.

use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "users", soft_delete)]
pub struct User {
    #[serde(rename = "_id")]
    pub id: Id<User>,
    pub name: String,
    #[index(unique)]
    pub login: String,
    #[deleted]
    pub deleted_at: Option<bson::DateTime>,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "sessions")]
pub struct Session {
    #[serde(rename = "_id")]
    pub id: Id<Session>,
    #[parent(User, key = login)]
    pub login: String,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "keys")]
pub struct Key {
    #[serde(rename = "_id")]
    pub id: Id<Key>,
    #[parent(User, checked)]
    pub owner: Id<User>,
}

fn main() {}
