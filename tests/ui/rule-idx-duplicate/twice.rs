// The same index on the field and on the model.
use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "items", index(keys(n)))]
struct Item {
    #[serde(rename = "_id")]
    id: Id<Item>,
    #[index]
    n: i64,
}

fn main() {}
