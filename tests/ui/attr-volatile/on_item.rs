// The attribute belongs on a field.

use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "parts")]
#[volatile]
pub struct Part {
    #[serde(rename = "_id")]
    pub id: Id<Part>,
}

fn main() {}
