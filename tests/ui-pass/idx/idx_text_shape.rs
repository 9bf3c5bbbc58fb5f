// Text keys side by side after another key.
#![allow(dead_code)]
use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "items", index(keys(n, text(a), text(b))))]
struct Item {
    #[serde(rename = "_id")]
    id: Id<Item>,
    a: String,
    b: String,
    n: i64,
}

/// The types do not show that the key before the text is fixed.
async fn search(db: &mongo_model::Database) {
    let _ = Item::scan(db, |item| item.n.eq(1).and(item.a.text("grommet")));
}

pub fn main() {
    assert_eq!(<Item as MongoModel>::meta().name, "Item");
}
