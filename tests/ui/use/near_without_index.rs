// Nearness needs a 2dsphere index.

use mongo_model::geo::Point;
use mongo_model::{Id, MongoEmbed, MongoModel};
use serde::{Deserialize, Serialize};

const HERE: Point = Point { lng: 12.5, lat: 41.9 };

#[derive(Serialize, Deserialize, MongoEmbed)]
pub struct Address {
    pub city: String,
    pub zip: Option<String>,
}

#[derive(Serialize, Deserialize, MongoEmbed)]
pub struct Slot {
    #[parent(Part)]
    pub part: Id<Part>,
    #[denorm(from = Part, field = name)]
    pub part_name: String,
    pub count: i64,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "parts")]
pub struct Part {
    #[serde(rename = "_id")]
    pub id: Id<Part>,
    pub name: String,
    pub partno: String,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "products", index(keys(maker, year)))]
pub struct Product {
    #[serde(rename = "_id")]
    pub id: Id<Product>,
    #[index(unique)]
    pub catalog_number: i64,
    pub name: String,
    pub maker: String,
    pub year: i32,
    pub note: Option<String>,
    #[index(hashed)]
    pub code: String,
    #[index(sparse)]
    pub seller: Option<String>,
    #[index(partial(gt = 5))]
    pub stock: Option<i64>,
    #[index(text)]
    pub text: String,
    pub place: [f64; 2],
    pub address: Address,
    #[embed(max = 20)]
    pub tags: Vec<String>,
    #[embed(max = 20)]
    pub slots: Vec<Slot>,
    pub shown: Slot,
    #[parent(Part)]
    pub main: Id<Part>,
    #[denorm(from = Part, field = name)]
    pub main_name: String,
    #[refs(Part)]
    #[denorm(from = Part, field = name)]
    pub parts: Vec<ProductPart>,
    #[refs(Part)]
    pub others: Vec<Id<Part>>,
}

pub async fn calls(db: &mongo_model::Database) {
    let _ = Product::find(db, |p| p.place.near(HERE, 1000.0));
}

fn main() {}
