// The same mistakes inside `#[model(..)]`.

use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "products")]
pub struct Product {
    #[serde(rename = "_id")]
    pub id: Id<Product>,
    #[model(index(uniqe))]
    pub partno: String,
    #[model(index(keys(maker)))]
    pub maker: String,
    #[model(index = "unique")]
    pub name: String,
    #[model(index(expire_after = "30 days"))]
    pub seen: bson::DateTime,
}

fn main() {}
