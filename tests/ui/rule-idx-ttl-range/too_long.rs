// More than 2,147,483,647 seconds: error 67.
use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "items")]
struct Item {
    #[serde(rename = "_id")]
    id: Id<Item>,
    #[index(expire_after = "30000d")]
    at: bson::DateTime,
}

fn main() {}
