// Both models have a tenant, of two types; and an embedded document, which has none.

use mongo_model::{Id, MongoEmbed, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "customers", tenant = org)]
pub struct Customer {
    #[serde(rename = "_id")]
    pub id: Id<Customer>,
    pub org: i64,
    pub name: String,
    #[count(Login)]
    pub logins: i64,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "logins", tenant = shop)]
pub struct Login {
    #[serde(rename = "_id")]
    pub id: Id<Login>,
    pub shop: i32,
    #[parent(Customer)]
    pub customer: Id<Customer>,
    #[denorm(from = Customer, field = name)]
    pub name: String,
}

#[derive(Serialize, Deserialize, MongoEmbed)]
pub struct Guest {
    #[parent(Customer)]
    pub customer: Id<Customer>,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "parties", tenant = org)]
pub struct Party {
    #[serde(rename = "_id")]
    pub id: Id<Party>,
    pub org: i64,
    #[embed(max = 20)]
    pub guests: Vec<Guest>,
}

fn main() {}
