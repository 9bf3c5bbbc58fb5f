// A reference that may dangle is not checked, and `checked` has no value.

use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "parts")]
pub struct Part {
    #[serde(rename = "_id")]
    pub id: Id<Part>,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "boxes")]
pub struct Box {
    #[serde(rename = "_id")]
    pub id: Id<Box>,
    #[parent(Part, on_delete = keep, checked)]
    pub kept: Id<Part>,
    #[parent(Part, checked = true)]
    pub valued: Id<Part>,
}

fn main() {}
