// Fields inside embedded documents, in an `Option`, two deep and in a `Box`: added up, multiplied, averaged, compared and in conditions, also
// in a period.

use bson::{DateTime, Decimal128};
use mongo_model::{Average, Id, MongoEmbed, MongoModel, Period};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "carts")]
pub struct Cart {
    #[serde(rename = "_id")]
    pub id: Id<Cart>,
    #[sum(Line, field = money.amount)]
    pub total: i64,
    #[sum(Line, field = money.tax.rate * pieces, only(money.currency = "EUR"))]
    pub taxes: Decimal128,
    #[sum(Line, field = pieces * tip.amount)]
    pub tips: i64,
    #[avg(Line, field = money.amount, only(money.tax.due = true, pieces = 1))]
    pub mean: Average,
    #[count(Line, via = cart, only(tip.card = false))]
    pub cash: i64,
    #[max(Line, field = tip.amount)]
    pub largest: Option<i32>,
    #[min(Line, field = money.tax.rate)]
    pub lowest: Option<Decimal128>,
    #[recent(Line, max = 3, sort = -pieces, fields(pieces), only(money.currency = "EUR"))]
    pub euros: Vec<CartLine>,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "cart_days")]
pub struct CartDay {
    #[serde(rename = "_id")]
    #[period(per = day, zone = "Europe/Rome")]
    pub id: Period<Cart>,
    #[sum(Line, field = money.amount, at = added, only(money.currency = "EUR"))]
    pub euros: i64,
}

#[derive(Serialize, Deserialize, MongoEmbed)]
pub struct Money {
    #[serde(rename = "a")]
    pub amount: i64,
    pub currency: String,
    pub tax: Box<Tax>,
}

#[derive(Serialize, Deserialize, MongoEmbed)]
pub struct Tax {
    pub rate: Decimal128,
    pub due: bool,
}

#[derive(Serialize, Deserialize, MongoEmbed)]
pub struct Tip {
    pub amount: i32,
    pub card: bool,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "lines")]
pub struct Line {
    #[serde(rename = "_id")]
    pub id: Id<Line>,
    #[parent(Cart)]
    pub cart: Id<Cart>,
    pub money: Money,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tip: Option<Tip>,
    pub pieces: i32,
    pub added: DateTime,
}

pub fn main() {}
