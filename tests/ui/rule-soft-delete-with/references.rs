// References that would have to follow a delete.

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
#[model(collection = "posts")]
pub struct Post {
    #[serde(rename = "_id")]
    pub id: Id<Post>,
    #[parent(User, on_delete = cascade)]
    pub author: Id<User>,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "boards")]
pub struct Board {
    #[serde(rename = "_id")]
    pub id: Id<Board>,
    #[refs(User, max = 5, on_delete = pull)]
    pub watchers: Vec<Id<User>>,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "photos")]
pub struct Photo {
    #[serde(rename = "_id")]
    pub id: Id<Photo>,
    #[parent(User)]
    pub owner: Id<User>,
    #[denorm(from = User, field = name)]
    pub owner_name: String,
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
