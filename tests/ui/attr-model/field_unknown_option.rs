// Options of `#[model(..)]` on a field.

use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "posts")]
pub struct Post {
    #[serde(rename = "_id")]
    pub id: Id<Post>,
    #[model(opaqe)]
    pub near: String,
    #[model(collection = "posts")]
    pub of_the_item: String,
    #[model(sensitive)]
    pub far: String,
}

fn main() {}
