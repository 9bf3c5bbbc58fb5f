// `#[model = ".."]` is not the form.

use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model = "posts"]
pub struct Post {
    #[serde(rename = "_id")]
    pub id: Id<Post>,
}

fn main() {}
