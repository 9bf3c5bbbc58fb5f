// Copies of personal fields that an erase would not reach.

use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "customers")]
pub struct Customer {
    #[serde(rename = "_id")]
    pub id: Id<Customer>,
    #[personal(erased = "gone")]
    pub name: String,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "orders")]
pub struct Order {
    #[serde(rename = "_id")]
    pub id: Id<Order>,
    #[parent(Customer)]
    pub customer: Id<Customer>,
    #[denorm(from = Customer, field = name, snapshot)]
    pub name_then: String,
    #[denorm(from = Customer, field = name)]
    pub name: String,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "parcels")]
pub struct Parcel {
    #[serde(rename = "_id")]
    pub id: Id<Parcel>,
    #[parent(Order)]
    pub order: Id<Order>,
    #[denorm(from = Order, field = name, level = fire_and_forget)]
    pub name: String,
}

fn main() {}
