// Attributes that are honoured.

use mongo_model::{Id, MongoEmbed, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Clone, Serialize, Deserialize, MongoEmbed)]
#[serde(transparent)]
pub struct Meters(pub f64);

#[derive(Serialize, Deserialize, MongoEmbed)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Address {
    #[serde(alias = "street")]
    pub street_name: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub zip_code: Option<String>,
}

#[derive(Serialize, Deserialize, MongoEmbed)]
#[serde(tag = "kind", rename_all = "lowercase", rename_all_fields = "camelCase")]
pub enum Block {
    FirstText { first_line: String },
    #[serde(rename = "break")]
    Break,
    #[serde(other)]
    Unknown,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "people")]
#[serde(rename_all = "camelCase")]
pub struct Person {
    #[serde(rename = "_id")]
    pub id: Id<Person>,
    pub home_address: Option<Address>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[embed(max = 20)]
    pub blocks: Vec<Block>,
    #[serde(skip)]
    pub cached: i64,
}

/// Nothing is stored in documents that only such references lead to.
#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "countries")]
#[serde(deny_unknown_fields)]
pub struct Country {
    #[serde(rename = "_id")]
    pub id: Id<Country>,
    #[embed(max = 3)]
    pub addresses: Vec<Address>,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "cities")]
pub struct City {
    #[serde(rename = "_id")]
    pub id: Id<City>,
    #[parent(Country, on_delete = keep)]
    pub country: Id<Country>,
}

pub fn main() {
    let names: Vec<&str> = Person::meta().shape.fields.iter().map(|field| field.name).collect();
    assert_eq!(names, ["_id", "homeAddress", "blocks"]);
}
