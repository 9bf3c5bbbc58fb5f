// Options stand in parentheses.

use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "posts")]
pub struct Post {
    #[serde(rename = "_id")]
    pub id: Id<Post>,
    #[embed[max = 20]]
    pub brackets: Vec<String>,
    #[embed{max = 20}]
    pub braces: Vec<String>,
}

fn main() {}
