// An event of a type that is no value, and events of a model that emits none.

use mongo_model::{Database, Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize)]
struct Paid {
    cents: i64,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "orders", events = Paid)]
struct Order {
    #[serde(rename = "_id")]
    id: Id<Order>,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "parts")]
struct Part {
    #[serde(rename = "_id")]
    id: Id<Part>,
    name: String,
}

async fn emit(db: &Database, id: Id<Part>) {
    let _ = Part::update(db, id).set(|p| p.name, "nut").emit("renamed".to_owned());
    let _ = Part::events(db);
}

fn main() {}
