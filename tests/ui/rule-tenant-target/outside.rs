// References, copies, lists and counts would reach through the wall.

use mongo_model::{Id, MongoEmbed, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "customers", tenant = org)]
pub struct Customer {
    #[serde(rename = "_id")]
    pub id: Id<Customer>,
    pub org: i64,
    pub name: String,
    #[parent(Plan)]
    pub plan: Id<Plan>,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "plans")]
pub struct Plan {
    #[serde(rename = "_id")]
    pub id: Id<Plan>,
    #[count(Customer)]
    pub customers: i64,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "logins")]
pub struct Login {
    #[serde(rename = "_id")]
    pub id: Id<Login>,
    #[parent(Customer)]
    pub customer: Id<Customer>,
    #[denorm(from = Customer, field = name)]
    pub name: String,
}

#[derive(Serialize, Deserialize, MongoEmbed)]
pub struct Guests {
    #[refs(Customer, max = 20)]
    pub guests: Vec<Id<Customer>>,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "customers", shares = Customer)]
pub struct Contact {
    #[serde(rename = "_id")]
    pub id: Id<Customer>,
    pub name: String,
}

fn main() {}
