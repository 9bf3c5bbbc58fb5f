// A model inside itself.

use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "categories")]
pub struct Category {
    #[serde(rename = "_id")]
    pub id: Id<Category>,
    pub parent: Option<Box<Category>>,
}

fn main() {}
