//! The models of every test here: parts that are copied into the products that use them, into the stocks of them and into the bins
//! they lie in, and from those onto labels.

use bson::oid::ObjectId;
use mongo_model::{Database, Id, MongoModel, sync_indexes};
use serde::{Deserialize, Serialize};

/// The source of copies.
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
    /// Copied once into stocks.
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
    /// The part in stock.
    #[parent(Part)]
    pub part: Id<Part>,
    /// A copy.
    #[denorm(from = Part, field = name)]
    pub part_name: String,
    /// The part's quantity when this reference was set.
    #[denorm(from = Part, field = qty, snapshot)]
    pub first_qty: i64,
    /// Its own.
    pub count: i64,
}

/// Holds a copy for an optional reference. Labels copy that copy.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "bins")]
pub struct Bin {
    /// Its key.
    #[serde(rename = "_id")]
    pub id: Id<Bin>,
    /// The part in the bin.
    #[parent(Part)]
    pub part: Option<Id<Part>>,
    /// A copy.
    #[denorm(from = Part, field = name)]
    pub part_name: Option<String>,
}

/// Holds a copy of a copy.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "labels")]
pub struct Label {
    /// Its key.
    #[serde(rename = "_id")]
    pub id: Id<Label>,
    /// The bin that it sticks to.
    #[parent(Bin)]
    pub bin: Id<Bin>,
    /// A copy of a copy.
    #[denorm(from = Bin, field = part_name)]
    pub says: Option<String>,
}

/// The collections, sources first.
pub const COLLECTIONS: [&str; 5] = ["parts", "products", "stocks", "bins", "labels"];

/// The same key in every process.
#[must_use]
pub fn key<M>(n: u8) -> Id<M> {
    let mut bytes = [0; 12];
    bytes[11] = n + 1;
    Id::from_raw(ObjectId::from_bytes(bytes))
}

/// The quantity of a part, copied as a snapshot, where no program changes it: another number for each part.
#[must_use]
pub fn qty(n: u8) -> i64 {
    100 + i64::from(n)
}

/// A part that no entry was made of yet.
#[must_use]
pub fn part(n: u8, name: &str) -> Part {
    Part {
        id: key(n),
        name: name.to_owned(),
        unit: None,
        qty: qty(n),
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
        first_qty: -1,
        count: 0,
    }
}

/// A bin of a part or of nothing, with a copy that says `wrong`.
#[must_use]
pub fn bin(n: u8, of: Option<u8>) -> Bin {
    Bin {
        id: key(n),
        part: of.map(key),
        part_name: of.map(|_| "wrong".to_owned()),
    }
}

/// A label of a bin, with a copy that says `wrong`.
#[must_use]
pub fn label(n: u8, of: u8) -> Label {
    Label {
        id: key(n),
        bin: key(of),
        says: Some("wrong".to_owned()),
    }
}

/// Creates the declared indexes.
///
/// # Errors
/// Those of [`sync_indexes`].
pub async fn index(db: &Database) -> mongo_model::Result<()> {
    sync_indexes(db)
        .models(&[
            Part::meta(),
            Product::meta(),
            Stock::meta(),
            Bin::meta(),
            Label::meta(),
        ])
        .await?;
    Ok(())
}
