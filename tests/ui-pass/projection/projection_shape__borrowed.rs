// One lifetime: text and bytes are borrowed from what is read.

use mongo_model::{Borrowed, Id, MongoModel, MongoProjection};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "products")]
pub struct Product {
    #[serde(rename = "_id")]
    pub id: Id<Product>,
    pub name: String,
    pub note: Option<String>,
    pub data: bson::Binary,
}

#[derive(Deserialize, MongoProjection)]
#[projection(of = Product)]
pub struct Summary<'product> {
    pub name: &'product str,
    #[serde(borrow)]
    pub note: Option<&'product str>,
    pub data: &'product [u8],
}

#[derive(Deserialize, MongoProjection)]
#[projection(of = Product)]
pub struct Static {
    pub name: std::string::String,
}

pub fn main() {
    let projection = <Summary<'_> as Borrowed<Product>>::projection();
    assert_eq!(projection, bson::doc! { "_id": 0, "name": 1, "note": 1, "data": 1 });
}
