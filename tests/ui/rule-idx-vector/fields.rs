// Places without an index of vectors, and filters that are no fields.
use mongo_model::vector::Vector;
use mongo_model::{Id, MongoEmbed, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoEmbed)]
struct Text {
    #[index(vector(3, cosine))]
    embedding: Vector<3>,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "articles")]
struct Article {
    #[serde(rename = "_id")]
    id: Id<Article>,
    #[index(vector(9000, cosine))]
    large: Vector<9000>,
    #[index(vector(0, cosine))]
    empty: Vector<0>,
    #[index(vector(3, cosine), filter(shop, year))]
    embedding: Vector<3>,
    #[index(vector(3, cosine))]
    #[serde(skip)]
    draft: Option<Vector<3>>,
    year: i32,
}

fn main() {}
