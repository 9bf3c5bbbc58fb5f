// `max` is a whole number, written out.

use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

const LIMIT: u64 = 20;

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "posts")]
pub struct Post {
    #[serde(rename = "_id")]
    pub id: Id<Post>,
    #[embed(max = "20")]
    pub string: Vec<String>,
    #[embed(max = -1)]
    pub negative: Vec<String>,
    #[embed(max = 2.5)]
    pub fraction: Vec<String>,
    #[embed(max = 20usize)]
    pub suffix: Vec<String>,
    #[embed(max = LIMIT)]
    pub constant: Vec<String>,
    #[embed(max(20))]
    pub list: Vec<String>,
    #[embed(max)]
    pub bare: Vec<String>,
    #[embed(max = 99999999999999999999)]
    pub huge: Vec<String>,
}

fn main() {
    let _ = LIMIT;
}
