// An alias does not hide the `Option`.

use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

pub type Email = Option<String>;

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "users")]
pub struct User {
    #[serde(rename = "_id")]
    pub id: Id<User>,
    #[index(unique)]
    pub email: Email,
}

fn main() {}
