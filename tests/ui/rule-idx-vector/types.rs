// Fields whose type is not that of the index.
use mongo_model::vector::Vector;
use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "articles")]
struct Article {
    #[serde(rename = "_id")]
    id: Id<Article>,
    #[index(vector(1536, cosine))]
    embedding: Vector<768>,
    #[index(vector(3, euclidean))]
    position: [f32; 3],
    #[index(vector(3, euclidean))]
    #[embed(max = 4)]
    parts: Vec<Vector<3>>,
}

fn main() {}
