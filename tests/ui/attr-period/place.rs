// A period on a field that is not the `_id`.

use bson::DateTime;
use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "shops")]
pub struct Shop {
    #[serde(rename = "_id")]
    pub id: Id<Shop>,
    #[period(per = day, zone = "Europe/Rome")]
    pub opened: DateTime,
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

fn main() {}
