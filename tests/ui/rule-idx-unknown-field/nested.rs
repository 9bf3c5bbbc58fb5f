// Keys that are no fields of an embedded document.

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
    index(keys(address.cty)),
    index(keys(-address.zip)),
    index(keys(address.place.lat)),
    index(keys(address.place.height)),
    index(keys(text(address.steet))),
)]
pub struct Person {
    #[serde(rename = "_id")]
    pub id: Id<Person>,
    pub address: Address,
}

fn main() {}
