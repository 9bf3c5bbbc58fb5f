// Rules that fit: of strings, numbers, arrays and their elements, through an `Option`, an alias and a newtype.

use std::collections::BTreeSet;

use mongo_model::{Id, MongoEmbed, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoEmbed)]
pub struct Slug(pub String);

pub type Percent = i32;

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "products")]
pub struct Product {
    #[serde(rename = "_id")]
    pub id: Id<Product>,
    #[check(len = 3..=80)]
    pub name: String,
    #[check(not_empty, len = ..=40)]
    pub slug: Slug,
    #[check(range = 0..=100)]
    pub percent: Percent,
    #[check(range = 1..)]
    pub pieces: Option<u32>,
    #[check(range = 0..1)]
    pub ratio: f64,
    #[check(finite)]
    pub weight: Option<f32>,
    #[check(range = 0.01..=99.99, finite)]
    pub price: bson::Decimal128,
    #[check(one_of("new", "paid"))]
    pub state: String,
    #[check(one_of(1, 2, 5))]
    pub step: i64,
    #[model(check(len = 1..=5, each(len = 1..=20)))]
    #[embed(max = 5)]
    pub tags: Vec<String>,
    #[check(each(range = -90..=90))]
    #[embed(max = 5)]
    pub marks: BTreeSet<i64>,
}

pub fn main() {}
