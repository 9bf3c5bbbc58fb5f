// A model without a collection cannot be stored.

use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(crate = ::mongo_model)]
pub struct Post {
    #[serde(rename = "_id")]
    pub id: Id<Post>,
}

fn main() {}
