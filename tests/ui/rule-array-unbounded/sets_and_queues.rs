// An array of scalars without a bound: whatever the container.

use std::collections::{BTreeSet, HashSet, VecDeque};

use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "posts")]
pub struct Post {
    #[serde(rename = "_id")]
    pub id: Id<Post>,
    pub queue: VecDeque<i64>,
    pub hashed: HashSet<String>,
    pub sorted: BTreeSet<String>,
    pub boxed: Box<[f64]>,
    pub maybe: Option<Vec<String>>,
}

fn main() {}
