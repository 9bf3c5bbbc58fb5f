// `rename_all` takes the underscore away.

use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "posts")]
#[serde(rename_all = "camelCase")]
pub struct Post {
    pub _id: Id<Post>,
}

fn main() {}
