// Periods without a tenant of a parent that has one: every program could read them.

use bson::DateTime;
use mongo_model::{Id, MongoModel, Period};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "shops", tenant = org)]
pub struct Shop {
    #[serde(rename = "_id")]
    pub id: Id<Shop>,
    pub org: i64,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "sales", tenant = org)]
pub struct Sale {
    #[serde(rename = "_id")]
    pub id: Id<Sale>,
    pub org: i64,
    #[parent(Shop)]
    pub shop: Id<Shop>,
    pub price: i64,
    pub sold_at: DateTime,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "shop_days")]
pub struct ShopDay {
    #[serde(rename = "_id")]
    #[period(per = day, zone = "Europe/Rome")]
    pub id: Period<Shop>,
    #[sum(Sale, field = price, at = sold_at)]
    pub revenue: i64,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "shop_months", tenant = org)]
pub struct ShopMonth {
    #[serde(rename = "_id")]
    #[period(per = month, zone = "Europe/Rome")]
    pub id: Period<Shop>,
    pub org: Id<Sale>,
    #[sum(Sale, field = price, at = sold_at)]
    pub revenue: i64,
}

fn main() {}
