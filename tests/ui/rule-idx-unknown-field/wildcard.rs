// The path of a wildcard key.

use mongo_model::{Id, MongoEmbed, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoEmbed)]
pub struct Address {
    pub city: String,
    pub street: String,
    pub place: Place,
}

#[derive(Serialize, Deserialize, MongoEmbed)]
pub struct Place {
    pub latitude: f64,
    pub longitude: f64,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(
    collection = "people",
    index(keys(wildcard(addres))),
    index(keys(wildcard(address.plce))),
)]
pub struct Person {
    #[serde(rename = "_id")]
    pub id: Id<Person>,
    pub address: Address,
}

fn main() {}
