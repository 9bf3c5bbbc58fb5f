// Functions that judge one value, each element, and a whole document; keys and values of a map; rules of writes; several attributes.

use std::collections::{BTreeMap, BTreeSet};

use mongo_model::{Id, MongoEmbed, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoEmbed)]
pub struct Slug(pub String);

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "products", check(low <= high, with = Product::is_right))]
pub struct Product {
    #[serde(rename = "_id")]
    pub id: Id<Product>,
    #[check(with = names::is_free)]
    #[check(len = ..=80, on = write)]
    pub name: String,
    #[check(with = is_slug)]
    pub slug: Option<Slug>,
    #[check(keys(len = 2, pattern = "^[a-z]+$"), values(with = is_even, range = 0..=8))]
    #[embed(max = 5)]
    pub marks: BTreeMap<String, Option<i32>>,
    #[check(keys(one_of("it", "de")), values(not_empty), on = write)]
    #[embed(max = 5)]
    pub words: BTreeMap<String, String>,
    #[check(each(with = is_even))]
    #[embed(max = 5)]
    pub sizes: BTreeSet<i32>,
    pub low: i32,
    pub high: i32,
}

impl Product {
    fn is_right(&self) -> Result<(), &'static str> {
        Ok(())
    }
}

fn is_slug(_: &Slug) -> Result<(), &'static str> {
    Ok(())
}

fn is_even(n: &i32) -> Result<(), &'static str> {
    (n % 2 == 0).then_some(()).ok_or("must be even")
}

// A crate's rules stand beside those of the model, in one `check(..)`; a field may be called like the crate.
#[derive(Serialize, Deserialize, MongoModel, garde::Validate)]
#[model(collection = "orders", check(garde <= most, garde))]
pub struct Order {
    #[serde(rename = "_id")]
    #[garde(skip)]
    pub id: Id<Order>,
    #[garde(range(min = 1))]
    pub garde: i32,
    #[garde(skip)]
    pub most: i32,
}

mod names {
    pub fn is_free(name: &str) -> Result<(), &'static str> {
        (name != "admin").then_some(()).ok_or("is reserved")
    }
}

pub fn main() {}
