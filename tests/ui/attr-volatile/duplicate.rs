// `#[volatile]` twice.

use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "parts")]
pub struct Part {
    #[serde(rename = "_id")]
    pub id: Id<Part>,
    #[volatile]
    #[volatile]
    pub qty: i64,
}

fn main() {}
