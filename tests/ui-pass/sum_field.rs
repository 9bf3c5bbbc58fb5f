// Integers of both widths, absent ones too, added up and averaged; text, a variant, an integer and a `bool` in conditions; and the least
// and the greatest of all that has an order.

use bson::{DateTime, Decimal128};
use mongo_model::{Average, DecimalAverage, Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "carts")]
pub struct Cart {
    #[serde(rename = "_id")]
    pub id: Id<Cart>,
    #[sum(Line, field = price)]
    pub total: i64,
    #[sum(Line, field = tax)]
    pub taxes: Decimal128,
    #[sum(Line, field = tax * pieces, via = cart)]
    pub taxed: Decimal128,
    #[sum(Line, field = price * pieces)]
    pub value: i64,
    #[avg(Line, field = pieces * price)]
    pub mean_value: Average,
    #[avg(Line, field = tax)]
    pub mean_tax: DecimalAverage,
    #[avg(Line, field = tax * pieces, only(open = true))]
    #[serde(default)]
    pub mean_taxed: DecimalAverage,
    #[sum(Line, field = pieces, only(kind = "gift", open = true))]
    pub gifts: i64,
    #[count(Line, only(pieces = 1))]
    pub singles: i64,
    #[count(Line, via = cart, only(code = "a"))]
    pub a: i64,
    #[avg(Line, field = price, only(open = true))]
    #[serde(default, rename = "mean")]
    pub average: Average,
    #[recent(Line, max = 3, sort = -pieces, fields(open), only(kind = "gift", open = true))]
    pub gifts_shown: Vec<CartLine>,
    #[max(Line, field = price)]
    pub dearest: Option<i64>,
    #[min(Line, field = pieces, via = cart, only(open = true))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fewest: Option<i32>,
    #[min(Line, field = weight)]
    pub lightest: Option<f64>,
    #[max(Line, field = tax)]
    pub tax: Option<Decimal128>,
    #[max(Line, field = added)]
    pub last: Option<DateTime>,
    #[min(Line, field = code)]
    pub first: Option<String>,
    #[max(Line, field = kind)]
    pub kind: Option<Kind>,
}

#[derive(Serialize, Deserialize, mongo_model::MongoEmbed)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    Gift,
    Plain,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "lines")]
pub struct Line {
    #[serde(rename = "_id")]
    pub id: Id<Line>,
    #[parent(Cart)]
    pub cart: Id<Cart>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub price: Option<i64>,
    pub pieces: i32,
    pub kind: Kind,
    pub open: bool,
    pub code: String,
    pub weight: f64,
    pub tax: Decimal128,
    pub added: DateTime,
}

pub fn main() {}
