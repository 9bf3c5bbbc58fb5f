// An array has no order, also where an alias hides it.

use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

pub type Tags = Vec<String>;

#[derive(Serialize, Deserialize, MongoModel)]
#[model(
    collection = "messages",
    index(keys(host, tags)),
    access(tagged(host, sort = tags))
)]
pub struct Message {
    #[serde(rename = "_id")]
    pub id: Id<Message>,
    pub host: String,
    #[embed(max = 5)]
    pub tags: Tags,
}

fn main() {}
