// Models, sources and embedded documents that are private to their crate or module.
use mongo_model::{Id, MongoEmbed, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "parts")]
pub(crate) struct Part {
    #[serde(rename = "_id")]
    pub id: Id<Part>,
    pub name: String,
    place: Place,
}

#[derive(Serialize, Deserialize, MongoEmbed)]
struct Place {
    city: String,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "products")]
pub(crate) struct Product {
    #[serde(rename = "_id")]
    pub id: Id<Product>,
    #[refs(Part)]
    #[denorm(from = Part, field = name)]
    pub parts: Vec<ProductPart>,
    #[parent(Part)]
    #[denorm(from = Part, field = name)]
    main: Option<MainPart>,
}

pub fn main() {
    assert_eq!(Product::meta().collection, "products");
}
