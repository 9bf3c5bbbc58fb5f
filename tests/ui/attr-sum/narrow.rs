// A sum that is no `i64`, of children that expire.

use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "carts")]
pub struct Cart {
    #[serde(rename = "_id")]
    pub id: Id<Cart>,
    #[sum(Line, field = price)]
    pub total: i32,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "lines", index(keys(at), expire_after = 60))]
pub struct Line {
    #[serde(rename = "_id")]
    pub id: Id<Line>,
    #[parent(Cart)]
    pub cart: Id<Cart>,
    pub price: i64,
    pub at: bson::DateTime,
}

fn main() {}
