// An alias does not hide it.

use mongo_model::MongoModel;
use serde::{Deserialize, Serialize};

pub type Key = Option<i64>;

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "posts")]
pub struct Post {
    #[serde(rename = "_id")]
    pub id: Key,
}

fn main() {}
