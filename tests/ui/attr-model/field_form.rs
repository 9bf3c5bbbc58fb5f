// Bare, with `=`, and with other brackets.

use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "posts")]
pub struct Post {
    #[serde(rename = "_id")]
    pub id: Id<Post>,
    #[model]
    pub bare: String,
    #[model = "opaque"]
    pub value: String,
    #[model[opaque]]
    pub brackets: String,
}

fn main() {}
