// Numbers and extremes of two models and by three dates, one of them optional, in one document.

use bson::DateTime;
use mongo_model::{Average, Id, MongoModel, Period};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "shops")]
pub struct Shop {
    #[serde(rename = "_id")]
    pub id: Id<Shop>,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "sales")]
pub struct Sale {
    #[serde(rename = "_id")]
    pub id: Id<Sale>,
    #[parent(Shop)]
    pub shop: Id<Shop>,
    pub price: i64,
    pub sold_at: DateTime,
    pub paid: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sent_at: Option<DateTime>,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "shop_days")]
pub struct ShopDay {
    #[serde(rename = "_id")]
    #[period(per = day, zone = "Europe/Rome")]
    pub id: Period<Shop>,
    #[sum(Sale, field = price, at = sold_at)]
    pub revenue: i64,
    #[avg(Sale, field = price, at = sold_at)]
    pub mean: Average,
    #[count(Sale, at = sent_at, only(paid = true))]
    pub sent: i64,
    #[max(Sale, field = price, at = sold_at)]
    pub best: Option<i64>,
    #[min(Sale, field = price, at = sent_at, only(paid = true))]
    pub least: Option<i64>,
    #[count(Visit, via = shop, at = entered)]
    #[serde(default)]
    pub visits: i64,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "visits")]
pub struct Visit {
    #[serde(rename = "_id")]
    pub id: Id<Visit>,
    #[parent(Shop)]
    pub shop: Id<Shop>,
    #[parent(Shop)]
    pub before: Id<Shop>,
    pub entered: DateTime,
}

pub fn main() {}
