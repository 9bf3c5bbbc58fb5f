// Ids in the keys of a map, or in its values.

use std::collections::{BTreeMap, HashMap};

use mongo_model::{Id, MongoEmbed, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "parts_by_name")]
pub struct Part {
    #[serde(rename = "_id")]
    pub id: Id<Part, String>,
    #[index(unique)]
    pub partno: String,
    pub name: String,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "products_by_part")]
pub struct Product {
    #[serde(rename = "_id")]
    pub id: Id<Product>,
    #[refs(Part, max = 100)]
    pub stock: BTreeMap<Id<Part, String>, i32>,
    #[refs(Part, max = 100, on_delete = keep)]
    pub spare: HashMap<String, Option<Id<Part, String>>>,
    #[refs(Part, max = 100, key = partno)]
    pub by_key: BTreeMap<String, i32>,
    #[refs(Part, max = 100, key = partno)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub in_values: Option<BTreeMap<Slot, String>>,
    pub inside: Inside,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "teams_by_role")]
pub struct Team {
    #[serde(rename = "_id")]
    pub id: Id<Team>,
    #[refs(Team, max = 50)]
    pub roles: HashMap<Id<Team>, String>,
    #[refs(Team, max = 50, on_delete = keep)]
    pub former: BTreeMap<Id<Team>, Note>,
}

#[derive(Serialize, Deserialize, MongoEmbed)]
pub struct Note {
    pub text: String,
}

#[derive(PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, MongoEmbed)]
pub enum Slot {
    Front,
    Back,
}

#[derive(Serialize, Deserialize, MongoEmbed)]
pub struct Inside {
    #[refs(Part, on_delete = cascade)]
    pub parts: BTreeMap<String, Id<Part, String>>,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "kits")]
pub struct Kit {
    #[serde(rename = "_id")]
    pub id: Id<Kit>,
    #[refs(Part, on_delete = pull)]
    pub parts: Vec<Id<Part, String>>,
}

pub fn main() {
    use mongo_model::model::Holds::{MapKeys, MapValues};
    let held: Vec<_> = Product::meta()
        .shape
        .fields
        .iter()
        .filter_map(|field| field.relation.map(|relation| relation.holds))
        .collect();
    assert_eq!(held, [MapKeys, MapValues, MapKeys, MapValues]);
    assert!(mongo_model::index::definitions(Product::meta()).is_empty());
}
