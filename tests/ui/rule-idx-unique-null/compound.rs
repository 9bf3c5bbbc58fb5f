// All keys can be missing.

use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "users", index(keys(email, phone), unique))]
pub struct User {
    #[serde(rename = "_id")]
    pub id: Id<User>,
    pub email: Option<String>,
    pub phone: Option<String>,
}

fn main() {}
