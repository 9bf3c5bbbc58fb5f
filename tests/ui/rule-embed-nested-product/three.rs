// Three levels, and an alias for the middle one.

use mongo_model::{Id, MongoEmbed, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoEmbed)]
pub struct Line {
    pub text: String,
}

#[derive(Serialize, Deserialize, MongoEmbed)]
pub struct Section {
    #[embed(max = 50)]
    pub lines: Vec<Line>,
}

pub type Sections = Vec<Section>;

#[derive(Serialize, Deserialize, MongoEmbed)]
pub struct Chapter {
    #[embed(max = 50)]
    pub sections: Sections,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "books")]
pub struct Book {
    #[serde(rename = "_id")]
    pub id: Id<Book>,
    #[embed(max = 50)]
    pub chapters: Vec<Chapter>,
}

fn main() {}
