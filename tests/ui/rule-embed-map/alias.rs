// An alias and an `Option` do not hide it.

use std::collections::HashMap;

use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

pub type Attrs = HashMap<String, String>;

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "products")]
pub struct Product {
    #[serde(rename = "_id")]
    pub id: Id<Product>,
    pub attrs: Attrs,
    pub maybe: Option<Attrs>,
}

fn main() {}
