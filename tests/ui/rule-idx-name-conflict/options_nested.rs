// The options are not part of the name: of a nested field.

use mongo_model::{Id, MongoEmbed, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoEmbed)]
pub struct Address {
    pub city: String,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(
    collection = "people",
    index(keys(address.city)),
    index(keys(address.city), sparse),
)]
pub struct Person {
    #[serde(rename = "_id")]
    pub id: Id<Person>,
    pub address: Address,
}

fn main() {}
