// A value without the name of its field.

use mongo_model::{Id, MongoEmbed, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "posts")]
#[serde(transparent)]
pub struct Post {
    #[serde(rename = "_id")]
    pub id: Id<Post>,
}

#[derive(Serialize, Deserialize, MongoEmbed)]
#[serde(transparent)]
pub struct Meters {
    pub value: f64,
}

fn main() {}
