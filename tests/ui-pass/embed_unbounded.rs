// The ways out of an unbounded array: a bound, references, the parent on the other side; and a type of fixed size.

use mongo_model::{Id, MongoEmbed, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoEmbed)]
pub struct Line {
    pub text: String,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "parts")]
pub struct Part {
    #[serde(rename = "_id")]
    pub id: Id<Part>,
    #[parent(Product)]
    pub product: Id<Product>,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "products")]
pub struct Product {
    #[serde(rename = "_id")]
    pub id: Id<Product>,
    #[embed(max = 20)]
    pub lines: Vec<Line>,
    #[refs(Part)]
    pub parts: Vec<Id<Part>>,
    pub corners: [Line; 4],
    #[model(allow(embed_unbounded, reason = "at most one per weekday"))]
    pub days: Vec<Line>,
    #[embed]
    pub first: Line,
    #[embed]
    pub last: Option<Line>,
}

pub fn main() {
    let fields = Product::meta().shape.fields;
    let max: Vec<u64> = fields.iter().map(|field| field.max).collect();
    assert_eq!(max, [0, 20, 2000, 0, 0, 0, 0]);
}
