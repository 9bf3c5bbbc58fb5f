// A float, whose sum depends on the order.

use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "carts")]
pub struct Cart {
    #[serde(rename = "_id")]
    pub id: Id<Cart>,
    #[sum(Line, field = weight)]
    pub weight: i64,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "lines")]
pub struct Line {
    #[serde(rename = "_id")]
    pub id: Id<Line>,
    #[parent(Cart)]
    pub cart: Id<Cart>,
    pub price: i64,
    pub weight: f64,
    pub open: bool,
    #[version]
    pub version: i64,
    #[count(Note)]
    pub notes: i64,
    #[parent(Tax)]
    pub tax: Id<Tax>,
    #[denorm(from = Tax, field = rate)]
    pub rate: i64,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "taxes")]
pub struct Tax {
    #[serde(rename = "_id")]
    pub id: Id<Tax>,
    pub rate: i64,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "notes")]
pub struct Note {
    #[serde(rename = "_id")]
    pub id: Id<Note>,
    #[parent(Line)]
    pub line: Id<Line>,
}

fn main() {}
