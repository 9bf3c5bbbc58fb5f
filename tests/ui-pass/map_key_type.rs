// Strings, ObjectIds in an `Id`, enums without data, newtypes of strings, and ids that are strings.

use std::collections::{BTreeMap, HashMap};

use mongo_model::{Id, MongoEmbed, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoEmbed)]
#[derive(PartialEq, Eq, PartialOrd, Ord)]
pub enum Size {
    Small,
    Large,
}

#[derive(Serialize, Deserialize, MongoEmbed)]
#[derive(PartialEq, Eq, PartialOrd, Ord)]
pub struct Name(pub String);

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "countries")]
pub struct Country {
    #[serde(rename = "_id")]
    pub code: Id<Country, String>,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "products")]
pub struct Product {
    #[serde(rename = "_id")]
    pub id: Id<Product>,
    #[embed(max = 50)]
    pub strings: BTreeMap<String, i64>,
    #[embed(max = 50)]
    pub ids: BTreeMap<Id<Product>, i64>,
    #[embed(max = 50)]
    pub sizes: BTreeMap<Size, i64>,
    #[embed(max = 50)]
    pub names: BTreeMap<Name, i64>,
    #[embed(max = 50)]
    pub countries: HashMap<Id<Country, String>, i64>,
}

pub fn main() {}
