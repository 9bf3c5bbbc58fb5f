//! Products and their parts: one-to-many with a copied name.

use bson::Decimal128;
use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

/// A part of products.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "guide_parts")]
pub struct Part {
    #[serde(rename = "_id")]
    pub id: Id<Part>,
    #[index(unique)]
    pub partno: String,
    pub name: String,
    #[volatile]
    pub qty: i64,
    pub price: Decimal128,
}

/// A product of the catalogue.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "guide_products")]
pub struct Product {
    #[serde(rename = "_id")]
    pub id: Id<Product>,
    pub name: String,
    #[index(unique)]
    pub catalog_number: i64,
    #[refs(Part, max = 2000, on_delete = pull)]
    #[denorm(from = Part, field = name)]
    pub parts: Vec<ProductPart>,
}

/// A part with 10 in stock that costs 1.
///
/// # Panics
/// Never: the price is a number.
#[must_use]
pub fn part(partno: &str, name: &str) -> Part {
    Part {
        id: Id::new(),
        partno: partno.to_owned(),
        name: name.to_owned(),
        qty: 10,
        price: "1.00".parse().expect("a number"),
    }
}

/// A product that consists of these parts.
#[must_use]
pub fn product(name: &str, catalog_number: i64, parts: &[&Part]) -> Product {
    let entry = |part: &&Part| ProductPart {
        id: part.id,
        name: part.name.clone(),
    };
    Product {
        id: Id::new(),
        name: name.to_owned(),
        catalog_number,
        parts: parts.iter().map(entry).collect(),
    }
}
