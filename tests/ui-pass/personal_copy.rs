// Copies of a personal field that follow it, and one that is kept.

use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "customers")]
pub struct Customer {
    #[serde(rename = "_id")]
    pub id: Id<Customer>,
    #[personal(erased = "gone")]
    pub name: String,
    pub language: String,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "orders")]
pub struct Order {
    #[serde(rename = "_id")]
    pub id: Id<Order>,
    #[parent(Customer)]
    pub customer: Id<Customer>,
    #[denorm(from = Customer, field = name)]
    pub name: String,
    #[denorm(from = Customer, field = name, snapshot)]
    #[personal(of = customer, keep_for = "10y", reason = "invoices")]
    pub name_then: String,
    #[denorm(from = Customer, field = language, snapshot)]
    pub language: String,
}

pub fn main() {}
