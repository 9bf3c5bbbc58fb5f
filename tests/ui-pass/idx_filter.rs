// What a declared index serves, and a scan on purpose.

use mongo_model::{Id, MongoEmbed, MongoModel};
use serde::{Deserialize, Serialize};

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

pub async fn calls(db: &mongo_model::Database, id: Id<Product>, part: Id<Part>) {
    let _ = Product::find(db, |p| p.catalog_number.eq(1234));
    let _ = Product::find(db, |p| p.catalog_number.gt(1).and(p.name.eq("grommet")));
    let _ = Product::find(db, |p| p.name.eq("grommet").and(p.catalog_number.gt(1)));
    let _ = Product::find(db, |p| p.catalog_number.eq(1).or(p.maker.eq("Acme")));
    let _ = Product::find(db, |p| p.maker.starts_with("A").and(p.year.lt(1990)));
    let _ = Product::find(db, |p| p.code.eq("a"));
    let _ = Product::find(db, |p| p.code.is_in(["a", "b"]));
    let _ = Product::find(db, |p| p.seller.eq("Acme"));
    let _ = Product::find(db, |p| p.stock.gt(5));
    let _ = Product::find(db, |p| p.text.text("grommet"));
    let _ = Product::find(db, |p| p.id.eq(id));
    let _ = Product::find(db, |p| p.main.eq(part));
    let _ = Product::find(db, |p| p.parts.id.eq(part));
    let _ = Product::find(db, |p| p.others.contains(part));
    let _ = Product::find(db, |p| p.slots.part.eq(part));
    let _ = Product::scan(db, |p| p.name.eq("grommet"));
    let _ = Product::scan(db, |p| p.all());
    let _ = Product::count(db, |p| p.maker.eq("Acme").and(!p.year.eq(1990)));
    let _ = Product::update(db, id).set(|p| p.name, "grommet").inc(|p| p.year, 1).unset(|p| p.note).push(|p| p.tags, "new");
    let _ = Product::update(db, id).set(|p| p.address.city, "Rome").set(|p| p.note, "x");
}

pub fn main() {}
