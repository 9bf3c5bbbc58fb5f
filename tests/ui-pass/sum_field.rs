// Integers of both widths, absent ones too, added up and averaged; text, a variant, an integer and a `bool` in conditions.

use mongo_model::{Average, Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "carts")]
pub struct Cart {
    #[serde(rename = "_id")]
    pub id: Id<Cart>,
    #[sum(Line, field = price)]
    pub total: i64,
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
}

pub fn main() {}
