// A copy of a copy (it follows in turn), and of a document without copies.

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
pub struct Size {
    pub width: i64,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "products")]
pub struct Product {
    #[serde(rename = "_id")]
    pub id: Id<Product>,
    #[parent(Part)]
    pub main: Id<Part>,
    #[denorm(from = Part, field = name)]
    pub main_name: String,
    pub size: Size,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "orders")]
pub struct Order {
    #[serde(rename = "_id")]
    pub id: Id<Order>,
    #[parent(Product)]
    #[denorm(from = Product, fields(main_name, size))]
    pub product: OrderProduct,
}

pub fn main() {}
