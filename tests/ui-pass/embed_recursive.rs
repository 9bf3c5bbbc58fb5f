// A tree by reference, and a recursive type that is opaque.

use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize)]
pub struct Tree {
    pub children: Vec<Tree>,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "categories")]
pub struct Category {
    #[serde(rename = "_id")]
    pub id: Id<Category>,
    #[parent(Category)]
    pub parent: Option<Id<Category>>,
    #[refs(Category, max = 20)]
    pub ancestors: Vec<Id<Category>>,
    #[model(opaque)]
    pub layout: Tree,
}

pub fn main() {}
