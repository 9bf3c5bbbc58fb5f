// A key that is no field, near one that is.
use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "items", index(keys(hots)))]
struct Item {
    #[serde(rename = "_id")]
    id: Id<Item>,
    host: i64,
}

fn main() {}
