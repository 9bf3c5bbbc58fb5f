// A search needs an index of vectors, and a vector of as many numbers.

use mongo_model::vector::Vector;
use mongo_model::{Database, Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "articles")]
pub struct Article {
    #[serde(rename = "_id")]
    pub id: Id<Article>,
    #[index(vector(3, cosine))]
    pub embedding: Vector<3>,
    pub other: Vector<3>,
}

fn without_index(db: &Database, vector: &Vector<3>) {
    let _ = Article::find_nearest(db, |a| a.other, vector);
}

fn other_length(db: &Database, vector: &Vector<2>) {
    let _ = Article::find_nearest(db, |a| a.embedding, vector);
}

fn main() {}
