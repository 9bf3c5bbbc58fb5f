// Several arrays in one element add up before they multiply.

use mongo_model::{Id, MongoEmbed, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoEmbed)]
pub struct Line {
    pub text: String,
}

#[derive(Serialize, Deserialize, MongoEmbed)]
pub struct Section {
    #[embed(max = 60)]
    pub lines: Vec<Line>,
    #[embed(max = 60)]
    pub notes: Vec<Line>,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "docs")]
pub struct Doc {
    #[serde(rename = "_id")]
    pub id: Id<Doc>,
    #[embed(max = 100)]
    pub sections: Vec<Section>,
}

fn main() {}
