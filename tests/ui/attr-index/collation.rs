// A collation without a locale, with a strength out of range.
use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "items", index(keys(a), collation(strength = 2)), index(keys(b), collation(locale = "en", strength = 9)))]
struct Item {
    #[serde(rename = "_id")]
    id: Id<Item>,
    a: String,
    b: String,
}

fn main() {}
