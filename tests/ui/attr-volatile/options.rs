// `#[volatile]` takes no options.

use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "parts")]
pub struct Part {
    #[serde(rename = "_id")]
    pub id: Id<Part>,
    #[volatile(true)]
    pub list: i64,
    #[volatile = true]
    pub value: i64,
    #[volatile()]
    pub empty: i64,
}

fn main() {}
