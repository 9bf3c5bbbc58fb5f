// Unique indexes of models with shard keys.

use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "users", shard_key(hashed(id)), index(keys(site, badge), unique))]
pub struct User {
    #[serde(rename = "_id")]
    pub id: Id<User>,
    #[index(unique)]
    pub email: String,
    pub site: i64,
    pub badge: i64,
}

fn main() {}
