// The reference leads to a model without personal fields of its own.

use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "shops")]
pub struct Shop {
    #[serde(rename = "_id")]
    pub id: Id<Shop>,
    pub name: String,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "reviews")]
pub struct Review {
    #[serde(rename = "_id")]
    pub id: Id<Review>,
    #[parent(Shop)]
    pub shop: Id<Shop>,
    #[personal(of = shop, erased = "")]
    pub text: String,
}

async fn erase(db: &mongo_model::Database, shop: Id<Shop>) -> mongo_model::Result<()> {
    Shop::erase(db, shop).await?;
    Ok(())
}

fn main() {}
