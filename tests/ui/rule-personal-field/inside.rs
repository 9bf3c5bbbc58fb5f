// No erase reaches these personal fields in embedded documents, or they are of nobody.

use std::collections::BTreeMap;

use mongo_model::{Id, MongoEmbed, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoEmbed)]
pub struct Address {
    #[personal(erased = "")]
    pub street: String,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "customers", index(keys(home.street), unique))]
pub struct Customer {
    #[serde(rename = "_id")]
    pub id: Id<Customer>,
    #[personal(erased = "gone")]
    pub name: String,
    pub home: Address,
    #[embed(max = 3)]
    pub addresses: BTreeMap<String, Address>,
    #[immutable]
    pub birthplace: Address,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "orders")]
pub struct Order {
    #[serde(rename = "_id")]
    pub id: Id<Order>,
    #[parent(Customer)]
    pub customer: Id<Customer>,
    pub ship_to: Address,
}

fn main() {}
