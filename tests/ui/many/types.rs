// Mistakes that only the types show, each at its field.

use std::collections::HashMap;

use mongo_model::{Id, MongoEmbed, MongoModel};
use serde::{Deserialize, Serialize};

pub type Tags = Vec<String>;
pub type Attrs = HashMap<String, String>;
pub type Moment = std::time::SystemTime;

#[derive(Serialize, Deserialize, MongoEmbed)]
pub struct Line {
    pub text: String,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "parts")]
pub struct Part {
    #[serde(rename = "_id")]
    pub id: Id<Part>,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "products")]
pub struct Product {
    #[serde(rename = "_id")]
    pub id: Id<Product>,
    pub tags: Tags,
    pub attrs: Attrs,
    pub at: Moment,
    pub lines: Vec<Line>,
    pub part: Part,
    #[refs(Part)]
    pub parts: Vec<String>,
    pub address: std::net::IpAddr,
}

fn main() {}
