// An alias of an embedded document.

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

pub type Home = Address;

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "people", index(keys(home.cty)))]
pub struct Person {
    #[serde(rename = "_id")]
    pub id: Id<Person>,
    pub home: Home,
}

fn main() {}
