// No `#[model(..)]` at all: the caret is on the model.

use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
pub struct Post {
    #[serde(rename = "_id")]
    pub id: Id<Post>,
}

fn main() {}
