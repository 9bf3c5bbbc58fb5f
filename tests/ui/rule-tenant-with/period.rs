// Two tenants would add up into the same document of a period of what they share, or see the periods of all.

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
#[model(collection = "shop_days", tenant = org)]
pub struct ShopDay {
    #[serde(rename = "_id")]
    #[period(per = day, zone = "Europe/Rome")]
    pub id: Period<Shop>,
    pub org: i64,
    #[sum(Sale, field = price, at = sold_at)]
    pub revenue: i64,
}

fn main() {}
