// A collection is shared with another model, not with any type.

use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize)]
pub struct Account {
    pub name: String,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "accounts", shares = Account)]
pub struct Login {
    #[serde(rename = "_id")]
    pub id: Id<Login>,
    pub name: String,
}

fn main() {}
