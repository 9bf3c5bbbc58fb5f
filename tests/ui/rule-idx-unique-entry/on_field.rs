// On the field itself, where the index has to move to the model.

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
    pub id: Id<Profile>,
    #[parent(User)]
    #[denorm(from = User, field = name)]
    #[index(unique)]
    pub owner: Owner,
}

fn main() {}
