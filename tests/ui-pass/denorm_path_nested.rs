// Copies two arrays deep, under documents; references without copies however deep.

use mongo_model::{Id, MongoEmbed, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "parts")]
pub struct Part {
    #[serde(rename = "_id")]
    pub id: Id<Part>,
    pub name: String,
    #[volatile]
    pub qty: i64,
}

#[derive(Serialize, Deserialize, MongoEmbed)]
pub struct Shelf {
    #[refs(Part, max = 10)]
    #[denorm(from = Part, field = name)]
    pub parts: Vec<ShelfPart>,
}

#[derive(Serialize, Deserialize, MongoEmbed)]
pub struct Rack {
    #[embed(max = 10)]
    pub shelves: Vec<Shelf>,
    #[refs(Part, max = 10)]
    pub spare: Vec<Id<Part>>,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "stores")]
pub struct Store {
    #[serde(rename = "_id")]
    pub id: Id<Store>,
    pub rack: Rack,
    #[embed(max = 10)]
    pub shelves: Vec<Shelf>,
}

pub fn main() {}
