// An embedded document that holds a copy.

use mongo_model::{Id, MongoEmbed, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "parts")]
pub struct Part {
    #[serde(rename = "_id")]
    pub id: Id<Part>,
    pub name: String,
    #[volatile]
    pub qty: i64,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoEmbed)]
pub struct Main {
    #[parent(Part)]
    pub part: Id<Part>,
    #[denorm(from = Part, field = name)]
    pub name: String,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "products")]
pub struct Product {
    #[serde(rename = "_id")]
    pub id: Id<Product>,
    pub main: Main,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "orders")]
pub struct Order {
    #[serde(rename = "_id")]
    pub id: Id<Order>,
    #[parent(Product)]
    pub product: Id<Product>,
    #[denorm(from = Product, field = main)]
    pub product_main: Main,
}

fn main() {}
