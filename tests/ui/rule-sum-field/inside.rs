// Paths that lead through no embedded document, through an array, a map and an `opaque` document, and to no field that can be used.

use std::collections::HashMap;

use mongo_model::{Id, MongoEmbed, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "carts")]
pub struct Cart {
    #[serde(rename = "_id")]
    pub id: Id<Cart>,
    #[sum(Line, field = price.amount)]
    pub of_integer: i64,
    #[sum(Line, field = money.amuont)]
    pub misspelt: i64,
    #[sum(Line, field = mony.amount * price)]
    pub no_document: i64,
    #[avg(Line, field = parts.amount)]
    pub of_array: mongo_model::Average,
    #[sum(Line, field = price * by_day.amount)]
    pub of_map: i64,
    #[max(Line, field = hidden.amount)]
    pub of_opaque: Option<i64>,
    #[sum(Line, field = money.currency)]
    pub of_text: i64,
    #[count(Line, only(money.currency = 7))]
    pub of_kind: i64,
    #[count(Line, only(money.curency = "EUR"))]
    pub condition: i64,
    #[sum(Line, field = tax.rate.part)]
    pub of_secret: i64,
}

#[derive(Serialize, Deserialize, MongoEmbed)]
pub struct Money {
    pub amount: i64,
    pub currency: String,
}

#[derive(Serialize, Deserialize, MongoEmbed)]
pub struct Tax {
    rate: Rate,
}

#[derive(Serialize, Deserialize, MongoEmbed)]
struct Rate {
    part: i64,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "lines")]
pub struct Line {
    #[serde(rename = "_id")]
    pub id: Id<Line>,
    #[parent(Cart)]
    pub cart: Id<Cart>,
    pub price: i64,
    pub money: Money,
    #[embed(max = 5)]
    pub parts: Vec<Money>,
    #[embed(max = 5)]
    pub by_day: HashMap<String, Money>,
    #[model(opaque)]
    pub hidden: Money,
    pub tax: Tax,
}

fn main() {}
