// An entry in an array, alone, and in an `Option`; with derives of its own.

use std::collections::HashSet;

use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "parts")]
pub struct Part {
    #[serde(rename = "_id")]
    pub id: Id<Part>,
    pub name: String,
    #[volatile]
    pub qty: i64,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "products")]
pub struct Product {
    #[serde(rename = "_id")]
    pub id: Id<Product>,
    #[refs(Part)]
    #[denorm(from = Part, field = name)]
    pub many: Vec<ManyPart>,
    #[parent(Part)]
    #[denorm(from = Part, field = name)]
    pub one: OnePart,
    #[parent(Part)]
    #[denorm(from = Part, field = name, derive(Debug, Clone, PartialEq, Eq, Hash))]
    pub maybe: Option<MaybePart>,
}

pub fn main() {
    let part = MaybePart { id: Id::new(), name: "grommet".to_owned() };
    let set: HashSet<MaybePart> = [part.clone(), part].into();
    assert_eq!(set.len(), 1);
    let many = ManyPart { id: Id::new(), name: "grommet".to_owned() };
    assert_eq!(many.clone(), many);
}
