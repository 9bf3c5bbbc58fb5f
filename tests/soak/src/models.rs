//! The models of every test here: parts that are copied into the products that use them, and into the stocks of them.

use bson::oid::ObjectId;
use mongo_model::{Database, Id, MongoModel, sync_indexes};
use serde::{Deserialize, Serialize};

/// What is copied.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "parts")]
pub struct Part {
    /// Its key.
    #[serde(rename = "_id")]
    pub id: Id<Part>,
    /// Copied into products and stocks.
    pub name: String,
    /// Copied into products; may be absent.
    pub unit: Option<String>,
    /// Copied nowhere.
    pub qty: i64,
}

/// Holds copies in an array.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "products")]
pub struct Product {
    /// Its key.
    #[serde(rename = "_id")]
    pub id: Id<Product>,
    /// Its own.
    pub title: String,
    /// The parts it is made of.
    #[refs(Part, max = 8)]
    #[denorm(from = Part, fields(name, unit))]
    pub parts: Vec<ProductPart>,
}

/// Holds a copy beside one reference.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "stocks")]
pub struct Stock {
    /// Its key.
    #[serde(rename = "_id")]
    pub id: Id<Stock>,
    /// What is in stock.
    #[parent(Part)]
    pub part: Id<Part>,
    /// A copy.
    #[denorm(from = Part, field = name)]
    pub part_name: String,
    /// Its own.
    pub count: i64,
}

/// The collections, sources first.
pub const COLLECTIONS: [&str; 3] = ["parts", "products", "stocks"];

/// The same key in every process.
#[must_use]
pub fn key<M>(n: u8) -> Id<M> {
    let mut bytes = [0; 12];
    bytes[11] = n + 1;
    Id::from_raw(ObjectId::from_bytes(bytes))
}

/// A part that no entry was made of yet.
#[must_use]
pub fn part(n: u8, name: &str) -> Part {
    Part {
        id: key(n),
        name: name.to_owned(),
        unit: None,
        qty: 0,
    }
}

/// A copy that says `name`, whatever the part is called.
#[must_use]
pub fn entry(n: u8, name: &str) -> ProductPart {
    ProductPart {
        id: key(n),
        name: name.to_owned(),
        unit: None,
    }
}

/// A product of these entries.
#[must_use]
pub fn product(n: u8, parts: Vec<ProductPart>) -> Product {
    Product {
        id: key(n),
        title: "new".to_owned(),
        parts,
    }
}

/// A stock of a part, with a copy that says `name`.
#[must_use]
pub fn stock(n: u8, of: u8, name: &str) -> Stock {
    Stock {
        id: key(n),
        part: key(of),
        part_name: name.to_owned(),
        count: 0,
    }
}

/// Creates the declared indexes.
///
/// # Errors
/// Those of [`sync_indexes`].
pub async fn index(db: &Database) -> mongo_model::Result<()> {
    sync_indexes(db)
        .models(&[Part::meta(), Product::meta(), Stock::meta()])
        .await?;
    Ok(())
}
