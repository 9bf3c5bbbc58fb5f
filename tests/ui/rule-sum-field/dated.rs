// Dates of periods: a text, the time of the insert, and no field.

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
    pub note: String,
    #[created]
    pub created: DateTime,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "shop_days")]
pub struct ShopDay {
    #[serde(rename = "_id")]
    #[period(per = day, zone = "Europe/Rome")]
    pub id: Period<Shop>,
    #[count(Sale, at = note)]
    pub notes: i64,
    #[count(Sale, at = created)]
    pub created: i64,
    #[count(Sale, at = sold)]
    pub sold: i64,
}

fn main() {}
