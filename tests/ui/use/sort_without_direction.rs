// An order says for each field in which direction.

use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "makers")]
pub struct Maker {
    #[serde(rename = "_id")]
    pub id: Id<Maker>,
    #[index]
    pub name: String,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "parts")]
pub struct Part {
    #[serde(rename = "_id")]
    pub id: Id<Part>,
    pub name: String,
    #[parent(Maker)]
    pub maker: Id<Maker>,
}

pub fn calls(db: &mongo_model::Database, maker: Id<Maker>) {
    let _ = Maker::scan(db, |m| m.all()).sort(|m| m.name);
    let _ = Maker::scan(db, |m| m.all()).ids().sort(|m| m.name);
    let _ = Part::by_maker(db, maker).sort(|p| p.name);
    let _ = Maker::scan(db, |m| m.all()).sort(|m| m.name.asc().then(m.id));
}

fn main() {}
