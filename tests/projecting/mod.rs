//! Reading parts of documents: the projections, the results, and the cases where the server reads no document.

mod borrowing;
mod covered;
mod fallback;
mod reading;

use bson::oid::ObjectId;
use mongo_model::{Id, MongoEmbed, MongoModel, MongoProjection};
use serde::{Deserialize, Serialize};

use crate::common::Bench;

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoEmbed)]
pub(crate) struct Geo {
    pub(crate) lat: i64,
    pub(crate) lon: i64,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoEmbed)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Address {
    pub(crate) city: String,
    pub(crate) zip_code: String,
    pub(crate) geo: Geo,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "projected_parts")]
pub(crate) struct Part {
    #[serde(rename = "_id")]
    pub(crate) id: Id<Part>,
    #[serde(rename = "partName")]
    pub(crate) name: String,
    pub(crate) qty: i64,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(
    collection = "products",
    index(keys(catalog_number, name)),
    index(keys(maker, id))
)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Product {
    #[serde(rename = "_id")]
    pub(crate) id: Id<Product>,
    pub(crate) name: String,
    pub(crate) catalog_number: i64,
    pub(crate) maker: String,
    #[serde(with = "bson::serde_helpers::datetime::AsRfc3339String")]
    pub(crate) made: bson::DateTime,
    pub(crate) note: Option<String>,
    pub(crate) address: Option<Address>,
    #[embed(max = 5)]
    pub(crate) stores: Vec<Address>,
    #[refs(Part)]
    #[denorm(from = Part, field = name)]
    pub(crate) parts: Vec<ProductPart>,
}

/// A product with everything in it.
pub(crate) fn product(n: u8) -> Product {
    let address = |city: &str| Address {
        city: city.to_owned(),
        zip_code: format!("{n}"),
        geo: Geo {
            lat: i64::from(n),
            lon: -1,
        },
    };
    Product {
        id: id(n),
        name: format!("product {n}"),
        catalog_number: i64::from(n),
        maker: "acme".to_owned(),
        made: bson::DateTime::from_millis(1_000 * i64::from(n)),
        note: None,
        address: (n.is_multiple_of(2)).then(|| address("Rome")),
        stores: vec![address("Bonn"), address("Oslo")],
        parts: vec![ProductPart {
            id: Id::from_raw(ObjectId::from_bytes([n; 12])),
            name: format!("part {n}"),
        }],
    }
}

pub(crate) fn id(n: u8) -> Id<Product> {
    Id::from_raw(ObjectId::from_bytes([n; 12]))
}

#[derive(Debug, PartialEq, Deserialize, MongoProjection)]
#[projection(of = Product)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Summary {
    #[serde(rename = "_id")]
    pub(crate) id: Id<Product>,
    pub(crate) name: String,
    pub(crate) catalog_number: i64,
}

impl Bench {
    /// Stores products under the declared indexes; clears the command log.
    pub(crate) async fn products(&self, numbers: impl IntoIterator<Item = u8>) {
        self.index(&[Product::meta()]).await;
        let products: Vec<Product> = numbers.into_iter().map(product).collect();
        self.place(&products).await;
    }
}
