// An array of documents without a bound: whatever the container.

use std::collections::{BTreeSet, HashSet, VecDeque};

use mongo_model::{Id, MongoEmbed, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, MongoEmbed)]
pub struct Line {
    pub text: String,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "posts")]
pub struct Post {
    #[serde(rename = "_id")]
    pub id: Id<Post>,
    pub queue: VecDeque<Line>,
    pub hashed: HashSet<Line>,
    pub sorted: BTreeSet<Line>,
    pub boxed: Box<[Line]>,
}

fn main() {}
