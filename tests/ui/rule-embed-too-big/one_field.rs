// The smallest values that fill the bound do not fit a document: 10 000 pages of 1.8 kB.

use mongo_model::{Id, MongoEmbed, MongoModel};
use serde::{Deserialize, Serialize};

use bson::Decimal128;

#[derive(Serialize, Deserialize, MongoEmbed)]
pub struct Row {
    pub a: Decimal128,
    pub b: Decimal128,
    pub c: Decimal128,
    pub d: Decimal128,
    pub e: Decimal128,
    pub f: Decimal128,
    pub g: Decimal128,
    pub h: Decimal128,
}

#[derive(Serialize, Deserialize, MongoEmbed)]
pub struct Page {
    pub a: Row,
    pub b: Row,
    pub c: Row,
    pub d: Row,
    pub e: Row,
    pub f: Row,
    pub g: Row,
    pub h: Row,
    pub i: Row,
    pub j: Row,
    pub k: Row,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "tables")]
pub struct Table {
    #[serde(rename = "_id")]
    pub id: Id<Table>,
    #[embed(max = 10000)]
    #[model(allow(embed_too_many, reason = "a year of them"))]
    pub pages: Vec<Page>,
}

fn main() {}
