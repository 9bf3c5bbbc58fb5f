// Hours, days, weeks and months, in UTC and in a zone of half an hour.

use bson::DateTime;
use mongo_model::{Id, MongoModel, Period};
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
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "shop_hours")]
pub struct ShopHour {
    #[serde(rename = "_id")]
    #[period(per = hour, zone = "Asia/Kolkata")]
    pub id: Period<Shop>,
    #[sum(Sale, field = price, at = sold_at)]
    pub revenue: i64,
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
#[model(collection = "shop_weeks")]
pub struct ShopWeek {
    #[serde(rename = "_id")]
    #[period(per = week, zone = "UTC")]
    pub id: Period<Shop>,
    #[sum(Sale, field = price, at = sold_at)]
    pub revenue: i64,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "shop_months")]
pub struct ShopMonth {
    #[serde(rename = "_id")]
    #[period(per = month, zone = "America/Argentina/Buenos_Aires")]
    pub id: Period<Shop>,
    #[sum(Sale, field = price, at = sold_at)]
    pub revenue: i64,
}

pub fn main() {}
