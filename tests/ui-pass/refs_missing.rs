// What a loader makes of an id that no document has stands in the table.

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
#[model(collection = "products")]
pub struct Product {
    #[serde(rename = "_id")]
    pub id: Id<Product>,
    #[refs(Part, missing = drop)]
    pub drop: Vec<Id<Part>>,
    #[refs(Part, missing = strict)]
    pub strict: Vec<Id<Part>>,
    #[refs(Part, missing = keep_slots)]
    pub keep: Vec<Option<Id<Part>>>,
    #[parent(Part, missing = drop)]
    pub one: Id<Part>,
    #[parent(Part, missing = strict)]
    pub strict_one: Option<Id<Part>>,
}

pub fn main() {
    use mongo_model::model::OnMissing::{Drop, KeepSlots, Strict};
    let found: Vec<_> = Product::meta()
        .shape
        .fields
        .iter()
        .filter_map(|field| field.relation.map(|relation| relation.missing))
        .collect();
    assert_eq!(found, [Drop, Strict, KeepSlots, Drop, Strict]);
}
