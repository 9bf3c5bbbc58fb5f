// On the struct, with a condition about another field.

use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "users", index(keys(email), unique, partial(active = true)))]
pub struct User {
    #[serde(rename = "_id")]
    pub id: Id<User>,
    pub email: Option<String>,
    pub active: bool,
}

fn main() {}
