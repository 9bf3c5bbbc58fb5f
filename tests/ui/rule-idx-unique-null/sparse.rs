// `sparse` leaves out documents without the field, and `None` is stored as null.

use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "users")]
pub struct User {
    #[serde(rename = "_id")]
    pub id: Id<User>,
    #[index(unique, sparse)]
    pub email: Option<String>,
}

fn main() {}
