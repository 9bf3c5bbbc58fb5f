// A field of an embedded document.

use mongo_model::{Id, MongoEmbed, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoEmbed)]
pub struct Contact {
    pub email: Option<String>,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "users", index(keys(contact.email), unique))]
pub struct User {
    #[serde(rename = "_id")]
    pub id: Id<User>,
    pub contact: Contact,
}

fn main() {}
