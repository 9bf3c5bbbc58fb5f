// Options as other libraries and the server call them.

use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "products")]
pub struct Product {
    #[serde(rename = "_id")]
    pub id: Id<Product>,
    #[index(ttl = "30d")]
    pub seen: bson::DateTime,
    #[index(expire_after_seconds = 30)]
    pub sold: bson::DateTime,
    #[index(asc)]
    pub maker: String,
    #[index(descending)]
    pub year: i32,
    #[index(fulltext)]
    pub name: String,
    #[index(filter(exists))]
    pub email: Option<String>,
    #[index(locale = "en")]
    pub title: String,
    #[index(background)]
    pub note: String,
}

fn main() {}
