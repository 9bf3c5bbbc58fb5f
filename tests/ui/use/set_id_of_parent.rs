// A reference that is the `_id` has no setter either, and `reassign_` is no method of its model.

use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "users")]
pub struct User {
    #[serde(rename = "_id")]
    pub id: Id<User>,
    pub name: String,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "profiles")]
pub struct Profile {
    #[serde(rename = "_id")]
    #[parent(User)]
    pub user: Id<User>,
    pub motto: String,
}

pub async fn calls(db: &mongo_model::Database, id: Id<User>) {
    let _ = Profile::update(db, id).set(|p| p.user, Id::new());
}

fn main() {}
