// `opaque` is a word.

use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "posts")]
pub struct Post {
    #[serde(rename = "_id")]
    pub id: Id<Post>,
    #[model(opaque = true)]
    pub value: String,
    #[model(opaque(yes))]
    pub list: String,
    #[model(opaque, opaque)]
    pub twice: String,
}

fn main() {}
