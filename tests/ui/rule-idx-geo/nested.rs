// A field of an embedded document.

use mongo_model::{Id, MongoEmbed, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoEmbed)]
pub struct Address {
    pub city: String,
    pub place: [f64; 2],
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "shops", index(keys(geo(address.city))))]
pub struct Shop {
    #[serde(rename = "_id")]
    pub id: Id<Shop>,
    pub address: Address,
}

fn main() {}
