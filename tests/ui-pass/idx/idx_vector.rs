// Indexes of vectors: with an `Option`, with fields to filter by, and beside an index of another field.

use mongo_model::vector::Vector;
use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "articles")]
pub struct Article {
    #[serde(rename = "_id")]
    pub id: Id<Article>,
    #[index(vector(1536, cosine), filter(shop, year))]
    pub embedding: Vector<1536>,
    #[index(vector(8192, dot_product))]
    #[serde(default)]
    pub picture: Option<Vector<8192>>,
    #[index]
    pub shop: i64,
    pub year: i32,
}

pub fn main() {
    let article = <Article as MongoModel>::meta();
    assert_eq!(article.name, "Article");
}
