// `unchecked` where no write checks the reference, where the attribute asks for the check as well, and where copies need it.

use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "parts")]
pub struct Part {
    #[serde(rename = "_id")]
    pub id: Id<Part>,
    pub name: String,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "boxes")]
pub struct Box {
    #[serde(rename = "_id")]
    pub id: Id<Box>,
    #[parent(Part, on_delete = keep, unchecked)]
    pub kept: Id<Part>,
    #[parent(Part, checked, unchecked)]
    pub both: Id<Part>,
    #[parent(Part, unchecked = true)]
    pub valued: Id<Part>,
    #[parent(Part, unchecked)]
    pub beside: Id<Part>,
    #[denorm(from = Part, field = name, via = beside)]
    pub name: String,
    #[parent(Part, unchecked)]
    #[denorm(from = Part, field = name)]
    pub entry: PartCopy,
}

fn main() {}
