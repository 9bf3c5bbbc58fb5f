// The same for all fields.

use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "people")]
#[serde(rename_all(serialize = "camelCase", deserialize = "snake_case"))]
pub struct Person {
    #[serde(rename = "_id")]
    pub id: Id<Person>,
    pub first_name: String,
}

fn main() {}
