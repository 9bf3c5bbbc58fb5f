// Only text and bytes are borrowed, for one lifetime, and from a reply alone.

use mongo_model::{Id, MongoModel, MongoProjection};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "makers")]
pub struct Maker {
    #[serde(rename = "_id")]
    pub id: Id<Maker>,
    pub name: String,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "products")]
pub struct Product {
    #[serde(rename = "_id")]
    pub id: Id<Product>,
    pub name: String,
    pub price: i64,
    pub note: Option<String>,
    #[parent(Maker)]
    pub maker: Id<Maker>,
    #[denorm(from = Maker, field = name)]
    pub maker_name: String,
}

#[derive(Deserialize, MongoProjection)]
#[projection(of = Product)]
pub struct Price<'a> {
    pub name: &'a str,
    #[serde(borrow)]
    pub price: std::borrow::Cow<'a, i64>,
}

#[derive(Deserialize, MongoProjection)]
#[projection(of = Product)]
pub struct Two<'a, 'b> {
    pub name: &'a str,
    #[serde(borrow)]
    pub note: Option<&'b str>,
}

#[derive(Deserialize, MongoProjection)]
#[projection(of = Product)]
pub struct NotOptional<'a> {
    pub note: &'a str,
}

#[derive(Deserialize, MongoProjection)]
#[projection(of = Maker, fallback = Product)]
pub struct MakerView<'a> {
    pub name: &'a str,
}

fn main() {}
