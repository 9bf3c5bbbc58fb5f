// Options beside `vector`, and forms of it.
use mongo_model::vector::Vector;
use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "articles")]
struct Article {
    #[serde(rename = "_id")]
    id: Id<Article>,
    #[index(vector(3, cosine), unique, sparse)]
    a: Vector<3>,
    #[index(vector(3, manhattan))]
    b: Vector<3>,
    #[index(vector(3))]
    c: Vector<3>,
    #[index(vector)]
    d: Vector<3>,
    #[index(vector(3, cosine))]
    #[index(vector(3, euclidean))]
    e: Vector<3>,
    #[index(vector(3, cosine), filters(shop))]
    f: Vector<3>,
}

fn main() {}
