// Copies of what is personal inside of an embedded document, which an erase would not reach.

use mongo_model::{Id, MongoEmbed, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Clone, Serialize, Deserialize, MongoEmbed)]
pub struct Address {
    #[personal(erased = "")]
    pub street: String,
    pub city: String,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "customers")]
pub struct Customer {
    #[serde(rename = "_id")]
    pub id: Id<Customer>,
    #[personal(erased = "gone")]
    pub name: String,
    pub address: Address,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "orders")]
pub struct Order {
    #[serde(rename = "_id")]
    pub id: Id<Order>,
    #[parent(Customer)]
    pub customer: Id<Customer>,
    #[denorm(from = Customer, field = address.street, snapshot)]
    pub street_then: String,
    #[denorm(from = Customer, field = address, snapshot)]
    pub address_then: Address,
    #[denorm(from = Customer, field = address.city, snapshot)]
    pub city_then: String,
}

fn main() {}
