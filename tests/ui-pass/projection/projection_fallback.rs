// Copies, the id, and what may be absent; from an entry or from plain copies.

use mongo_model::{Id, MongoModel, MongoProjection};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "parts")]
pub struct Part {
    #[serde(rename = "_id")]
    pub id: Id<Part>,
    pub name: String,
    pub qty: i64,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "products")]
pub struct Product {
    #[serde(rename = "_id")]
    pub id: Id<Product>,
    #[refs(Part)]
    #[denorm(from = Part, field = name)]
    pub parts: Vec<ProductPart>,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "moves")]
pub struct Move {
    #[serde(rename = "_id")]
    pub id: Id<Move>,
    #[parent(Part)]
    pub part: Id<Part>,
    #[denorm(from = Part, field = name)]
    pub part_name: String,
}

type Maybe<T> = Option<T>;

#[derive(Deserialize, MongoProjection)]
#[projection(of = Part, fallback = ProductPart)]
pub struct FromEntry {
    #[serde(rename = "_id")]
    pub id: Id<Part>,
    pub name: String,
    pub qty: Maybe<i64>,
}

#[derive(Deserialize, MongoProjection)]
#[projection(of = Part, fallback = Move)]
pub struct FromCopies {
    pub name: Option<String>,
    pub qty: Option<i64>,
}

pub fn main() {}
