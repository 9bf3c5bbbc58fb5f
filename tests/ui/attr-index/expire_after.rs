// A time has one number and one unit.

use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "products")]
pub struct Product {
    #[serde(rename = "_id")]
    pub id: Id<Product>,
    #[index(expire_after)]
    pub a: bson::DateTime,
    #[index(expire_after = "30")]
    pub b: bson::DateTime,
    #[index(expire_after = "30 days")]
    pub c: bson::DateTime,
    #[index(expire_after = "1h30m")]
    pub d: bson::DateTime,
    #[index(expire_after = "3M")]
    pub e: bson::DateTime,
    #[index(expire_after = -5)]
    pub f: bson::DateTime,
    #[index(expire_after = 1.5)]
    pub g: bson::DateTime,
    #[index(expire_after = DAY)]
    pub h: bson::DateTime,
    #[index(expire_after("30d"))]
    pub i: bson::DateTime,
    #[index(expire_after = 30d)]
    pub j: bson::DateTime,
}

fn main() {}
