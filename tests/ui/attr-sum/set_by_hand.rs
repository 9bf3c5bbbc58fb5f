// A sum has no setter.

use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "carts")]
pub struct Cart {
    #[serde(rename = "_id")]
    pub id: Id<Cart>,
    #[sum(Line, field = price)]
    pub total: i64,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "lines")]
pub struct Line {
    #[serde(rename = "_id")]
    pub id: Id<Line>,
    #[parent(Cart)]
    pub cart: Id<Cart>,
    pub price: i64,
    pub open: bool,
}

pub async fn set(db: &mongo_model::Database, id: Id<Cart>) {
    let _ = Cart::update(db, id).set(|c| c.total, 5).await;
}

fn main() {}
