// Conditions of a partial index are on fields.

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
    index(keys(name), partial(actve = true)),
    index(keys(-name), partial(address.cty = "Rome")),
    index(keys(name, active), partial(address.zip(exists))),
)]
pub struct Person {
    #[serde(rename = "_id")]
    pub id: Id<Person>,
    pub name: String,
    pub active: bool,
    pub address: Address,
}

fn main() {}
